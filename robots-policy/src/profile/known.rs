//! The robots of the built-in profiles.
// Generated from robots-policy/agents.toml: edit that, then run
// `UPDATE=1 cargo test -p robots-tests --test together agents`.

use super::ai::Uses;

/// A robot of a built-in profile.
pub(super) struct ProfileRobot {
    pub(super) token: &'static str,
    /// The names in METAs and headers that apply to it, except `robots` and its token.
    pub(super) other_names: &'static [&'static str],
    /// The names in METAs and headers that have no effect on it.
    pub(super) ignored_names: &'static [&'static str],
}

/// A robot that fetches for uses of content by AI, or a token that controls them. Its entry in `agents.toml` was verified
/// with a source.
pub(super) struct RobotUses {
    pub(super) token: &'static str,
    pub(super) uses: Uses,
    pub(super) fetches: bool,
}

#[rustfmt::skip]
pub(super) const GOOGLE: &[ProfileRobot] = &[
    ProfileRobot { token: "Googlebot", other_names: &[], ignored_names: &[] },
    ProfileRobot { token: "Googlebot-Image", other_names: &["googlebot"], ignored_names: &["googlebot-image"] },
    ProfileRobot { token: "Googlebot-Video", other_names: &["googlebot"], ignored_names: &["googlebot-video"] },
    ProfileRobot { token: "Googlebot-News", other_names: &["googlebot"], ignored_names: &[] },
    ProfileRobot { token: "Google-CloudVertexBot", other_names: &["googlebot"], ignored_names: &["google-cloudvertexbot"] },
    ProfileRobot { token: "Storebot-Google", other_names: &[], ignored_names: &["storebot-google"] },
    ProfileRobot { token: "GoogleOther", other_names: &[], ignored_names: &["googleother"] },
    ProfileRobot { token: "GoogleOther-Image", other_names: &[], ignored_names: &["googleother-image"] },
    ProfileRobot { token: "GoogleOther-Video", other_names: &[], ignored_names: &["googleother-video"] },
    ProfileRobot { token: "Google-InspectionTool", other_names: &["googlebot"], ignored_names: &["google-inspectiontool"] },
    ProfileRobot { token: "AdsBot-Google", other_names: &[], ignored_names: &["robots"] },
    ProfileRobot { token: "AdsBot-Google-Mobile", other_names: &[], ignored_names: &["robots"] },
    ProfileRobot { token: "Mediapartners-Google", other_names: &[], ignored_names: &["robots"] },
    ProfileRobot { token: "APIs-Google", other_names: &[], ignored_names: &["robots"] },
    ProfileRobot { token: "Google-Extended", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const BING: &[ProfileRobot] = &[
    ProfileRobot { token: "bingbot", other_names: &["msnbot"], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const YANDEX: &[ProfileRobot] = &[
    ProfileRobot { token: "YandexBot", other_names: &["yandex"], ignored_names: &[] },
    ProfileRobot { token: "YandexImages", other_names: &["yandex"], ignored_names: &[] },
    ProfileRobot { token: "YandexVideo", other_names: &["yandex"], ignored_names: &[] },
    ProfileRobot { token: "YandexNews", other_names: &["yandex"], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const BAIDU: &[ProfileRobot] = &[
    ProfileRobot { token: "Baiduspider", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const APPLE: &[ProfileRobot] = &[
    ProfileRobot { token: "Applebot", other_names: &[], ignored_names: &[] },
    ProfileRobot { token: "Applebot-Extended", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const SEZNAM: &[ProfileRobot] = &[
    ProfileRobot { token: "SeznamBot", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const DUCKDUCKGO: &[ProfileRobot] = &[
    ProfileRobot { token: "DuckDuckBot", other_names: &[], ignored_names: &[] },
];

#[rustfmt::skip]
pub(super) const AMAZON: &[ProfileRobot] = &[
    ProfileRobot { token: "Amazonbot", other_names: &[], ignored_names: &[] },
    ProfileRobot { token: "Amzn-SearchBot", other_names: &[], ignored_names: &[] },
    ProfileRobot { token: "Amzn-User", other_names: &[], ignored_names: &[] },
];

/// The tokens that several operators share.
#[rustfmt::skip]
pub(super) const SHARED: &[&str] = &["__usage_ai-training"];

#[rustfmt::skip]
pub(super) const USES: &[RobotUses] = &[
    RobotUses { token: "Google-CloudVertexBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "GoogleOther", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "GoogleOther-Image", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "GoogleOther-Video", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "Google-Extended", uses: Uses::empty().union(Uses::TRAIN).union(Uses::INPUT), fetches: false },
    RobotUses { token: "Google-GeminiNotebook", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Google-NotebookLM", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Google-Agent", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "YandexAdditionalBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "YandexAdditional", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Applebot-Extended", uses: Uses::empty().union(Uses::TRAIN), fetches: false },
    RobotUses { token: "GPTBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "OAI-SearchBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "ChatGPT-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "ChatGPT", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "ClaudeBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "Claude-SearchBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Claude-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "anthropic-ai", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "Claude-Web", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "PerplexityBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Perplexity-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Amazonbot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "Amzn-SearchBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Amzn-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "bedrockbot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "amazon-kendra", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "amazon-QBusiness", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "meta-externalagent", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "meta-webindexer", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "meta-externalfetcher", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "FacebookBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "MistralAI-Training", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "MistralAI-Index", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "MistralAI-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "DuckAssistBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Bytespider", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "AI2Bot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "Ai2Bot-Dolma", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "Cotoyogi", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "ICC-Crawler", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "SBIntuitionsBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "TerraCotta", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "Kimi-User", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "KimiBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "Kimi-SearchBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "TavilyBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "ShapBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "atlassian-bot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "KlaviyoAIBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "YouBot", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Mozilla-Tabstack", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Cloudflare-AI-Search", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "Cloudflare-AutoRAG", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "CloudflareBrowserRenderingCrawler", uses: Uses::empty().union(Uses::TRAIN).union(Uses::INPUT), fetches: true },
    RobotUses { token: "AIWebIndex", uses: Uses::empty().union(Uses::INPUT), fetches: true },
    RobotUses { token: "__usage_ai-training", uses: Uses::empty().union(Uses::TRAIN), fetches: false },
    RobotUses { token: "CCBot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "omgili", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "omgilibot", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "panscient.com", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "VelenPublicWebCrawler", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
    RobotUses { token: "img2dataset", uses: Uses::empty().union(Uses::TRAIN), fetches: true },
];
