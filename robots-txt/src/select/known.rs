//! The robots that obey groups of other names, or to which `*` does not apply.
// Generated from robots-policy/agents.toml: edit that, then run
// `UPDATE=1 cargo test -p robots-tests --test together agents`.

/// A robot that obeys groups of further names, or to which `*` does not apply.
pub(super) struct GroupFallback {
    pub(super) token: &'static str,
    /// The names whose groups it obeys if its own has none, in order.
    pub(super) others: &'static [&'static str],
    pub(super) obeys_star: bool,
}

#[rustfmt::skip]
pub(super) const FALLBACKS: &[GroupFallback] = &[
    GroupFallback { token: "Googlebot-Image", others: &["Googlebot"], obeys_star: true },
    GroupFallback { token: "Googlebot-Video", others: &["Googlebot"], obeys_star: true },
    GroupFallback { token: "Googlebot-News", others: &["Googlebot"], obeys_star: true },
    GroupFallback { token: "Google-CloudVertexBot", others: &["Googlebot"], obeys_star: true },
    GroupFallback { token: "GoogleOther-Image", others: &["GoogleOther"], obeys_star: true },
    GroupFallback { token: "GoogleOther-Video", others: &["GoogleOther"], obeys_star: true },
    GroupFallback { token: "Google-InspectionTool", others: &["Googlebot"], obeys_star: true },
    GroupFallback { token: "Google-Extended", others: &[], obeys_star: false },
    GroupFallback { token: "AdsBot-Google", others: &[], obeys_star: false },
    GroupFallback { token: "AdsBot-Google-Mobile", others: &[], obeys_star: false },
    GroupFallback { token: "AdsBot-Google-Mobile-Apps", others: &[], obeys_star: false },
    GroupFallback { token: "Mediapartners-Google", others: &[], obeys_star: false },
    GroupFallback { token: "APIs-Google", others: &[], obeys_star: false },
    GroupFallback { token: "Google-Display-Ads-Bot", others: &[], obeys_star: false },
    GroupFallback { token: "Google-GeminiNotebook", others: &["Google-NotebookLM"], obeys_star: true },
    GroupFallback { token: "Google-NotebookLM", others: &["Google-GeminiNotebook"], obeys_star: true },
    GroupFallback { token: "bingbot", others: &["msnbot"], obeys_star: true },
    GroupFallback { token: "YandexBot", others: &["Yandex"], obeys_star: true },
    GroupFallback { token: "YandexImages", others: &["Yandex"], obeys_star: true },
    GroupFallback { token: "YandexVideo", others: &["Yandex"], obeys_star: true },
    GroupFallback { token: "YandexNews", others: &["Yandex"], obeys_star: true },
    GroupFallback { token: "YandexAdditionalBot", others: &["YandexAdditional", "Yandex"], obeys_star: true },
    GroupFallback { token: "YandexAdditional", others: &["YandexAdditionalBot", "Yandex"], obeys_star: true },
    GroupFallback { token: "Applebot", others: &["Googlebot"], obeys_star: true },
    GroupFallback { token: "Applebot-Extended", others: &[], obeys_star: false },
    GroupFallback { token: "Yeti", others: &["NaverBot"], obeys_star: true },
    GroupFallback { token: "NaverBot", others: &["Yeti"], obeys_star: true },
    GroupFallback { token: "ChatGPT-User", others: &["ChatGPT"], obeys_star: true },
    GroupFallback { token: "ChatGPT", others: &["ChatGPT-User"], obeys_star: true },
    GroupFallback { token: "TavilyBot", others: &["Googlebot"], obeys_star: true },
    GroupFallback { token: "Mozilla-Tabstack", others: &[], obeys_star: false },
    GroupFallback { token: "Cloudflare-AI-Search", others: &["Cloudflare-AutoRAG"], obeys_star: true },
    GroupFallback { token: "Cloudflare-AutoRAG", others: &["Cloudflare-AI-Search"], obeys_star: true },
    GroupFallback { token: "ImagesiftBot", others: &["Googlebot"], obeys_star: true },
    GroupFallback { token: "__usage_ai-training", others: &[], obeys_star: false },
    GroupFallback { token: "omgili", others: &["omgilibot"], obeys_star: true },
    GroupFallback { token: "omgilibot", others: &["omgili"], obeys_star: true },
    GroupFallback { token: "Screaming", others: &["Googlebot"], obeys_star: true },
];
