//! The text of documents, and the diagnostics that follow from it.

use crate::client::{Client, URI, codes, usual};
use robots_lsp::MAX_ROBOTS_TXT;
use serde_json::{Value, json};
use std::fs;

fn range(start: [u32; 2], end: [u32; 2]) -> Value {
    let position = |[line, character]: [u32; 2]| json!({ "line": line, "character": character });
    json!({ "start": position(start), "end": position(end) })
}

#[test]
fn a_diagnostic_has_all_that_a_finding_has() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("robots.toml"), "level = \"note\"").unwrap();
    let uri = format!("file://{}/robots.txt", folder.path().display());
    let mut client = Client::with(usual());
    client.open(
        &uri,
        "robots",
        "User-agent: *\nDisallow: /a\nDisallow: /a\nDisalow: /c\n",
    );
    let published = client.published();
    assert_eq!(published["uri"], uri);
    assert_eq!(published["version"], 1);
    let found = published["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    let duplicate = json!({
        "range": range([2, 10], [2, 12]),
        "severity": 3,
        "code": "R036",
        "codeDescription": {
            "href": "https://github.com/robots-engine/robots/blob/main/crates/robots-lint/lints.md#r036-duplicate-rule"
        },
        "source": "robots",
        "tags": [1],
        "relatedInformation": [{
            "location": { "uri": uri, "range": range([1, 0], [1, 12]) },
            "message": "the first is here",
        }],
    });
    let mut first = found[0].clone();
    let message = first.as_object_mut().unwrap().remove("message").unwrap();
    assert_eq!(first, duplicate);
    assert!(!message.as_str().unwrap().is_empty(), "{message}");
    assert_eq!(found[1]["code"], "R012");
    assert_eq!(found[1]["severity"], 1);
    assert_eq!(found[1].get("tags"), None);
    assert_eq!(found[1]["range"], range([3, 0], [3, 7]));
    client.finish();
}

#[test]
fn diagnostics_follow_changes() {
    let mut client = Client::with_document("User-agent: *\nDisallow: /a\n");
    assert_eq!(client.codes(), Vec::<String>::new());
    // An edit of a part, then of the whole.
    client.change(2, json!([{ "range": range([1, 4], [1, 5]), "text": "" }]));
    let published = client.published();
    assert_eq!(
        (codes(&published["diagnostics"]), &published["version"]),
        (vec!["R012".to_owned()], &json!(2))
    );
    client.change(3, json!([{ "text": "User-agent: *\nDisallow:\n" }]));
    assert_eq!(client.codes(), Vec::<String>::new());
    // Comments that ignore findings count.
    client.change(
        4,
        json!([{ "text": "User-agent: *\nDisalow: /a # robots: ignore R012 -- why\n" }]),
    );
    assert_eq!(client.codes(), Vec::<String>::new());
    // A closed document has no diagnostics.
    client.change(5, json!([{ "text": "Disalow: /" }]));
    client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": URI } }),
    );
    let published = client.published();
    assert_eq!(published, json!({ "uri": URI, "diagnostics": [] }));
    client.finish();
}

#[test]
fn a_burst_of_changes_is_linted_once() {
    let mut client = Client::with_document("");
    assert_eq!(client.published()["version"], 1);
    client.change(2, json!([{ "text": "User-agent: *\n" }]));
    for version in 3..103 {
        client.change(
            version,
            json!([{ "range": range([1, 0], [1, 0]), "text": "Disalow: /a\n" }]),
        );
    }
    // A slow machine may take longer than the maximum delay.
    let mut count = 1;
    let mut published = client.published();
    while published["version"] != 102 {
        published = client.published();
        count += 1;
    }
    assert!(count < 50, "{count}");
    // One hundred are listed.
    assert_eq!(published["diagnostics"].as_array().unwrap().len(), 100);
    client.notify("exit", Value::Null);
    let later = client.rest();
    assert_eq!(later, Vec::<Value>::new());
}

