//! Hover texts, completion, and outlines.

use crate::client::{Client, URI, usual};
use serde_json::{Value, json};

const TEXT: &str = "# a\n# b\nUser-agent: Googlebot\nDisallow: /private/\nAllow: /*.pdf$\nDisalow: /x\n\nUser-agent: *\nCrawl-delay: 3\nDisallow:\nSitemap: https://shop.example/s.xml\n";

fn hover(client: &mut Client, line: u32, character: u32) -> String {
    let hover = client.at("textDocument/hover", line, character);
    assert_eq!(hover["contents"]["kind"], "markdown");
    hover["contents"]["value"].as_str().unwrap().to_owned()
}

#[test]
fn hover_explains_what_is_at_the_position() {
    let mut client = Client::with_document(TEXT);
    let rfc = "](https://www.rfc-editor.org/rfc/rfc9309.html#section-2.2.1)";
    let path = "Disallows each URL whose path and query begins with `/private/`.";
    let pattern = "Allows each URL whose path and query matches `/*.pdf$`. `*` stands";
    for (line, character, start, part) in [
        (2, 3, "**User-agent**: the product token", rfc),
        (2, 14, "**Googlebot**, Google", "Obeys robots.txt: yes"),
        (3, 12, path, "Robots: `Googlebot`"),
        (4, 9, pattern, ""),
        // A misspelt field has a meaning, and a finding with the text of `robots explain`.
        (5, 2, "**Disallow**: ", "the field is misspelt"),
        (5, 2, "**Disallow**: ", "### R012 misspelt-field\n"),
        (7, 12, "`*`: every robot", ""),
        (8, 0, "", "Honoured under the profiles: "),
        (9, 9, "A rule without a path matches nothing.", ""),
    ] {
        let text = hover(&mut client, line, character);
        assert!(text.starts_with(start) && text.contains(part), "{text}");
    }
    for nothing in [(0, 0), (6, 0), (10, 20), (99, 0)] {
        let hover = client.at("textDocument/hover", nothing.0, nothing.1);
        assert_eq!(hover, Value::Null, "{nothing:?}");
    }
    client.finish();
}

#[test]
fn hover_is_plain_text_for_a_client_without_markdown() {
    let mut client = Client::with(json!({}));
    client.open(URI, "robots", TEXT);
    let hover = client.at("textDocument/hover", 2, 3);
    assert_eq!(hover["contents"]["kind"], "plaintext");
    let range =
        json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 2, "character": 10 } });
    assert_eq!(hover["range"], range);
    // A finding with its explanation, and a robot.
    for (line, character) in [(2, 3), (2, 14), (5, 2)] {
        let hover = client.at("textDocument/hover", line, character);
        let text = hover["contents"]["value"].as_str().unwrap();
        assert!(!text.contains("**") && !text.contains("###"), "{text}");
    }
    client.finish();
}

#[test]
fn hover_shows_the_file_as_code() {
    let text = "User-agent: *bot\nDisallow: /a`b``[x](https://example.com/)\n[y](https://example.com/): /\n";
    let mut client = Client::with_document(text);
    // Not every robot.
    assert_eq!(
        client.at("textDocument/hover", 0, 13)["contents"]["value"]
            .as_str()
            .filter(|text| text.contains("every robot")),
        None
    );
    let rule = hover(&mut client, 1, 12);
    assert!(
        rule.contains(" begins with ```/a`b``[x](https://example.com/)```."),
        "{rule}"
    );
    client.finish();
}

#[test]
fn hover_on_a_long_line_is_short() {
    let long = "x".repeat(1 << 20);
    let text = format!("User-agent: {long}\nDisallow: /{long}\n{long}: /\nAllow: {long}\n");
    let mut client = Client::with_document(&text);
    for line in 0..4 {
        for character in [1, 20] {
            let hover = client.at("textDocument/hover", line, character);
            assert!(hover.to_string().len() < 20_000, "{line} {character}");
        }
    }
    client.finish();
}

