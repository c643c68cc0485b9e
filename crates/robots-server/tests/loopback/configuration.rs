//! The configuration: its sources in their order, and errors that name the place.

use robots_server::Config;
use robots_server::config::{Bytes, Secret, variable};
use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// Loads a configuration, with the error as text without the path of the file.
fn load(
    text: &str,
    environment: &[(&str, &str)],
    arguments: &[(&str, &str)],
) -> Result<Config, String> {
    let file = file(text);
    let variables = environment
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let arguments = arguments
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let path = file.path().display().to_string();
    Config::load(Some(file.path()), variables.collect::<Vec<_>>(), arguments)
        .map_err(|error| error.to_string().replace(&path, "FILE"))
}

#[test]
fn later_sources_have_precedence() {
    let text = "[limits]\nbody-bytes = \"1KiB\"\nurl-bytes = 111\nhead-bytes = 11_111\n";
    let environment = [
        ("ROBOTS_SERVE_LIMITS_BODY_BYTES", "2KiB"),
        ("ROBOTS_SERVE_LIMITS_URL_BYTES", "222"),
        ("ROBOTS_OTHER", "x"),
        ("PATH", "/bin"),
    ];
    let config = load(text, &environment, &[("limits.body-bytes", "3KiB")]).unwrap();
    assert_eq!(config.limits.body_bytes, Bytes(3 << 10));
    assert_eq!(config.limits.url_bytes, Bytes(222));
    assert_eq!(config.limits.head_bytes, Bytes(11_111));
    // The rest has its default.
    assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
}

#[test]
fn the_file_may_be_named_by_the_environment() {
    let file = file("listen = \"127.0.0.1:9\"\n");
    let variable = (OsString::from("ROBOTS_SERVE_SETTINGS"), file.path().into());
    let config = Config::load(None, [variable], []).unwrap();
    assert_eq!(config.listen.port(), 9);
    let empty = || (OsString::from("ROBOTS_SERVE_SETTINGS"), OsString::new());
    let error = Config::load(None, [empty()], []).unwrap_err();
    assert_eq!(
        error.to_string(),
        "environment variable ROBOTS_SERVE_SETTINGS: expected the path of a file"
    );
    let config = Config::load(Some(file.path()), [empty()], []).unwrap();
    assert_eq!(config.listen.port(), 9);
}

/// Files, whose lines are divided by `|`, and their errors.
const ERRORS: &str = r#"
lisen = "x" => FILE: line 1, column 1: unknown key `lisen`: did you mean `listen`?
[limits]|  body-byts = 1 => FILE: line 2, column 3: unknown key `body-byts`: did you mean `body-bytes`?
rate-per-client = 1 => FILE: line 1, column 1: unknown key `rate-per-client`: it belongs to `[limits]`, or is `limits.rate-per-client`
[limit]|x = 1 => FILE: line 1, column 2: unknown key `limit`: `robots serve --print-settings` lists all settings
limits = 3 => FILE: line 1, column 10: invalid type: integer `3`, expected struct Limits
listen = 8080 => FILE: line 1, column 10: invalid type: integer `8080`, expected socket address
listen = 1.5 => FILE: line 1, column 10: invalid type: floating point `1.5`, expected socket address
log-format = "xml" => FILE: line 1, column 14: unknown variant `xml`, expected `text` or `json`
trusted-proxies = ["10.0.0.0/8", 3] => FILE: line 1, column 34: invalid type: integer `3`, expected a string
api-key = "short" => api-key: expected a key of at least 16 bytes
[limits]|body-bytes = "1kb"| => FILE: line 2, column 14: expected a number of bytes, such as 65536 or "64KiB" (KiB, MiB, GiB)
[limits]|head-bytes = 8191| => limits.head-bytes: expected at least 8KiB
[limits]|head-timeout = "0s"| => limits.head-timeout: expected more than 0
[limits]|connections = 0| => limits.connections: expected at least 1
[limits]|urls = 100001| => limits.urls: expected at most 100000
[limits]|burst-per-client = 0| => limits.burst-per-client: expected at least 1
"#;