#[test]
fn a_change_with_an_invalid_range_is_refused() {
    let text = "User-agent: *\nDisalow: /a\n";
    let mut client = Client::with_document(text);
    assert_eq!(client.codes(), ["R012"]);
    for range in [
        json!({ "start": { "line": -1, "character": 0 }, "end": { "line": 0, "character": 0 } }),
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 4_294_967_296_u64, "character": 0 } }),
        json!(5),
        json!({}),
    ] {
        client.change(2, json!([{ "range": range, "text": "" }]));
    }
    assert_ne!(client.at("textDocument/hover", 1, 2), Value::Null);
    // Without a range, the whole document is replaced.
    client.change(
        3,
        json!([{ "range": null, "text": "# a\n# b\nUser-agent: *\nDisallow: /a\n" }]),
    );
    assert_eq!(client.at("textDocument/hover", 1, 2), Value::Null);
    client.notify("exit", Value::Null);
    let (_, log) = client.end();
    assert_eq!(log.len(), 4, "{log:?}");
    assert!(
        log[0].starts_with("invalid parameters of textDocument/didChange: "),
        "{log:?}"
    );
}

#[test]
fn the_error_of_each_configuration_is_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let uris = ["a", "b"].map(|name| {
        let below = folder.path().join(name);
        fs::create_dir(&below).unwrap();
        fs::write(below.join("robots.toml"), "x = 1").unwrap();
        format!("file://{}/robots.txt", below.display())
    });
    for pulls in [false, true] {
        let mut capabilities = usual();
        if pulls {
            capabilities["textDocument"]["diagnostic"] = json!({});
        }
        let mut client = Client::with(capabilities);
        for _ in 0..2 {
            for uri in &uris {
                client.open(uri, "robots", "");
                if pulls {
                    let params = json!({ "textDocument": { "uri": uri } });
                    client.result("textDocument/diagnostic", params);
                } else {
                    client.published();
                }
            }
        }
        if pulls {
            // An error that appears between two requests is shown with the answer.
            fs::write(folder.path().join("a/robots.toml"), "y = 1").unwrap();
            let params = json!({ "textDocument": { "uri": uris[0] } });
            client.result("textDocument/diagnostic", params);
        }
        client.notify("exit", Value::Null);
        let mut shown: Vec<String> = client
            .rest()
            .iter()
            .filter(|message| message["method"] == "window/showMessage")
            .map(|message| message["params"]["message"].as_str().unwrap().to_owned())
            .collect();
        shown.sort();
        assert_eq!(shown.len(), if pulls { 3 } else { 2 }, "{shown:?}");
    }
}

#[test]
fn columns_are_in_the_negotiated_encoding() {
    // A tab, two bytes, four bytes; the lines end with CR LF and with CR.
    let text = "User-agent: *\r\nDisallow: /\t\u{e9}\u{1f916}#x\rDisalow: /b";
    for (encoding, start, end) in [("utf-8", 18, 20), ("utf-16", 15, 17), ("utf-32", 14, 16)] {
        let mut client = Client::with(json!({ "general": { "positionEncodings": [encoding] } }));
        client.open(URI, "robots", text);
        let published = client.published();
        let found = published["diagnostics"].as_array().unwrap();
        let of = |code: &str| {
            let mut all = found.iter();
            all.find(|one| one["code"] == code).unwrap()["range"].clone()
        };
        assert_eq!(
            of("R017"),
            range([1, start], [1, end]),
            "{encoding}: {found:?}"
        );
        assert_eq!(of("R012"), range([2, 0], [2, 7]), "{encoding}");
        // The same columns in a change: the comment goes.
        client.change(
            2,
            json!([{ "range": range([1, start], [1, end]), "text": "" }]),
        );
        let left = client.codes();
        assert!(!left.contains(&"R017".to_owned()), "{encoding}: {left:?}");
        client.finish();
    }
}

#[test]
fn diagnostics_can_be_requested() {
    let mut client = Client::start();
    let result = client.initialize(json!({
        "textDocument": { "diagnostic": { "relatedInformation": true } },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    }));
    let provider = &result["capabilities"]["diagnosticProvider"];
    assert_eq!(
        provider,
        &json!({ "identifier": "robots", "interFileDependencies": false, "workspaceDiagnostics": false })
    );
    client.open(URI, "robots", "User-agent: *\nDisalow: /a\n");
    let document = json!({ "textDocument": { "uri": URI } });
    let report = client.result("textDocument/diagnostic", document.clone());
    assert_eq!(report["kind"], "full");
    assert_eq!(codes(&report["items"]), ["R012"]);
    client.change(2, json!([{ "text": "" }]));
    let report = client.result("textDocument/diagnostic", document);
    assert_eq!(codes(&report["items"]), Vec::<String>::new());
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    let refresh = client.message("workspace/diagnostic/refresh");
    client.send(json!({ "jsonrpc": "2.0", "id": refresh["id"], "result": null }));
    // Nothing was published, nor is at the end.
    client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": URI } }),
    );
    client.notify("exit", Value::Null);
    assert_eq!(client.rest(), Vec::<Value>::new());
}

