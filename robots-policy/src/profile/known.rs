//! The robots of the built-in profiles.
// Generated from robots-policy/agents.toml: edit that, then run
// `UPDATE=1 cargo test -p robots-tests --test agents`.

use super::ai::Uses;

/// A robot of a built-in profile.
pub(super) struct KnownRobot {
    pub(super) token: &'static str,
    /// The names in METAs and headers that apply to it, except `robots` and its token.
    pub(super) other_names: &'static [&'static str],
    /// The uses of content that the token controls; none if it is the name of a crawler.
    pub(super) uses: Uses,
}

#[rustfmt::skip]
pub(super) const GOOGLE: &[KnownRobot] = &[
    KnownRobot { token: "Googlebot", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "Googlebot-Image", other_names: &["googlebot"], uses: Uses::empty() },
    KnownRobot { token: "Googlebot-Video", other_names: &["googlebot"], uses: Uses::empty() },
    KnownRobot { token: "Googlebot-News", other_names: &["googlebot"], uses: Uses::empty() },
    KnownRobot { token: "Google-CloudVertexBot", other_names: &["googlebot"], uses: Uses::empty() },
    KnownRobot { token: "Storebot-Google", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "GoogleOther", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "GoogleOther-Image", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "GoogleOther-Video", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "AdsBot-Google", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "AdsBot-Google-Mobile", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "Mediapartners-Google", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "APIs-Google", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "Google-Extended", other_names: &[], uses: Uses::empty().union(Uses::TRAIN).union(Uses::INPUT) },
];

#[rustfmt::skip]
pub(super) const BING: &[KnownRobot] = &[
    KnownRobot { token: "bingbot", other_names: &["msnbot"], uses: Uses::empty() },
];

#[rustfmt::skip]
pub(super) const YANDEX: &[KnownRobot] = &[
    KnownRobot { token: "YandexBot", other_names: &["yandex"], uses: Uses::empty() },
    KnownRobot { token: "YandexImages", other_names: &["yandex"], uses: Uses::empty() },
    KnownRobot { token: "YandexVideo", other_names: &["yandex"], uses: Uses::empty() },
    KnownRobot { token: "YandexNews", other_names: &["yandex"], uses: Uses::empty() },
];

#[rustfmt::skip]
pub(super) const BAIDU: &[KnownRobot] = &[
    KnownRobot { token: "Baiduspider", other_names: &[], uses: Uses::empty() },
];

#[rustfmt::skip]
pub(super) const APPLE: &[KnownRobot] = &[
    KnownRobot { token: "Applebot", other_names: &[], uses: Uses::empty() },
    KnownRobot { token: "Applebot-Extended", other_names: &[], uses: Uses::empty().union(Uses::TRAIN) },
];

#[rustfmt::skip]
pub(super) const SEZNAM: &[KnownRobot] = &[
    KnownRobot { token: "SeznamBot", other_names: &[], uses: Uses::empty() },
];