/// Returns the labels of the completion at the end of a last line.
fn labels(line: &str) -> Vec<String> {
    let text =
        format!("User-agent: OwnBot\nDisallow: /private/\nAllow: /a*b\nDisallow: relative\n{line}");
    let mut client = Client::with_document(&text);
    let column = u32::try_from(line.encode_utf16().count()).unwrap();
    let list = client.at("textDocument/completion", 4, column);
    assert_eq!(list["isIncomplete"], false);
    client.finish();
    let items = list["items"].as_array().unwrap().iter();
    items
        .map(|item| item["label"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn completion_offers_what_fits() {
    let fields = labels("");
    assert_eq!(fields.len(), 17);
    assert_eq!(fields[0], "User-agent");
    assert_eq!(labels("  Dis").len(), 17);
    let robots = labels("User-agent: Go");
    for name in ["*", "Googlebot", "GPTBot", "OwnBot"] {
        assert!(robots.contains(&name.to_owned()), "{name}");
    }
    assert_eq!(labels("disallow: /p"), ["/", "/a*b", "/private/"]);
    assert_eq!(
        labels("Content-Usage: /blog/ "),
        [
            "train-ai=y",
            "train-ai=n",
            "ai-use=y",
            "ai-use=n",
            "search=y",
            "search=n"
        ]
    );
    assert_eq!(labels("Content-Signal: search=yes,").len(), 6);
    for nothing in ["# Dis", "Disallow: /a # /", "Sitemap: ", "Love: "] {
        assert_eq!(labels(nothing), Vec::<String>::new(), "{nothing}");
    }
}

#[test]
fn a_completion_replaces_the_typed_part() {
    let mut client = Client::with_document("User-agent: *\nContent-Signal: search=yes, ai-t\n Cra");
    let list = client.at("textDocument/completion", 1, 32);
    let item = &list["items"][5];
    assert_eq!(item["textEdit"]["newText"], "ai-train=no");
    let start = json!({ "line": 1, "character": 28 });
    assert_eq!(item["textEdit"]["range"]["start"], start);
    let list = client.at("textDocument/completion", 2, 4);
    let items = list["items"].as_array().unwrap().iter();
    let delay = items
        .clone()
        .find(|item| item["label"] == "Crawl-delay")
        .unwrap();
    assert_eq!(delay["textEdit"]["newText"], "Crawl-delay: ");
    let range =
        json!({ "start": { "line": 2, "character": 1 }, "end": { "line": 2, "character": 4 } });
    assert_eq!(delay["textEdit"]["range"], range);
    assert_eq!(
        delay["detail"],
        "the seconds between two requests of a robot of the group"
    );
    client.finish();
}

#[test]
fn a_completion_before_a_colon_replaces_the_key() {
    for (text, column, new, range) in [
        ("Disalow: /x", 7, "Disallow", [0, 7]),
        ("  Dis|al : /x", 5, "Disallow", [2, 8]),
        ("Dis # a: b", 3, "Disallow: ", [0, 3]),
        ("\u{feff}Dis", 4, "Disallow: ", [1, 4]),
        ("\u{feff}Dis: /", 2, "Disallow", [1, 4]),
    ] {
        let mut client = Client::with_document(text);
        let list = client.at("textDocument/completion", 0, column);
        let mut items = list["items"].as_array().unwrap().iter();
        let item = items.find(|item| item["label"] == "Disallow").unwrap();
        let edit = &item["textEdit"];
        assert_eq!(edit["newText"], new, "{text}");
        let columns = ["start", "end"].map(|end| edit["range"][end]["character"].clone());
        assert_eq!(columns, range.map(|column| json!(column)), "{text}");
        client.finish();
    }
}

#[test]
fn a_long_list_of_completions_is_cut() {
    let paths: String = (0..1500).map(|n| format!("Disallow: /{n:04}\n")).collect();
    let text = format!("User-agent: *\n{paths}Disallow: /12");
    let mut client = Client::with_document(&text);
    // As the word grows, the list shrinks.
    for (column, number) in [(10, 1000), (13, 100)] {
        let list = client.at("textDocument/completion", 1501, column);
        assert_eq!(list["items"].as_array().unwrap().len(), number);
        assert_eq!(list["isIncomplete"], true);
    }
    client.finish();
}

#[test]
fn the_outline_has_groups_with_their_rules() {
    let document = json!({ "textDocument": { "uri": URI } });
    let mut client = Client::with_document(TEXT);
    let symbols = client.result("textDocument/documentSymbol", document.clone());
    let shown: Vec<_> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| {
            let children = symbol["children"]
                .as_array()
                .map(Vec::len)
                .unwrap_or_default();
            let line = |at: &str| symbol["range"][at]["line"].as_u64().unwrap();
            (
                symbol["name"].as_str().unwrap(),
                children,
                line("start"),
                line("end"),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("Googlebot", 3, 2, 5),
            ("*", 2, 7, 9),
            ("Sitemap: https://shop.example/s.xml", 0, 10, 10),
        ]
    );
    assert_eq!(symbols[0]["children"][2]["name"], "Disallow: /x");
    let selection = &symbols[0]["selectionRange"];
    assert_eq!(selection["start"], json!({ "line": 2, "character": 0 }));
    let folds = client.result("textDocument/foldingRange", document.clone());
    assert_eq!(
        folds,
        json!([
            { "startLine": 0, "endLine": 1, "endCharacter": 3, "kind": "comment" },
            { "startLine": 2, "endLine": 5, "endCharacter": 11 },
            { "startLine": 7, "endLine": 9, "endCharacter": 9 },
        ])
    );
    client.finish();
    // A client that cannot nest symbols gets a list.
    let mut client = Client::with(json!({}));
    client.open(URI, "robots", TEXT);
    let symbols = client.result("textDocument/documentSymbol", document);
    let list = symbols.as_array().unwrap();
    assert_eq!(list.len(), 8);
    assert_eq!(list[1]["name"], "Disallow: /private/");
    assert_eq!(list[1]["containerName"], "Googlebot");
    assert_eq!(list[1]["location"]["uri"], URI);
    client.finish();
}

#[test]
fn the_outline_has_a_limit() {
    let document = json!({ "textDocument": { "uri": URI } });
    let rules = "Disallow: /a\n";
    for (count, expected) in [(9_998, 9_999), (9_999, 10_000), (10_000, 10_000)] {
        let mut client = Client::with(usual());
        client.open(
            URI,
            "robots",
            &format!("User-agent:\n{}", rules.repeat(count)),
        );
        let symbols = client.result("textDocument/documentSymbol", document.clone());
        assert_eq!(symbols[0]["name"], "(no name)");
        let children = symbols[0]["children"].as_array().unwrap().len();
        assert_eq!(children + 1, expected);
        client.finish();
    }
    let group = "User-agent: a\nDisallow: /a\n";
    for (count, expected) in [(4_999, 4_999), (5_000, 5_000), (5_001, 5_000)] {
        let mut client = Client::with(usual());
        client.open(URI, "robots", &group.repeat(count));
        let folds = client.result("textDocument/foldingRange", document.clone());
        assert_eq!(folds.as_array().unwrap().len(), expected);
        client.finish();
    }
}
