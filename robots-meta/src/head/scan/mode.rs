//! The insertion modes up to BODY: the effect of a tag on a HEAD (HTML, 13.2.6.4.1 to 13.2.6.4.6,
//! read 2026-11-21).
//!
//! Until BODY or FRAMESET is created, four states of the standard's tree builder suffice ([`Mode`]), and
//! every tag has one of a few effects ([`Step`]). This is exact except inside a TEMPLATE, whose content
//! may be in any mode of the standard.

use super::raw_text::RawText;
use super::tag_name::Name;

/// The state of the tree builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// HEAD has not begun: "initial", "before html" and "before head" do the same.
    BeforeHead,
    InHead,
    /// In a NOSCRIPT in HEAD, with scripting off.
    InNoscript,
    AfterHead,
}

/// The effect of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing that matters to HEAD.
    Nothing,
    /// An element in HEAD that has no content: `meta`, `link` and their like.
    Void,
    /// An element in HEAD whose content is text up to its end tag.
    Raw(RawText),
    /// A template in HEAD begins.
    Template,
    /// HEAD is over: a BODY or FRAMESET is created.
    End,
}

/// The insertion mode, and whether scripts would be run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InsertionMode {
    pub(crate) mode: Mode,
    pub(crate) scripting: bool,
}

impl InsertionMode {
    /// Takes a start tag.
    #[inline]
    pub(crate) fn start(&mut self, name: Name) -> Step {
        if self.mode == Mode::InNoscript {
            match name {
                Name::Html | Name::Head | Name::Noscript => return Step::Nothing,
                Name::Basefont
                | Name::Bgsound
                | Name::Link
                | Name::Meta
                | Name::Noframes
                | Name::Style => {}
                // Anything else ends the NOSCRIPT.
                _ => self.mode = Mode::InHead,
            }
        }
        // An element that belongs in HEAD begins HEAD, and is put there even after the end of HEAD.
        let step = match name {
            Name::Base | Name::Basefont | Name::Bgsound | Name::Link | Name::Meta => Step::Void,
            Name::Script => Step::Raw(RawText::Script),
            Name::Style => Step::Raw(RawText::Style),
            Name::Title => Step::Raw(RawText::Title),
            Name::Noframes => Step::Raw(RawText::Noframes),
            Name::Template => Step::Template,
            Name::Noscript if self.mode != Mode::AfterHead => {
                if self.scripting {
                    Step::Raw(RawText::Noscript)
                } else {
                    self.mode = Mode::InNoscript;
                    return Step::Nothing;
                }
            }
            Name::Html => return Step::Nothing,
            Name::Head => {
                if self.mode == Mode::BeforeHead {
                    self.mode = Mode::InHead;
                }
                return Step::Nothing;
            }
            _ => return Step::End,
        };
        if self.mode == Mode::BeforeHead {
            self.mode = Mode::InHead;
        }
        step
    }

    /// Takes an end tag. End tags of raw text elements are not passed here.
    #[inline]
    pub(crate) fn end(&mut self, name: Name) -> Step {
        match (self.mode, name) {
            (Mode::InNoscript, Name::Noscript) => {
                self.mode = Mode::InHead;
                Step::Nothing
            }
            // `</br>` is read as `<br>`.
            (_, Name::Br) => Step::End,
            // In a NOSCRIPT all other end tags are ignored.
            (Mode::InNoscript, _) => Step::Nothing,
            (Mode::BeforeHead | Mode::InHead, Name::Head) => {
                self.mode = Mode::AfterHead;
                Step::Nothing
            }
            (_, Name::Body | Name::Html) => Step::End,
            _ => Step::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn modes(mode: Mode) -> InsertionMode {
        InsertionMode {
            mode,
            scripting: false,
        }
    }

    #[test]
    fn an_element_of_head_begins_it() {
        for name in [Name::Meta, Name::Title, Name::Template, Name::Script] {
            let mut modes = modes(Mode::BeforeHead);
            assert_ne!(modes.start(name), Step::End);
            assert_eq!(modes.mode, Mode::InHead);
        }
        assert_eq!(modes(Mode::BeforeHead).start(Name::Other), Step::End);
    }

    #[test]
    fn after_head_a_noscript_is_body_and_a_meta_is_not() {
        let mut modes = modes(Mode::BeforeHead);
        assert_eq!(modes.end(Name::Head), Step::Nothing);
        assert_eq!(modes.mode, Mode::AfterHead);
        assert_eq!(modes.start(Name::Meta), Step::Void);
        assert_eq!(modes.start(Name::Head), Step::Nothing);
        assert_eq!(modes.end(Name::Head), Step::Nothing);
        assert_eq!(modes.start(Name::Noscript), Step::End);
    }

    #[test]
    fn noscript_ends_at_a_tag_that_it_cannot_contain() {
        let mut modes = modes(Mode::InHead);
        assert_eq!(modes.start(Name::Noscript), Step::Nothing);
        assert_eq!(modes.start(Name::Link), Step::Void);
        assert_eq!(modes.end(Name::Head), Step::Nothing);
        assert_eq!(modes.end(Name::Body), Step::Nothing);
        assert_eq!(modes.mode, Mode::InNoscript);
        assert_eq!(modes.start(Name::Title), Step::Raw(RawText::Title));
        assert_eq!(modes.mode, Mode::InHead);
        modes.mode = Mode::InNoscript;
        assert_eq!(modes.end(Name::Br), Step::End);
    }
}
