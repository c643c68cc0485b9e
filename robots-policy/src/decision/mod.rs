//! The decision: permissions of a robot for a page, with reasons (`docs/semantics.md`, section 8.5).

pub(crate) mod draft;
mod explain;
pub(crate) mod fields;
pub(crate) mod reason;
#[cfg(feature = "schema")]
mod schema;
#[cfg(feature = "serde")]
mod serialized;

pub use crate::answer::{AiUse, Fetch, FollowLink, Index, PageLayer, Permission};
pub use explain::Explanation;
pub use fields::{Column, Value, ValueType};
pub use reason::{Effect, Reason, Source, Warning, WarningKind};

#[cfg(feature = "serde")]
use self::fields::EXPLAINING;
use self::fields::{FieldType, IDENTITY, SUMMARY, TRAINING_REASON};
use crate::profile::LinkRule;
use robots_meta::Timestamp;
use robots_meta::value::{ImagePreview, Limit, Rel, RevisitAfter};
use robots_txt::extension::{RequestRate, Window};
use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;

/// Defines the fields of a decision, once: their names, types, descriptions and serialised forms.
macro_rules! fields {
    (
        $(#[doc = $about:literal] $(#[$attribute:meta])* $field:ident $name:ident: $type:ty;)*
    ) => {
        /// A decision: the permissions of a robot for a page, with reasons.
        ///
        /// Serialised (feature `serde`), it is one flat object with these names; `reasons` and `warnings`
        /// are arrays of flat objects. Limits are integers, with -1 for no limit; times are RFC 3339;
        /// `crawl_delay` is in seconds, `revisit_after` in days; rates and visit times are written as in
        /// robots.txt (`100/900s 0800-1600`, `2200-0400`). The form has a [`version`](Self::version)
        /// and a JSON Schema (`decision::SCHEMA`). A decision that is
        /// read back is equal, except for the line numbers of rates and the unit of `revisit_after`.
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        pub struct Decision {
            /// The version of this form, [`Decision::VERSION`]: it changes when a field is removed or
            /// changes its meaning, not when a field or word is added.
            #[cfg_attr(feature = "serde", serde(deserialize_with = "serialized::version"))]
            pub version: u32,
            /// The URL, as it was given.
            pub url: String,
            /// The robot.
            pub agent: String,
            /// The profile of the decision.
            pub profile: String,
            $(#[doc = $about] $(#[$attribute])* pub $name: $type,)*
            /// The reasons, field by field.
            pub reasons: Vec<Reason>,
            /// The warnings.
            pub warnings: Vec<Warning>,
            /// The effect of `rel` on links under the profile.
            #[cfg_attr(feature = "serde", serde(skip))]
            pub(crate) link_rule: UncomparedLinkRule,
        }

        /// A field of a [`Decision`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        pub enum Field {
            $(#[doc = $about] $field,)*
        }

        impl Field {
            /// All fields, in the order of a decision.
            pub const ALL: &[Self] = &[$(Self::$field,)*];

            /// Returns the name, as it is serialised.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$field => stringify!($name),)*
                }
            }

            /// Returns whether two decisions have the same value.
            pub fn is_same(self, one: &Decision, other: &Decision) -> bool {
                match self {
                    $(Self::$field => one.$name == other.$name,)*
                }
            }

            /// Returns the value of a decision as text for people.
            pub fn text(self, decision: &Decision) -> String {
                match self {
                    $(Self::$field => decision.$name.text(),)*
                }
            }
        }

        /// The columns of the fields.
        const FIELDS: &[Column] = &[
            $(Column::of::<$type>(stringify!($name), $about, |decision| decision.$name.value()),)*
        ];
    };
}