#[test]
fn the_configuration_of_the_project_counts() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("site a");
    fs::create_dir(&below).unwrap();
    let config = folder.path().join("robots.toml");
    fs::write(&config, "ignore = [\"R012\"]\nlevel = \"note\"\n").unwrap();
    let path = below.join("robots.txt");
    let uri = format!("file://{}", path.display()).replace(' ', "%20");
    let text = "User-agent: *\nDisalow: /a\nDisallow: /b*\n";
    let mut client = Client::with(json!({
        "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } }
    }));
    let registered = client.message("client/registerCapability");
    let registration = &registered["params"]["registrations"][0];
    assert_eq!(registration["method"], "workspace/didChangeWatchedFiles");
    assert_eq!(
        registration["registerOptions"]["watchers"][0]["globPattern"],
        "**/robots.toml"
    );
    client.send(json!({ "jsonrpc": "2.0", "id": registered["id"], "result": null }));
    client.open(&uri, "robots", text);
    assert_eq!(client.codes(), ["R034"]);
    // A change of the file is seen when the client reports it.
    fs::write(&config, "ignore = \"R03\"\n").unwrap();
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": [{ "uri": "x", "type": 2 }] }),
    );
    assert_eq!(client.codes(), ["R012"]);
    // A file that is not valid is reported once, and the defaults apply.
    fs::write(&config, "levle = \"note\"\n").unwrap();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(client.codes(), ["R012"]);
    let shown = client.message("window/showMessage");
    let message = shown["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("robots.toml: line 1, column 1: unknown key `levle`"),
        "{message}"
    );
    // Without the file, too; and without a report of the client at the next change.
    fs::remove_file(&config).unwrap();
    let change = json!({
        "textDocument": { "uri": uri, "version": 2 },
        "contentChanges": [{ "text": text }],
    });
    client.notify("textDocument/didChange", change);
    assert_eq!(client.codes(), ["R012"]);
    client.notify("exit", Value::Null);
    assert!(
        !client
            .rest()
            .iter()
            .any(|message| message["method"] == "window/showMessage")
    );
}

#[test]
fn a_document_over_the_limit_has_one_diagnostic() {
    let mut client = Client::with(usual());
    let line = "Disallow: /a\n";
    let text = line.repeat(MAX_ROBOTS_TXT / line.len() + 1);
    client.open(URI, "robots", &text);
    let published = client.published();
    let found = published["diagnostics"].as_array().unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0]["message"],
        "the document is longer than 4 MiB, and was not read"
    );
    assert_eq!(found[0]["range"], range([0, 0], [0, 12]));
    // Requests are answered with nothing.
    assert_eq!(client.at("textDocument/hover", 0, 0), Value::Null);
    assert_eq!(client.at("textDocument/completion", 0, 0), Value::Null);
    // A change makes it short enough.
    client.change(
        2,
        json!([{ "range": range([1, 0], [2_000_000, 0]), "text": "" }]),
    );
    assert_eq!(client.codes(), ["R015"]);
    client.finish();
}

#[test]
fn pages_have_diagnostics_alone() {
    let mut client = Client::with(usual());
    let page = "<!DOCTYPE html>\n<meta charset=iso-8859-1>\n<title>\u{e9}\u{1f916}</title><meta name=robots content='noindex, nofolow'>\n";
    client.open(URI, "html", page);
    let published = client.published();
    let found = published["diagnostics"].as_array().unwrap();
    assert_eq!(codes(&published["diagnostics"]), ["M013"]);
    let start = &found[0]["range"]["start"];
    let line = page.lines().nth(2).unwrap();
    let column = line[..line.find("nofolow").unwrap()].encode_utf16().count();
    assert_eq!(start, &json!({ "line": 2, "character": column }));
    for method in ["textDocument/hover", "textDocument/completion"] {
        assert_eq!(client.at(method, 2, 0), Value::Null, "{method}");
    }
    client.finish();
}
