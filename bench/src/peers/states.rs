//! The states of tree construction that matter for METAs in HEAD, for peers that only tokenize.
//!
//! They are those of the HTML standard with scripting off, up to the end of HEAD. The content of a
//! TEMPLATE is read as HTML: SVG and MathML in it are not distinguished.

/// A kind of tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Html,
    Head,
    Body,
    Br,
    Base,
    /// BASEFONT, BGSOUND and LINK.
    Link,
    Meta,
    Title,
    Noscript,
    Noframes,
    Style,
    Script,
    Template,
    Textarea,
    /// IFRAME, NOEMBED and XMP.
    Xmp,
    Plaintext,
    Other,
}

/// The way in which the tokenizer must read the text after a start tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Text {
    Rcdata,
    Rawtext,
    Script,
    Plaintext,
}

/// The effect of a start tag.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Continue.
    Go,
    /// The tag is a META that is in HEAD.
    Meta,
    /// Text, up to the end tag of the same name.
    Text(Text),
    /// The HEAD has ended.
    End,
}

/// The current part of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In HEAD, or before it.
    Head,
    /// In a NOSCRIPT in HEAD.
    Noscript,
    /// After `</head>`, where some tags still go to HEAD.
    AfterHead,
}

/// The states.
pub struct HeadStates {
    place: Place,
    /// The number of open templates.
    templates: usize,
    /// Whether the text of a TITLE, a SCRIPT or the like is read.
    in_text: bool,
}

impl HeadStates {
    pub fn new() -> Self {
        Self {
            place: Place::Head,
            templates: 0,
            in_text: false,
        }
    }

    /// Takes a start tag.
    pub fn start(&mut self, tag: Kind) -> Next {
        if self.templates > 0 {
            return self.start_in_template(tag);
        }
        if self.place == Place::Noscript {
            match tag {
                Kind::Html
                | Kind::Head
                | Kind::Link
                | Kind::Meta
                | Kind::Noframes
                | Kind::Noscript
                | Kind::Style => {}
                _ => self.place = Place::Head,
            }
        }
        match tag {
            Kind::Html | Kind::Head | Kind::Base | Kind::Link => Next::Go,
            Kind::Meta => Next::Meta,
            Kind::Title => self.text(Text::Rcdata),
            Kind::Noframes | Kind::Style => self.text(Text::Rawtext),
            Kind::Script => self.text(Text::Script),
            Kind::Noscript if self.place == Place::AfterHead => Next::End,
            Kind::Noscript => {
                self.place = Place::Noscript;
                Next::Go
            }
            Kind::Template => {
                self.templates = 1;
                Next::Go
            }
            Kind::Body | Kind::Br | Kind::Textarea | Kind::Xmp | Kind::Plaintext | Kind::Other => {
                Next::End
            }
        }
    }

    fn start_in_template(&mut self, tag: Kind) -> Next {
        match tag {
            Kind::Title | Kind::Textarea => self.text(Text::Rcdata),
            Kind::Noframes | Kind::Style | Kind::Xmp => self.text(Text::Rawtext),
            Kind::Script => self.text(Text::Script),
            Kind::Plaintext => self.text(Text::Plaintext),
            Kind::Template => {
                self.templates += 1;
                Next::Go
            }
            _ => Next::Go,
        }
    }

    fn text(&mut self, text: Text) -> Next {
        self.in_text = true;
        Next::Text(text)
    }

    /// Takes an end tag. Returns whether it ends the HEAD.
    pub fn end(&mut self, tag: Kind) -> bool {
        if self.in_text {
            // The tokenizer emits no other end tag than that of the text.
            self.in_text = false;
            return false;
        }
        if self.templates > 0 {
            if tag == Kind::Template {
                self.templates -= 1;
            }
            return false;
        }
        match (self.place, tag) {
            (_, Kind::Br) => true,
            (Place::Noscript, Kind::Noscript) => {
                self.place = Place::Head;
                false
            }
            (Place::Noscript, _) => false,
            (_, Kind::Body | Kind::Html) => true,
            (_, Kind::Head) => {
                self.place = Place::AfterHead;
                false
            }
            _ => false,
        }
    }

    /// Takes characters. Returns whether they end the HEAD.
    pub fn characters(&self, text: &[u8]) -> bool {
        !self.in_text && self.templates == 0 && !text.iter().all(u8::is_ascii_whitespace)
    }
}
