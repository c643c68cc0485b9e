//! The effects of tags up to BODY, and the end of HEAD.

use super::mode::{Mode, Step};
use super::raw_text::{Content, RawText};
use super::scanner::{Scanner, Scope, State};
use super::tag_name::Name;
use crate::head::tree::LazyTreeBuilder;
use crate::page::{HeadEnd, HeadLimit, Placement};

impl Scanner {
    /// Takes a tag that has ended. `bytes` are its bytes, as far as they are wanted.
    #[inline]
    pub(super) fn complete(&mut self, bytes: &[u8], builder: &mut LazyTreeBuilder) {
        self.state = State::Data;
        let name = self.tag.name.unwrap_or(Name::Other);
        let is_raw_end = std::mem::take(&mut self.tag.ends_raw);
        if self.in_tree {
            self.tag_in_tree(name, bytes, builder);
            return;
        }
        // The end tag of a raw text element has no effect on the insertion mode.
        if is_raw_end {
            return;
        }
        let step = if self.tag.is_end {
            self.insertion.end(name)
        } else {
            self.insertion.start(name)
        };
        match step {
            Step::Void if name == Name::Meta => self.meta(bytes, Placement::Head),
            Step::Void
                if name == Name::Link && self.collector.wants_link() && self.tag.is_kept() =>
            {
                // A kept LINK may be wanted. One that is too long to be read is counted, unless its first bytes show that it is
                // not.
                if self.tag.is_readable() {
                    self.collector.link(&self.tag.text(bytes));
                } else if self.tag.may_be_wanted_link(bytes) {
                    self.overlong_tags += 1;
                }
            }
            Step::Nothing | Step::Void => {}
            Step::Raw(element) => {
                self.state = State::Raw(Content::new(element));
                self.in_title =
                    element == RawText::Title && self.collector.begin_title(self.tag.offset);
            }
            Step::Template => {
                self.enter_tree(self.insertion.mode, self.tag.offset, builder);
                self.tag_in_tree(name, bytes, builder);
            }
            Step::End => {
                let end = HeadEnd::Tag {
                    name: self.tag.owned_name(bytes, self.encoding.encoding()),
                    offset: self.tag.offset,
                };
                let consumed = self.tag.offset + self.tag.length;
                self.end_head(end, self.tag.offset, consumed, builder);
                // Where the whole document is read, the tag is the first after HEAD.
                if !self.is_done {
                    self.tag_in_tree(name, bytes, builder);
                }
            }
        }
    }

    /// Takes a META, with its placement in the document.
    pub(super) fn meta(&mut self, bytes: &[u8], placement: Placement) {
        let text = self.tag.text(bytes);
        let taken = if self.tag.is_overlong_meta() {
            Err(HeadLimit::MetaBytes)
        } else {
            let keys = text.keys();
            if placement == Placement::Head {
                self.encoding.read_meta(&keys);
            }
            self.collector.meta(&text, &keys, placement)
        };
        if let Err(limit) = taken {
            self.stop(HeadEnd::Limit(limit), self.tag.offset);
        }
    }

    /// Ends the HEAD at `from`. If only the HEAD is read, this ends reading, and `consumed` is the number
    /// of bytes that were read.
    pub(super) fn end_head(
        &mut self,
        end: HeadEnd,
        from: usize,
        consumed: usize,
        builder: &mut LazyTreeBuilder,
    ) {
        if self.scope == Scope::Document {
            self.text_end = (end == HeadEnd::Text).then_some(from);
            self.end = Some(end);
            self.enter_tree(Mode::AfterHead, from, builder);
        } else {
            self.stop(end, consumed);
        }
    }

    /// Ends reading after `consumed` bytes of the page.
    pub(super) fn stop(&mut self, end: HeadEnd, consumed: usize) {
        if !self.is_done {
            self.is_done = true;
            self.consumed = consumed;
            // A limit that is exceeded after HEAD replaces the end of HEAD.
            self.end = Some(end);
        }
    }
}
