//! The elements with `data-nosnippet` that no end tag has closed.
//!
//! Only tags of the names of such elements are counted, each name alone: an element is closed by the end tag that closes all tags of
//! its name after it. Constant time for each tag.

/// The elements of one name that are open, from the first with the attribute on.
#[derive(Debug, Default)]
struct OfName {
    /// The number of start tags without their end tags.
    depth: usize,
    /// The elements with the attribute: the depth inside of each, and the offset of its tag.
    marked: Vec<(usize, u32)>,
}

/// The open elements, by name.
#[derive(Debug, Default)]
pub(crate) struct OpenElements {
    span: OfName,
    div: OfName,
    section: OfName,
}

impl OpenElements {
    /// Takes a start tag.
    pub(crate) fn start_tag(&mut self, name: &str) {
        if let Some(of_name) = self.of_name(name)
            && !of_name.marked.is_empty()
        {
            of_name.depth += 1;
        }
    }

    /// Marks the element of the last start tag, which has the attribute.
    pub(crate) fn mark(&mut self, name: &str, offset: u32) {
        if let Some(of_name) = self.of_name(name) {
            if of_name.marked.is_empty() {
                of_name.depth = 1;
            }
            of_name.marked.push((of_name.depth, offset));
        }
    }

    /// Takes an end tag.
    pub(crate) fn end_tag(&mut self, name: &str) {
        let Some(of_name) = self.of_name(name) else {
            return;
        };
        let is_closed = of_name.marked.last();
        if is_closed.is_some_and(|(depth, _)| *depth == of_name.depth) {
            of_name.marked.pop();
        }
        of_name.depth = of_name.depth.saturating_sub(1);
    }

    /// Returns the offsets of the elements that are open, in order.
    pub(crate) fn offsets(&self) -> Vec<u32> {
        let all = [&self.span, &self.div, &self.section].into_iter();
        let mut offsets: Vec<u32> = all
            .flat_map(|of_name| &of_name.marked)
            .map(|(_, offset)| *offset)
            .collect();
        offsets.sort_unstable();
        offsets
    }

    fn of_name(&mut self, name: &str) -> Option<&mut OfName> {
        match name {
            "span" => Some(&mut self.span),
            "div" => Some(&mut self.div),
            "section" => Some(&mut self.section),
            _ => None,
        }
    }
}