#[test]
fn errors_name_the_place_and_the_nearest_key() {
    for case in ERRORS.trim().lines() {
        let (text, expected) = case.split_once(" => ").unwrap();
        let text = text.replace('|', "\n");
        assert_eq!(load(&text, &[], &[]).unwrap_err(), expected, "{text}");
    }
    let error = load("listen = ", &[], &[]).unwrap_err();
    assert!(error.starts_with("FILE: line 1, column "), "{error}");
    let error = load("", &[("ROBOTS_SERVE_LISTN", "x")], &[]).unwrap_err();
    assert_eq!(
        error,
        "environment variable ROBOTS_SERVE_LISTN: unknown setting: did you mean `ROBOTS_SERVE_LISTEN`?"
    );
    let error = load("", &[("ROBOTS_SERVE_LISTEN", "x")], &[]).unwrap_err();
    assert!(
        error.starts_with("environment variable ROBOTS_SERVE_LISTEN: invalid value for `listen`: "),
        "{error}"
    );
    let error = load("", &[("ROBOTS_SERVE_API_KEY", "short")], &[]).unwrap_err();
    assert_eq!(error, "api-key: expected a key of at least 16 bytes");
    let error = load("", &[], &[("limits.urls", "x")]).unwrap_err();
    assert_eq!(
        error,
        "argument limits.urls: invalid value \"x\" for `limits.urls`: expected a number"
    );
    let error = load("", &[], &[("limits.bodies", "1")]).unwrap_err();
    assert!(
        error.starts_with("argument limits.bodies: unknown key `limits.bodies`"),
        "{error}"
    );
}

/// It would open the service to everyone.
#[test]
fn an_empty_key_is_an_error() {
    for (variable, key) in [
        ("ROBOTS_SERVE_API_KEY", "api-key"),
        ("ROBOTS_SERVE_API_KEY_FILE", "api-key-file"),
    ] {
        let expected =
            format!("invalid `{key}`: expected a value; to require no key, leave the setting out");
        let error = load("api-key = \"0123456789abcdef\"", &[(variable, "")], &[]).unwrap_err();
        assert_eq!(
            error,
            format!("environment variable {variable}: {expected}")
        );
        let error = load("", &[], &[(key, "")]).unwrap_err();
        assert_eq!(error, format!("argument {key}: {expected}"));
    }
}

#[test]
fn a_secret_is_in_no_message_and_not_shown() {
    let error = load("api-key = [\"secret-secret\"]", &[], &[]).unwrap_err();
    assert!(!error.contains("secret-secret"), "{error}");
    let config = load("api-key = \"secret-secret-secret\"", &[], &[]).unwrap();
    assert!(!config.to_toml().contains("secret-secret"));
    let redis = ("redis", "redis://user:secret-secret@127.0.0.1:9");
    let keys = ("api-key", "secret-secret-secret");
    let config = load("", &[], &[keys, redis]).unwrap();
    for shown in [config.to_toml(), format!("{config:?}")] {
        assert!(!shown.contains("secret-secret"), "{shown}");
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut config = config;
    config.listen.set_port(0);
    let server = runtime
        .block_on(robots_server::Server::bind(config))
        .unwrap();
    assert!(!format!("{server:?}").contains("secret-secret"));
}

#[test]
fn keys_may_be_in_a_file() {
    let keys = file("# of Ada\n0123456789abcdef\n\n  another-key-of-us  \n");
    let text = format!("api-key-file = {:?}", keys.path());
    let config = load(&text, &[], &[]).unwrap();
    assert_eq!(
        config.api_keys().unwrap(),
        ["0123456789abcdef", "another-key-of-us"].map(Secret::new)
    );
    // It is read once: at the start.
    let error = |text: &str, path: &Path| {
        let config = load(text, &[], &[]).unwrap();
        let error = config.api_keys().unwrap_err().to_string();
        error.replace(&path.display().to_string(), "KEYS")
    };
    for (keys, expected) in [
        ("# none\n", "api-key-file KEYS: the file has no key"),
        (
            "0123456789abcdef\n\nshort\n",
            "api-key-file KEYS: line 3: expected a key of at least 16 bytes",
        ),
        (
            "0123456789 abcdef\n",
            "api-key-file KEYS: line 1: expected a key of visible ASCII characters",
        ),
    ] {
        let keys = file(keys);
        let text = format!("api-key-file = {:?}", keys.path());
        assert_eq!(error(&text, keys.path()), expected);
    }
    assert_eq!(
        error("api-key-file = \"/none/none\"", Path::new("/none/none")),
        "api-key-file KEYS: cannot read the file"
    );
}

#[test]
fn shown_settings_are_read_again() {
    let config = Config::default();
    assert_eq!(load(&config.to_toml(), &[], &[]).unwrap(), config);
    let text = "trusted-proxies = [\"10.0.0.0/8\"]\nforwarded-header = \"forwarded\"\n[limits]\nbody-timeout = \"1m 30s\"\nhead-timeout = \"500us\"\n";
    let config = load(text, &[], &[]).unwrap();
    assert_ne!(config, Config::default());
    assert_eq!(load(&config.to_toml(), &[], &[]).unwrap(), config);
}

#[test]
fn keys_and_variables_are_unique() {
    let settings = Config::default().settings();
    assert!(settings.len() > 40, "{settings:?}");
    let variables: HashSet<_> = settings.iter().map(|(key, ..)| variable(key)).collect();
    assert_eq!(variables.len(), settings.len());
    for (key, _, about) in settings {
        assert!(!about.is_empty(), "{key}");
    }
}

/// The file in `deploy/` and the example of docs/service.md have known settings alone.
#[test]
fn the_documented_settings_are_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let deployed = std::fs::read_to_string(root.join("deploy/robots-serve.toml")).unwrap();
    load(&deployed, &[], &[]).unwrap();
    let page = std::fs::read_to_string(root.join("docs/service.md")).unwrap();
    let (_, example) = page.split_once("```toml\n").unwrap();
    load(example.split_once("```").unwrap().0, &[], &[]).unwrap();
}

