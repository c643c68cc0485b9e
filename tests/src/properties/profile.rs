//! A profile file, a tdmrep.json and a licence of RSL: a valid profile is written and read again as the same profile; a licence is read or
//! unread, and permits nothing that it prohibits; reading never panics.
use robots_policy::Profile;
use robots_policy::decision::AiUse;
use robots_policy::site::{Rsl, RslUses, Tdmrep};
use robots_txt::Target;

/// Checks one input.
pub fn check(data: &[u8]) {
    if let Ok(tdmrep) = Tdmrep::parse(data) {
        let _ = tdmrep.for_target(&Target::new("/a/b"));
    }
    let license = Rsl::read(data);
    assert_eq!(license.unread().is_some(), Rsl::parse(data).is_err());
    let terms = license.for_page("https://example.com/a/b");
    for uses in RslUses::all().iter() {
        if let Some(term) = terms.of(uses) {
            let text = term.to_string();
            assert_eq!(
                text.starts_with("permits"),
                term.answer() != AiUse::Disallow && !text.starts_with("has")
            );
        }
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match Profile::from_toml(text) {
        Ok(profile) => assert_eq!(Profile::from_toml(&profile.to_toml()), Ok(profile)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
