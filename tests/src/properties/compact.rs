//! Bytes after the header of stored rules: loading returns an error or rules, and loaded rules are
//! written and loaded again as the same rules.
use robots_txt::{Dialect, RobotsTxt, Rules, Target};

/// The bytes that identify the format, its version and the dialect.
const HEAD: usize = 6;

/// Checks one input.
pub fn check(data: &[u8]) {
    let target = Target::new("https://example.com/a/b?c");
    for dialect in [
        Dialect::RFC9309,
        Dialect::CONNER_1996,
        Dialect::WWW_ROBOT_RULES,
    ] {
        let mut bytes = RobotsTxt::parse(b"").rules("a", &dialect).to_bytes();
        bytes.truncate(HEAD);
        bytes.extend(data);
        for bytes in [&bytes[..], data] {
            let Ok(rules) = Rules::from_bytes(bytes, &dialect) else {
                continue;
            };
            let written = rules.to_bytes();
            let again = Rules::from_bytes(&written, &dialect).expect("just written");
            assert_eq!(again.to_bytes(), written);
            assert_eq!(
                again.verdict(&target).to_string(),
                rules.verdict(&target).to_string()
            );
        }
    }
}
