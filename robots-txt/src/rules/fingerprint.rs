//! A name for rules that equal rules share, and no others: so that what millions of hosts say in
//! the same words is kept once.

use super::Rules;
use sha2::{Digest, Sha256};
use std::fmt;

/// The SHA-256 of rules as bytes ([`Rules::to_bytes`]). See [`Rules::fingerprint`].
///
/// It is a cryptographic hash because hosts choose their bytes: with another, one host could make
/// rules that are taken for another's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 32]);

impl Rules {
    /// The name under which equal rules can be kept once. Costs what
    /// [`to_bytes`](Self::to_bytes) costs, and a hash of its bytes.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt};
    /// use std::collections::HashMap;
    ///
    /// let mut kept = HashMap::new();
    /// let mut of_host = HashMap::new();
    /// for (host, body) in [
    ///     ("a.example", "User-agent: *\nDisallow: /wp-admin/"),
    ///     ("b.example", "User-Agent:*\r\nDisallow:/wp-admin/ # as everywhere"),
    ///     ("c.example", "User-agent: *\nDisallow: /"),
    /// ] {
    ///     let rules = RobotsTxt::parse(body.as_bytes()).rules("ExampleBot", &Dialect::RFC9309);
    ///     of_host.insert(host, rules.fingerprint());
    ///     kept.entry(rules.fingerprint()).or_insert_with(|| rules.to_bytes());
    /// }
    /// assert_eq!(kept.len(), 2);
    /// assert_eq!(of_host["a.example"], of_host["b.example"]);
    /// ```
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(Sha256::digest(self.to_bytes()).into())
    }
}

impl Fingerprint {
    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    /// 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, RobotsTxt, Rules};

    #[test]
    fn equal_rules_share_it_and_no_others() {
        let of = |body: &str, dialect: &Dialect| {
            let rules = RobotsTxt::parse(body.as_bytes()).rules("a", dialect);
            let loaded = Rules::from_bytes(&rules.to_bytes(), dialect).unwrap();
            assert_eq!(loaded.fingerprint(), rules.fingerprint());
            rules.fingerprint()
        };
        let rfc = Dialect::RFC9309;
        let one = of("User-agent: *\nDisallow: /a\n", &rfc);
        assert_eq!(of("user-agent:*\r\ndisallow:/a#x", &rfc), one);
        for other in [
            "User-agent: *\nDisallow: /b\n",
            "User-agent: *\nAllow: /a\n",
            "User-agent: *\n\nDisallow: /a\n",
            "User-agent: a\nDisallow: /a\n",
            "User-agent: *\nDisallow: /a\nCrawl-delay: 1",
        ] {
            assert_ne!(of(other, &rfc), one, "{other}");
        }
        assert_ne!(of("User-agent: *\nDisallow: /a\n", &Dialect::GOOGLE), one);
        assert_eq!(one.to_string().len(), 64);
        assert_eq!(
            one.to_string().get(..2),
            Some(&*format!("{:02x}", one.as_bytes()[0]))
        );
    }
}
