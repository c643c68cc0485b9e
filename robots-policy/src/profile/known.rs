//! The robots of the built-in profiles.
// Generated from robots-policy/agents.toml: edit that, then run
// `UPDATE=1 cargo test -p robots-tests --test agents`.

use super::ai::Uses;

/// A robot of a built-in profile.
pub(super) struct KnownRobot {
    pub(super) token: &'static str,
    /// The names in METAs and headers that apply to it, except `robots` and its token.
    pub(super) other_names: &'static [&'static str],
    /// The names in METAs and headers that have no effect on it.
    pub(super) ignored_names: &'static [&'static str],
}

/// A robot that fetches for uses of content by AI, or a token that controls them, according to a source.
pub(super) struct KnownUses {
    pub(super) token: &'static str,
    pub(super) uses: Uses,
    pub(super) fetches: bool,
}

#[rustfmt::skip]
pub(super) const GOOGLE: &[KnownRobot] = &[
    KnownRobot { token: "Googlebot", other_names: &[], ignored_names: &[] },
    KnownRobot { token: "Googlebot-Image", other_names: &["googlebot"], ignored_names: &["googlebot-image"] },
    KnownRobot { token: "Googlebot-Video", other_names: &["googlebot"], ignored_names: &["googlebot-video"] },
    KnownRobot { token: "Googlebot-News", other_names: &["googlebot"], ignored_names: &[] },
    KnownRobot { token: "Google-CloudVertexBot", other_names: &["googlebot"], ignored_names: &["google-cloudvertexbot"] },
    KnownRobot { token: "Storebot-Google", other_names: &[], ignored_names: &["storebot-google"] },
    KnownRobot { token: "GoogleOther", other_names: &[], ignored_names: &["googleother"] },
    KnownRobot { token: "GoogleOther-Image", other_names: &[], ignored_names: &["googleother-image"] },
    KnownRobot { token: "GoogleOther-Video", other_names: &[], ignored_names: &["googleother-video"] },
    KnownRobot { token: "AdsBot-Google", other_names: &[], ignored_names: &["robots"] },
    KnownRobot { token: "AdsBot-Google-Mobile", other_names: &[], ignored_names: &["robots"] },
    KnownRobot { token: "Mediapartners-Google", other_names: &[], ignored_names: &["robots"] },
    KnownRobot { token: "APIs-Google", other_names: &[], ignored_names: &["robots"] },
    KnownRobot { token: "Google-Extended", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const BING: &[KnownRobot] = &[
    KnownRobot { token: "bingbot", other_names: &["msnbot"], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const YANDEX: &[KnownRobot] = &[
    KnownRobot { token: "YandexBot", other_names: &["yandex"], ignored_names: &[] },
    KnownRobot { token: "YandexImages", other_names: &["yandex"], ignored_names: &[] },
    KnownRobot { token: "YandexVideo", other_names: &["yandex"], ignored_names: &[] },
    KnownRobot { token: "YandexNews", other_names: &["yandex"], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const BAIDU: &[KnownRobot] = &[
    KnownRobot { token: "Baiduspider", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const APPLE: &[KnownRobot] = &[
    KnownRobot { token: "Applebot", other_names: &[], ignored_names: &[] },
    KnownRobot { token: "Applebot-Extended", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const SEZNAM: &[KnownRobot] = &[
    KnownRobot { token: "SeznamBot", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const DUCKDUCKGO: &[KnownRobot] = &[
    KnownRobot { token: "DuckDuckBot", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const AMAZON: &[KnownRobot] = &[
    KnownRobot { token: "Amazonbot", other_names: &[], ignored_names: &[] },
    KnownRobot { token: "Amzn-SearchBot", other_names: &[], ignored_names: &[] },
    KnownRobot { token: "Amzn-User", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const USES: &[KnownUses] = &[
    KnownUses { token: "Google-CloudVertexBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "GoogleOther", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "GoogleOther-Image", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "GoogleOther-Video", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "Google-Extended", uses: Uses::empty().union(Uses::TRAIN).union(Uses::INPUT), fetches: false },
    KnownUses { token: "Google-GeminiNotebook", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "Google-NotebookLM", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "Google-Agent", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "YandexAdditional", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "YandexAdditionalBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "Applebot-Extended", uses: Uses::empty().union(Uses::TRAIN), fetches: false },
    KnownUses { token: "GPTBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "OAI-SearchBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "ChatGPT-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "ClaudeBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "Claude-SearchBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "Claude-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "anthropic-ai", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "Claude-Web", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "PerplexityBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "Perplexity-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "Amazonbot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "Amzn-SearchBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "Amzn-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "bedrockbot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "amazon-kendra", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "amazon-QBusiness", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "meta-externalagent", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "meta-webindexer", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "meta-externalfetcher", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "FacebookBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "MistralAI-Training", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "MistralAI-Index", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "MistralAI-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "DuckAssistBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "Bytespider", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "AI2Bot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "Cotoyogi", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "SBIntuitionsBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "TerraCotta", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "TavilyBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "ShapBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "atlassian-bot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "KlaviyoAIBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "YouBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    KnownUses { token: "CCBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "omgili", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "omgilibot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "panscient.com", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "VelenPublicWebCrawler", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    KnownUses { token: "img2dataset", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
];