/// The variables that files of `deploy/` set are those of settings.
#[test]
fn deployed_variables_are_known() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    let known = Config::default().settings();
    let known: Vec<String> = known.iter().map(|(key, ..)| self::variable(key)).collect();
    let mut variables = 0;
    for name in ["robots-serve.service", "Containerfile", "kubernetes.yaml"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        for rest in text.split("ROBOTS_SERVE_").skip(1) {
            let end = rest.find(|c: char| !c.is_ascii_uppercase() && c != '_');
            let variable = format!("ROBOTS_SERVE_{}", &rest[..end.unwrap_or(rest.len())]);
            assert!(known.contains(&variable), "{name}: {variable}");
            variables += 1;
        }
    }
    assert!(variables >= 9, "{variables}");
}

/// The user of the unit has no file of its own: systemd passes the keys, to a path that the unit determines. The program is one that
/// systemd finds: that of the Debian package, or of `cargo install --root /usr/local`.
#[test]
fn the_unit_passes_keys_and_finds_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let unit = read("deploy/robots-serve.service");
    let value = |key: &str| {
        let line = unit.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_else(|| panic!("{key}")).to_owned()
    };
    assert_eq!(value("DynamicUser="), "yes");
    let credential = value("LoadCredential=");
    let (name, file) = credential.split_once(':').unwrap();
    let path = format!("/run/credentials/robots-serve.service/{name}");
    let settings = read("deploy/robots-serve.toml");
    assert!(settings.contains(&format!("# api-key-file = \"{path}\"\n")));
    let page = read("docs/service.md");
    for text in [&settings, &page] {
        assert!(text.contains(&format!("/etc/credstore/{file}")));
    }
    let (program, arguments) = value("ExecStart=")
        .split_once(' ')
        .map(|(one, two)| (one.to_owned(), two.to_owned()))
        .unwrap();
    assert_eq!(program, "robots");
    assert!(arguments.starts_with("serve "));
    let package = read("crates/robots-cli/Cargo.toml");
    assert!(package.contains(&format!(
        "[\"target/release/{program}\", \"usr/bin/\", \"755\"]"
    )));
    assert!(page.contains("cargo install --root /usr/local"));
}

/// An image is built from the files of the repository alone.
#[test]
fn images_leave_out_what_git_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let left_out = read(".dockerignore");
    let left_out: Vec<&str> = left_out.lines().collect();
    assert!(left_out.contains(&".git"));
    for line in read(".gitignore").lines() {
        let name = line.trim_end_matches('/');
        let is_in = |ignored: &&str| name == *ignored || name.starts_with(&format!("{ignored}/"));
        let anywhere = format!("**/{name}");
        assert!(
            left_out.contains(&&*anywhere) || left_out.iter().any(is_in),
            "{line}"
        );
    }
}
