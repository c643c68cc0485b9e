//! Code actions: what they change, and that it is what they promise.

use crate::client::{Client, URI, codes, usual};
use robots_lint::catalogue::Selection;
use robots_lint::{CompatibleFixes, Finding, FindingKind, RobotsTxtLinter, Severity, apply_fixes};
use robots_policy::profile::AgentTable;
use robots_txt::RobotsTxt;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Returns the actions for the whole document, of these kinds or of all.
fn actions(client: &mut Client, only: Option<&[&str]>) -> Vec<Value> {
    let mut context = json!({ "diagnostics": [] });
    if let Some(only) = only {
        context["only"] = json!(only);
    }
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 1_000_000, "character": 0 } },
        "context": context,
    });
    let found = client.result("textDocument/codeAction", params);
    found.as_array().unwrap().clone()
}

/// Returns the text edits of an action on the document.
fn edits(action: &Value) -> Vec<Value> {
    let edit = &action["edit"];
    let list = match edit.get("changes") {
        Some(changes) => &changes[URI],
        None => &edit["documentChanges"][0]["edits"],
    };
    list.as_array().unwrap().clone()
}

/// Applies edits whose columns are bytes.
fn edited(text: &str, edits: &[Value]) -> String {
    let rope = ropey::Rope::from_str(text);
    let offset = |position: &Value| {
        let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
        let column = usize::try_from(position["character"].as_u64().unwrap()).unwrap();
        rope.line_to_byte(line) + column
    };
    let mut spans: Vec<_> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let span = offset(&range["start"])..offset(&range["end"]);
            (span, edit["newText"].as_str().unwrap())
        })
        .collect();
    spans.sort_by_key(|(span, _)| span.start);
    let mut result = text.to_owned();
    for (span, new) in spans.into_iter().rev() {
        result.replace_range(span, new);
    }
    result
}

fn in_bytes() -> Value {
    let mut capabilities = usual();
    capabilities["general"] = json!({ "positionEncodings": ["utf-8"] });
    capabilities
}

fn titles(actions: &[Value]) -> Vec<&str> {
    let titles = actions
        .iter()
        .map(|action| action["title"].as_str().unwrap());
    titles.collect()
}

#[test]
fn each_finding_has_its_fix_and_its_comment() {
    let text = "User-agent: *\r\n\tDisalow: /a\r\nDisallow: /b";
    let mut client = Client::with(in_bytes());
    client.open(URI, "robots", text);
    let all = actions(&mut client, None);
    assert_eq!(
        titles(&all),
        [
            "R012: write `Disallow`",
            "R012: ignore here with a comment",
            "Fix 1 finding of robots lint",
        ]
    );
    assert_eq!(all[0]["kind"], "quickfix");
    assert_eq!(all[0]["isPreferred"], true);
    assert_eq!(codes(&all[0]["diagnostics"]), ["R012"]);
    let document = &all[0]["edit"]["documentChanges"][0]["textDocument"];
    assert_eq!(document, &json!({ "uri": URI, "version": 1 }));
    let fixed = "User-agent: *\r\n\tDisallow: /a\r\nDisallow: /b";
    assert_eq!(edited(text, &edits(&all[0])), fixed);
    // The comment has the indent and the line end of the line.
    assert_eq!(
        edited(text, &edits(&all[1])),
        "User-agent: *\r\n\t# robots: ignore R012 -- reason\r\n\tDisalow: /a\r\nDisallow: /b"
    );
    assert_eq!(all[2]["kind"], "source.fixAll.robots");
    assert_eq!(edited(text, &edits(&all[2])), fixed);
    client.finish();
}

#[test]
fn a_client_asks_for_some_kinds() {
    let mut client = Client::with(json!({
        "textDocument": { "codeAction": { "codeActionLiteralSupport": {} } },
    }));
    client.open(URI, "robots", "User-agent: *\nDisalow: /a\n");
    for (only, count) in [
        (&["quickfix"][..], 2),
        (&["source.fixAll"], 1),
        (&["source.fixAll.robots"], 1),
        (&["source"], 1),
        (&["source.fixAll.robotsx"], 0),
        (&["source.fix"], 0),
        (&["refactor"], 0),
        (&["refactor", "quickfix"], 2),
        (&[""], 3),
        (&[], 0),
    ] {
        let found = actions(&mut client, Some(only));
        assert_eq!(found.len(), count, "{only:?}");
    }
    // This client knows no versions of documents.
    let found = actions(&mut client, Some(&["quickfix"]));
    assert!(found[0]["edit"]["changes"][URI].is_array(), "{found:?}");
    // Elsewhere, there is nothing to fix but the whole.
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 2 } },
        "context": { "diagnostics": [] },
    });
    let found = client.result("textDocument/codeAction", params);
    assert_eq!(
        titles(found.as_array().unwrap()),
        ["Fix 1 finding of robots lint"]
    );
    // As the cursor moves, there are only fixes of findings, unless the client asks for all.
    let range =
        json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 2 } });
    for (context, count) in [
        (json!({ "diagnostics": [], "triggerKind": 1 }), 3),
        (json!({ "diagnostics": [], "triggerKind": 2 }), 2),
        (
            json!({ "diagnostics": [], "triggerKind": 2, "only": ["source"] }),
            1,
        ),
    ] {
        let params = json!({ "textDocument": { "uri": URI }, "range": range, "context": context });
        let found = client.result("textDocument/codeAction", params);
        assert_eq!(found.as_array().unwrap().len(), count, "{context}");
    }
    client.finish();
    // A client that knows only commands gets none.
    let mut client = Client::with(json!({}));
    client.open(URI, "robots", "User-agent: *\nDisalow: /a\n");
    assert_eq!(actions(&mut client, None), Vec::<Value>::new());
    client.finish();
}

