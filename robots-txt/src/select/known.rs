//! The robots that obey groups of other names, or to which `*` does not apply.
// Generated from robots-policy/agents.toml: edit that, then run
// `UPDATE=1 cargo test -p robots-tests --test agents`.

/// A robot whose groups depend on more than its name.
pub(super) struct KnownRobot {
    pub(super) token: &'static str,
    /// The names whose groups it obeys if its own has none, in order.
    pub(super) others: &'static [&'static str],
    pub(super) takes_star: bool,
}

#[rustfmt::skip]
pub(super) const KNOWN: &[KnownRobot] = &[
    KnownRobot { token: "Googlebot-Image", others: &["Googlebot"], takes_star: true },
    KnownRobot { token: "Googlebot-Video", others: &["Googlebot"], takes_star: true },
    KnownRobot { token: "Googlebot-News", others: &["Googlebot"], takes_star: true },
    KnownRobot { token: "Google-CloudVertexBot", others: &["Googlebot"], takes_star: true },
    KnownRobot { token: "Google-Extended", others: &[], takes_star: false },
    KnownRobot { token: "AdsBot-Google", others: &[], takes_star: false },
    KnownRobot { token: "AdsBot-Google-Mobile", others: &[], takes_star: false },
    KnownRobot { token: "AdsBot-Google-Mobile-Apps", others: &[], takes_star: false },
    KnownRobot { token: "Mediapartners-Google", others: &[], takes_star: false },
    KnownRobot { token: "APIs-Google", others: &[], takes_star: false },
    KnownRobot { token: "Google-Display-Ads-Bot", others: &[], takes_star: false },
    KnownRobot { token: "bingbot", others: &["msnbot"], takes_star: true },
    KnownRobot { token: "YandexBot", others: &["Yandex"], takes_star: true },
    KnownRobot { token: "YandexImages", others: &["Yandex"], takes_star: true },
    KnownRobot { token: "YandexVideo", others: &["Yandex"], takes_star: true },
    KnownRobot { token: "YandexNews", others: &["Yandex"], takes_star: true },
    KnownRobot { token: "YandexAdditional", others: &["Yandex"], takes_star: true },
    KnownRobot { token: "YandexAdditionalBot", others: &["Yandex"], takes_star: true },
    KnownRobot { token: "Applebot", others: &["Googlebot"], takes_star: true },
    KnownRobot { token: "Applebot-Extended", others: &[], takes_star: false },
    KnownRobot { token: "TavilyBot", others: &["Googlebot"], takes_star: true },
    KnownRobot { token: "ImagesiftBot", others: &["Googlebot"], takes_star: true },
];