fields! {
    /// Whether the URL may be fetched.
    Fetch fetch: Fetch;
    /// Whether the page's own statements were read.
    PageLayer page_layer: PageLayer;
    /// Whether the page may be indexed.
    Index index: Index;
    /// Whether the page may be indexed as a part of a page that embeds it, though not by itself.
    IndexIfEmbedded index_if_embedded: bool;
    /// Whether the links of the page may be followed.
    Follow follow: Permission;
    /// Whether a copy may be kept and shown.
    Archive archive: Permission;
    /// The number of characters of its text that may be shown; no value if that is not known.
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    Snippet snippet: Option<Limit>;
    /// The maximum size of a preview image; no value if that is not known.
    #[cfg_attr(feature = "schema", schemars(with = "Option<ImageSize>"))]
    ImagePreview image_preview: Option<ImagePreview>;
    /// The number of seconds of its videos that may be shown; no value if that is not known.
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    VideoPreview video_preview: Option<Limit>;
    /// Whether its images may be indexed.
    ImageIndex image_index: Permission;
    /// Whether a translation may be offered.
    Translate translate: Permission;
    /// The moment after which the page must not be shown (`unavailable_after`).
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    ExpiresAt expires_at: Option<Timestamp>;
    /// The time between two requests that robots.txt asks for, in seconds.
    #[cfg_attr(feature = "serde", serde(default, with = "serialized::optional"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    CrawlDelay crawl_delay: Option<Duration>;
    /// The rates at which robots.txt allows requests; several may apply at different hours.
    #[cfg_attr(feature = "serde", serde(with = "serialized::list"))]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    RequestRates request_rates: Vec<RequestRate>;
    /// The hours in which robots.txt allows visits, in UTC.
    #[cfg_attr(feature = "serde", serde(default, with = "serialized::optional"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    VisitTime visit_time: Option<Window>;
    /// The time after which the author asks the robot to come back, in days.
    #[cfg_attr(feature = "serde", serde(default, with = "serialized::optional"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    RevisitAfter revisit_after: Option<RevisitAfter>;
    /// Whether statements allow training models with the page; unknown if there are none.
    AiTrain ai_train: AiUse;
    /// Whether the page may be input to a model that answers.
    AiInput ai_input: AiUse;
    /// Whether search may find the page, by the statements that concern AI.
    AiSearch ai_search: AiUse;
    /// The URLs of terms of use, as written.
    Licenses licenses: Vec<String>;
    /// Whether models may be trained with the page: yes if it may be fetched and was read, and nothing forbids it.
    MayTrain may_train: Permission;
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The link rule of a decision's profile; `None` in a decision that was read back.
///
/// Any two are equal, so that a decision that was read back equals the original.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct UncomparedLinkRule(pub(crate) Option<LinkRule>);

impl PartialEq for UncomparedLinkRule {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The words of [`ImagePreview`], for the schema.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its names are read, for the schema")]
enum ImageSize {
    None,
    Standard,
    Large,
}

/// The JSON Schema (draft 2020-12) of a serialised decision: the text of `decision.schema.json`. With the feature
/// `schema`, `Decision::schema` makes it from the types.
#[cfg(feature = "serde")]
pub const SCHEMA: &str = include_str!("../../decision.schema.json");

impl Decision {
    /// The version of the serialised form. A decision of another one is not read back.
    pub const VERSION: u32 = 1;

    /// Returns the columns of a table of decisions, in order: the URL, the robot and the profile, the
    /// [`Field`]s but the last, summaries of reasons and warnings, and [`Field::MayTrain`] with its reason.
    pub fn columns() -> &'static [Column] {
        static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
            let (others, may_train) = FIELDS.split_at(FIELDS.len() - 1);
            [&IDENTITY, others, &SUMMARY, may_train, &[TRAINING_REASON]].concat()
        });
        &COLUMNS
    }

    /// Returns the columns that hold all reasons and warnings, as JSON: `reasons_json`,
    /// `warnings_json`.
    #[cfg(feature = "serde")]
    pub fn explaining_columns() -> &'static [Column] {
        &EXPLAINING
    }

    /// Returns whether the URL may be fetched now. `false` for [`Fetch::Unknown`]: a careful crawler
    /// requests robots.txt first. `false` for [`Fetch::Defer`]: it tries again later.
    pub fn may_fetch(&self) -> bool {
        self.fetch == Fetch::Allow
    }

    /// Returns whether the page may be indexed, with its content. `false` for [`Index::Unknown`]: a
    /// careful crawler waits until robots.txt and the page were read. `false` for [`Index::UrlOnly`]: the bare
    /// URL may be listed.
    pub fn may_index(&self) -> bool {
        self.index == Index::Yes
    }

    /// Returns whether the links of the page may be followed. `false` for [`Permission::Unknown`]: a
    /// careful crawler waits until robots.txt and the page were read. For one link, see
    /// [`follow_link`](Self::follow_link).
    pub fn may_follow(&self) -> bool {
        self.follow == Permission::Yes
    }

    /// Returns whether a copy may be kept and shown. `false` for [`Permission::Unknown`]: a careful
    /// crawler keeps no copy until robots.txt and the page were read.
    pub fn may_archive(&self) -> bool {
        self.archive == Permission::Yes
    }

    /// Returns a decision with everything undecided.
    pub(crate) fn unknown(url: &str, agent: &str) -> Self {
        Self {
            version: Self::VERSION,
            url: url.to_owned(),
            agent: agent.to_owned(),
            profile: String::new(),
            fetch: Fetch::Unknown,
            page_layer: PageLayer::Unknown,
            index: Index::Unknown,
            index_if_embedded: false,
            follow: Permission::Unknown,
            archive: Permission::Unknown,
            snippet: None,
            image_preview: None,
            video_preview: None,
            image_index: Permission::Unknown,
            translate: Permission::Unknown,
            expires_at: None,
            crawl_delay: None,
            request_rates: Vec::new(),
            visit_time: None,
            revisit_after: None,
            ai_train: AiUse::Unknown,
            ai_input: AiUse::Unknown,
            ai_search: AiUse::Unknown,
            licenses: Vec::new(),
            may_train: Permission::Unknown,
            reasons: Vec::new(),
            warnings: Vec::new(),
            link_rule: UncomparedLinkRule::default(),
        }
    }

    /// Returns the reasons of one field, in order.
    pub fn reasons_for(&self, field: Field) -> impl Iterator<Item = &Reason> {
        self.reasons
            .iter()
            .filter(move |reason| reason.field == field)
    }

    /// Returns the statement that decides a field, if reasons were collected and one does.
    pub fn deciding_reason(&self, field: Field) -> Option<&Reason> {
        self.reasons_for(field)
            .find(|reason| reason.effect == Effect::Decides)
    }

    /// Returns whether a link of the page may be followed, by its `rel` (`docs/semantics.md`, sections
    /// 5.8 and 8.5). Whether its target may be fetched is another decision.
    ///
    /// The effect of `rel` depends on the profile and is not serialised. For a decision that was read back, it is that
    /// of the built-in profile with the same name as [`profile`](Self::profile). If no built-in profile has this name,
    /// a link with any token of [`Rel`] may not be followed.
    ///
    /// ```
    /// use robots_policy::robots_meta::value::Rel;
    /// use robots_policy::{Policy, Profile, RobotsFetch};
    /// use robots_policy::decision::FollowLink;
    ///
    /// let google = Policy::under(&Profile::google(), "Googlebot")?;
    /// google.learn("https://example.com/", RobotsFetch::Status(404))?;
    /// let decision = google.decide("https://example.com/", b"<body>");
    /// assert_eq!(decision.follow_link(Rel::parse("nofollow ugc")), FollowLink::HintNo);
    /// assert_eq!(decision.follow_link(Rel::parse("noopener")), FollowLink::Yes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn follow_link(&self, rel: Rel) -> FollowLink {
        let link_rule = self
            .link_rule
            .0
            .unwrap_or_else(|| LinkRule::of_built_in(&self.profile));
        match (self.follow, link_rule) {
            (Permission::No, _) => FollowLink::No,
            (_, LinkRule::Strict) if !rel.is_empty() => FollowLink::No,
            (Permission::Unknown, _) => FollowLink::Unknown,
            (_, LinkRule::Hint) if !rel.is_empty() => FollowLink::HintNo,
            _ => FollowLink::Yes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_is_a_permission() {
        let mut decision = Decision::unknown("", "");
        assert!(!decision.may_fetch() && !decision.may_index());
        assert!(!decision.may_follow() && !decision.may_archive());
        decision.fetch = Fetch::Defer;
        decision.index = Index::UrlOnly;
        assert!(!decision.may_fetch() && !decision.may_index());
        decision.fetch = Fetch::Allow;
        decision.index = Index::Yes;
        decision.follow = Permission::Yes;
        decision.archive = Permission::Yes;
        assert!(decision.may_fetch() && decision.may_index());
        assert!(decision.may_follow() && decision.may_archive());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_serialised_decision_is_the_same() {
        let robots =
            b"User-agent: *\nCrawl-delay: 5\nRequest-rate: 1/10 0600-0845\nVisit-time: 0600-0845\n";
        let html =
            "<meta name=robots content='max-snippet:20'><meta name=revisit-after content='7 days'>";
        let policy = crate::Policy::new("ExampleBot").unwrap();
        let url = "https://a.example/x";
        policy.learn(url, crate::RobotsFetch::Body(robots)).unwrap();
        let decision = policy.decide(url, html);
        assert!(decision.visit_time.is_some() && decision.revisit_after.is_some());
        let text = serde_json::to_string(&decision).unwrap();
        let read: Decision = serde_json::from_str(&text).unwrap();
        assert_eq!(read.visit_time, decision.visit_time);
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }

    #[test]
    fn lists_have_items() {
        let decision = Decision {
            licenses: vec!["https://a.example/terms".to_owned(), "b; c".to_owned()],
            ..Decision::unknown("https://example.com/", "a")
        };
        let lists = Decision::columns().iter().filter_map(|column| {
            let is_list = column.value_type() == ValueType::List;
            match column.value(&decision) {
                Value::List(items) if is_list => Some((column.name(), items.len())),
                value => {
                    assert!(!is_list && !matches!(value, Value::List(_)), "{column:?}");
                    None
                }
            }
        });
        assert_eq!(
            lists.collect::<Vec<_>>(),
            [("request_rates", 0), ("licenses", 2)]
        );
    }

    #[test]
    fn page_and_rel_decide_about_a_link() {
        let follow = |link_rule, follow, rel: &str| {
            let decision = Decision {
                follow,
                link_rule: UncomparedLinkRule(Some(link_rule)),
                ..Decision::unknown("", "")
            };
            decision.follow_link(Rel::parse(rel))
        };
        let (strict, hint) = (LinkRule::Strict, LinkRule::Hint);
        for rule in [strict, hint] {
            assert_eq!(follow(rule, Permission::Yes, ""), FollowLink::Yes);
            assert_eq!(follow(rule, Permission::No, ""), FollowLink::No);
            assert_eq!(follow(rule, Permission::No, "ugc"), FollowLink::No);
            assert_eq!(follow(rule, Permission::Unknown, ""), FollowLink::Unknown);
        }
        for rel in ["nofollow", "UGC noopener", "sponsored nofollow"] {
            assert_eq!(follow(strict, Permission::Yes, rel), FollowLink::No);
            assert_eq!(follow(strict, Permission::Unknown, rel), FollowLink::No);
            assert_eq!(follow(hint, Permission::Yes, rel), FollowLink::HintNo);
            assert_eq!(follow(hint, Permission::Unknown, rel), FollowLink::Unknown);
        }
    }
}