/// Files of tests, and texts with the findings that these do not have.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/robots");
    let mut texts: Vec<String> = fs::read_dir(root)
        .unwrap()
        .filter_map(|file| fs::read_to_string(file.unwrap().path()).ok())
        .collect();
    assert!(!texts.is_empty());
    for text in [
        "",
        "<!DOCTYPE html>\n<p>no</p>\n",
        "\u{feff}Disalow: /\nUser-agent: *\n",
        "\u{feff}<!DOCTYPE html>\n<p>no</p>\n",
        "User-agent: *\nDisallow: /a\n\u{feff}Disalow: /b\n",
        "User-agent: *\rDisallow: /a\rDisalow: /b\r",
        "User-agent: *\nDisallow: /a\rDisallow: /b\n",
        "User-agent: a1, b\n\nCrawl_delay: 3\nhello world out there\nDisallow /x\nDisallow: /y#z\nDisallow: z \u{200b}",
        "User-agent: googelbot\nDisallow: /a\nDisallow: /a\nSitemap: /s.xml\nNoindex: /\nUser-agent: googelbot\nDisallow: /\0b\n",
        "User-agent: *\nContent-Signal: ai-train=no, x=1\nContent-Usage: A\nDisallow: /\nUser-agent: GPTBot\nAllow: /\n# robots: ignore R012 -- unused\n# robots: ignore\nDisallowAITraining: /\n",
    ] {
        texts.push(text.to_owned());
    }
    texts
}

fn linter() -> RobotsTxtLinter {
    RobotsTxtLinter::new().with_known_robots(AgentTable::built_in())
}

#[test]
fn a_comment_ignores_its_finding_and_no_other() {
    let mut kinds = BTreeSet::new();
    for text in texts() {
        let mut client = Client::with(in_bytes());
        client.open(URI, "robots", &text);
        let robots = RobotsTxt::parse(text.as_bytes());
        let before: Vec<_> = linter().lint(&robots).iter().map(Finding::kind).collect();
        let kinds_of = |kinds: &[FindingKind], without: &str| -> BTreeSet<&'static str> {
            let codes = kinds.iter().map(|kind| kind.code());
            codes.filter(|code| *code != without).collect()
        };
        let all = actions(&mut client, Some(&["quickfix"]));
        for action in all.iter().filter(|action| {
            let title = action["title"].as_str().unwrap();
            title.ends_with("ignore here with a comment")
        }) {
            let diagnostic = &action["diagnostics"][0];
            let after = edited(&text, &edits(action));
            let robots = RobotsTxt::parse(after.as_bytes());
            let findings = linter().lint(&robots);
            let code = diagnostic["code"].as_str().unwrap();
            let ignored: Vec<_> = findings.ignored().map(|(kind, _)| kind.code()).collect();
            let after: Vec<_> = findings.iter().map(Finding::kind).collect();
            assert!(ignored.contains(&code), "{code} {ignored:?}: {text:?}");
            assert!(
                after.len() < before.len(),
                "{code}: {before:?} {after:?}: {text:?}"
            );
            assert_eq!(
                kinds_of(&before, code),
                kinds_of(&after, code),
                "{code}: {text:?}"
            );
            kinds.insert(code.to_owned());
        }
        client.finish();
    }
    // So many kinds were tried.
    assert!(kinds.len() >= 25, "{kinds:?}");
}

#[test]
fn fix_all_does_what_lint_fix_does() {
    let many = "Disalow: /a\n".repeat(500);
    let mut texts = texts();
    // More findings than are listed, and more edits than are sent one by one.
    texts.push(format!("User-agent: *\n{many}"));
    texts.push(format!(
        "User-agent: *\n{}",
        "Disallow: /\u{1f916}\r".repeat(1500)
    ));
    let selection = Selection::of_level(Severity::Warning);
    for text in texts {
        let robots = RobotsTxt::parse(text.as_bytes());
        let findings = linter().with_limit(usize::MAX).lint(&robots);
        let fixes: Vec<_> = findings
            .iter()
            .filter(|finding| selection.contains(finding.kind()))
            .filter_map(Finding::fix)
            .collect();
        let expected = apply_fixes(text.as_bytes(), fixes.iter().copied());
        let mut client = Client::with(in_bytes());
        client.open(URI, "robots", &text);
        let found = actions(&mut client, Some(&["source.fixAll"]));
        if fixes.is_empty() {
            assert_eq!(found, Vec::<Value>::new(), "{text:?}");
        } else {
            let sent = edits(&found[0]);
            let fixed = edited(&text, &sent);
            assert_eq!(fixed.as_bytes(), expected.body, "{text:?}");
            let edits = CompatibleFixes::of(fixes).edits().count();
            assert_eq!(sent.len(), if edits > 1000 { 1 } else { edits });
        }
        client.finish();
    }
}
