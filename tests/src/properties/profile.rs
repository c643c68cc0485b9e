//! A profile file and a tdmrep.json: a valid profile is written and read again as the same profile; reading never panics.
use robots_policy::Profile;
use robots_policy::site::Tdmrep;
use robots_txt::Target;

/// Checks one input.
pub fn check(data: &[u8]) {
    if let Ok(tdmrep) = Tdmrep::parse(data) {
        let _ = tdmrep.for_target(&Target::new("/a/b"));
    }
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match Profile::from_toml(text) {
        Ok(profile) => assert_eq!(Profile::from_toml(&profile.to_toml()), Ok(profile)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
