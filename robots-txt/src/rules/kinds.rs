//! Kinds of bytes: a pattern that has a kind outside its stars which a path lacks cannot match the path.

/// A set of kinds of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u64);

/// For each byte, its kind. Letters and digits, which make up most of a path, have their own 36 kinds, with case ignored;
/// other bytes share the remaining 28.
const KIND: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = match byte {
            b'a'..=b'z' => byte - b'a',
            b'A'..=b'Z' => byte - b'A',
            b'0'..=b'9' => byte - b'0' + 26,
            _ => byte % 28 + 36,
        };
        match byte.checked_add(1) {
            Some(next) => byte = next,
            None => break table,
        }
    }
};

impl Kinds {
    /// Every kind.
    pub(super) const ALL: Self = Self(u64::MAX);

    /// Returns the kinds of some bytes.
    #[inline]
    pub(super) fn of<'b>(bytes: impl IntoIterator<Item = &'b u8>) -> Self {
        Self(
            bytes
                .into_iter()
                .fold(0, |kinds, &byte| kinds | 1 << KIND[usize::from(byte)]),
        )
    }

    /// Returns whether the set has every kind of another one.
    #[inline]
    pub(super) fn has_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_and_digit_has_a_kind_of_its_own() {
        let bytes: Vec<u8> = (b'a'..=b'z').chain(b'0'..=b'9').collect();
        for one in &bytes {
            for other in 0..=u8::MAX {
                let is_same = one.eq_ignore_ascii_case(&other);
                assert_eq!(Kinds::of([one]) == Kinds::of([&other]), is_same);
            }
        }
    }

    #[test]
    fn a_set_has_the_kinds_of_its_parts() {
        let path = Kinds::of(b"/a/b.html?c=1");
        assert!(path.has_all(Kinds::of(b".HTML?")));
        assert!(path.has_all(Kinds::of(b"")));
        assert!(!path.has_all(Kinds::of(b"&")));
        assert!(!path.has_all(Kinds::of(b"/d")));
        assert!(Kinds::ALL.has_all(Kinds::of(&(0..=u8::MAX).collect::<Vec<_>>())));
    }
}
