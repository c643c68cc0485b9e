//! Snapshots of the output of each command on the fixtures.

use crate::program::robots;

/// Returns the command with its output and exit code.
fn run(command: &str) -> String {
    let outcome = robots(command.split(' '));
    format!(
        "$ robots {command}\n{}\n--- standard error\n{}\n--- exit code {}\n",
        outcome.stdout.trim_end(),
        outcome.stderr.trim_end(),
        outcome.code
    )
}

/// Makes a test that compares the output of commands with a snapshot of this name.
macro_rules! snapshot {
    ($name:ident, $($command:expr),+ $(,)?) => {
        #[test]
        fn $name() {
            let printed = [$(run($command)),+].join("\n");
            insta::with_settings!(
                { prepend_module_to_snapshot => false, omit_expression => true, snapshot_path => "../snapshots" },
                { insta::assert_snapshot!(stringify!($name), printed) }
            );
        }
    };
}

/// Makes the tests, and a test that no snapshot is stale.
macro_rules! snapshots {
    ($($name:ident: $($command:literal),+;)*) => {
        $(snapshot!($name, $($command),+);)*

        #[test]
        fn no_snapshot_is_stale() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots");
            for file in std::fs::read_dir(folder).unwrap() {
                let name = file.unwrap().file_name().into_string().unwrap();
                let is_known = [$(concat!(stringify!($name), ".snap")),*].contains(&name.as_str());
                assert!(is_known, "{name}");
            }
        }
    };
}

snapshots! {
    check:
        "check tests/fixtures/robots/odd-robots.txt /search/x",
        "check tests/fixtures/robots/odd-robots.txt /search --all-dialects",
        "check tests/fixtures/robots/shop-2026-robots.txt --all-dialects",
        "check tests/fixtures/sites/marys-antiques/robots.txt /private/suzy-stuff/a --agent Suzy-Spider --agent NosyBot",
        "check tests/fixtures/robots/shop-2026-robots.txt --agent GPTBot --agent Googlebot --json /blog/x";
    diff:
        "diff tests/fixtures/robots/shop-2025-robots.txt tests/fixtures/robots/shop-2026-robots.txt",
        "diff --text tests/fixtures/robots/shop-2025-robots.txt tests/fixtures/robots/shop-2026-robots.txt",
        "diff --agent GPTBot --json tests/fixtures/robots/shop-2025-robots.txt tests/fixtures/robots/shop-2026-robots.txt",
        "diff tests/fixtures/robots/shop-2025-robots.txt tests/fixtures/robots/shop-2025-robots.txt";
    help:
        "--help",
        "-h",
        "block --help";
    block:
        "block ai-train dataset",
        "block Googlebot",
        "block --into tests/fixtures/robots/shop-2026-robots.txt --dry-run GPTBot CCBot Bytespider",
        "block --into tests/fixtures/robots/odd-robots.txt --dry-run --json CCBot",
        "block --into tests/fixtures/robots/shop-2026-robots.txt Googlebot";
    lint:
        "lint --level note tests/fixtures/robots/odd-robots.txt",
        "lint --diff tests/fixtures/robots/odd-robots.txt",
        "lint --level note tests/fixtures/sites",
        "lint --level note --statistics tests/fixtures/robots tests/fixtures/crawl.warc.gz";
    lint_meta:
        "lint --meta --level note tests/fixtures/crawl.warc.gz",
        "lint --meta --statistics tests/fixtures/crawl.warc.gz",
        "lint --meta --base http://www.joes-hardware.com/ --robots tests/fixtures/sites/joes-hardware/robots.txt tests/fixtures/sites/joes-hardware/pages";
    explain:
        "lint --explain R037",
        "lint --explain";
    decide:
        "decide --now 2026-11-22 --limit 5 tests/fixtures/crawl.warc.gz",
        "decide --now 2026-11-22 --profile google --only noindex --fields url,index_reason --format csv tests/fixtures/crawl.warc.gz";
    meta:
        "meta tests/fixtures/sites/joes-hardware/pages/cafe.html",
        "meta --json tests/fixtures/sites/joes-hardware/pages/cafe.html";
    profiles:
        "profiles",
        "profiles yandex";
    headers:
        "meta --headers tests/fixtures/robots/response.txt",
        "meta --profiles tests/fixtures/sites/joes-hardware/pages/cafe.html";
    survey:
        "survey tests/fixtures/crawl.warc.gz",
        "survey tests/fixtures/robots --threads 1";
    audit:
        "audit --robots tests/fixtures/sites/joes-hardware/robots.txt --hosts tests/fixtures/logs/names.txt tests/fixtures/logs/access.log.gz",
        "audit tests/fixtures/logs/access.log.gz --threads 1";
    test:
        "test tests/fixtures tests/conformance",
        "test tests/cases/pages/metas.toml --json";
    agents:
        "agents Applebot",
        "agents --purpose archive",
        "agents --json GPTBot",
        "agents --format csv OpenAI",
        "agents Cursor";
}
