//! A decision told to people.

use super::Decision;
use super::reason::{Field, Printable};
use crate::profile::Profile;
use robots_meta::{ImagePreview, Limit};
use std::fmt;

impl Decision {
    /// The decision for people: a line for each field, its reasons below it, then the warnings.
    pub fn explain(&self) -> Explanation<'_> {
        Explanation { decision: self }
    }

    /// Each field with its value as text.
    fn values(&self) -> [(Field, String); 20] {
        fn or_unknown<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
            value.map_or_else(|| "unknown".to_owned(), text)
        }
        fn or_none<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
            value.map_or_else(|| "-".to_owned(), text)
        }
        let list = |values: &mut dyn Iterator<Item = String>| {
            let values: Vec<String> = values.collect();
            or_none((!values.is_empty()).then_some(values), |values| {
                values.join(", ")
            })
        };
        let limit = |limit| match limit {
            Limit::AtMost(most) => most.to_string(),
            Limit::Unlimited => "unlimited".to_owned(),
        };
        let image = |size| match size {
            ImagePreview::None => "none".to_owned(),
            ImagePreview::Standard => "standard".to_owned(),
            _ => "large".to_owned(),
        };
        let embedded = if self.index_if_embedded { "yes" } else { "no" };
        [
            (Field::Fetch, self.fetch.to_string()),
            (Field::PageLayer, self.page_layer.to_string()),
            (Field::Index, self.index.to_string()),
            (Field::IndexIfEmbedded, embedded.to_owned()),
            (Field::Follow, self.follow.to_string()),
            (Field::Archive, self.archive.to_string()),
            (Field::Snippet, or_unknown(self.snippet, limit)),
            (Field::ImagePreview, or_unknown(self.image_preview, image)),
            (Field::VideoPreview, or_unknown(self.video_preview, limit)),
            (Field::ImageIndex, self.image_index.to_string()),
            (Field::Translate, self.translate.to_string()),
            (
                Field::ExpiresAt,
                or_none(self.expires_at, |moment| moment.to_string()),
            ),
            (
                Field::CrawlDelay,
                or_none(self.crawl_delay, |delay| format!("{delay:?}")),
            ),
            (
                Field::RequestRates,
                list(&mut self.request_rates.iter().map(ToString::to_string)),
            ),
            (
                Field::VisitTime,
                or_none(self.visit_time, |hours| hours.to_string()),
            ),
            (
                Field::RevisitAfter,
                or_none(self.revisit_after, |revisit| revisit.to_string()),
            ),
            (Field::AiTrain, self.ai_train.to_string()),
            (Field::AiInput, self.ai_input.to_string()),
            (Field::AiSearch, self.ai_search.to_string()),
            (
                Field::Licenses,
                list(&mut self.licenses.iter().map(|url| Printable(url).to_string())),
            ),
        ]
    }
}

/// A decision as text for people. See [`Decision::explain`].
#[derive(Debug, Clone, Copy)]
pub struct Explanation<'a> {
    decision: &'a Decision,
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = self.decision;
        write!(f, "{} for {}", Printable(&decision.url), decision.agent)?;
        if decision.profile != Profile::NEUTRAL {
            write!(f, " as of {}", decision.profile)?;
        }
        writeln!(f)?;
        for (field, value) in decision.values() {
            writeln!(f, "  {field:<17} {value}")?;
            for reason in decision.reasons_for(field) {
                writeln!(
                    f,
                    "    {:<9} {}: {}",
                    reason.effect,
                    reason.source,
                    Printable(&reason.text)
                )?;
            }
        }
        for warning in &decision.warnings {
            writeln!(f, "  warning: {warning}")?;
        }
        Ok(())
    }
}
