//! Generated documents that are hard to read, from a seed. [`page`] returns one of a grammar of tricky pieces, [`document`]
//! one with a tricky BODY, and [`mutated`] a real page with a damaged start.
//!
//! In two thirds of the pages almost no piece ends HEAD, so that heads are long, but every piece occurs. Pages are in
//! UTF-8, some with invalid bytes. The generator avoids input on which the oracle panics: html5ever 0.39 does so if the
//! content of a META that names the encoding ends with `charset`. It also avoids `&#10` without a semicolon after `<pre>`:
//! html5ever does not ignore this line feed, as a parse error comes before it.

use std::collections::BTreeSet;
use std::mem;
use std::ops::Range;

/// The maximum length of the part of a real page that [`mutated`] takes, in bytes.
const MUTATED_BYTES: usize = 16 * 1024;

/// Invalid UTF-8.
#[rustfmt::skip]
const BYTES: &[&[u8]] = &[b"\xFF", b"\xC3", b"\xC0\x80", b"\xE2\x82", b"\xED\xA0\x80", b"\xF4\x90\x80\x80"];

/// A rule: its name; the percentage of its usual text; that text; the other texts.
type Rule = (&'static str, usize, &'static str, &'static [&'static str]);

/// The grammar. A text may have these references:
///
/// | reference | replaced by |
/// | --- | --- |
/// | `{rule}` | a text of that rule |
/// | `{*rule}` | up to five texts of the rule |
/// | `{~meta}` | the name in random case |
/// | `{#}` | a number that occurs once |
/// | `{@name values}` | an attribute with a value of the rule `values`, in which `put-in` may be inserted |
/// | `{%}` | invalid UTF-8 |
/// | `{=title}`, `{/title}`, `{-title}` | an element with only text, its end tag, and a text similar to an end tag: the rules `=`, `/` and `-`, in which `{~}` is the name |
#[rustfmt::skip]
const RULES: &[Rule] = &[
    ("start", 40, "{mark}{lead}{doctype}{html}{head}{charset}",
        &["{mark}{lead}{doctype}{space}{html}{space}{comment}{head}", "{mark}{lead}{head}{charset}",
        "{mark}{lead}{doctype}{head}{charset}\n", "{mark}"]),
    ("mark", 80, "", &["\u{FEFF}", "\u{FEFF}", "\u{FEFF}", "\u{FEFF}", "\u{FEFF}", "\u{FEFF}\u{FEFF}"]),
    ("lead", 70, "", &["{comment}", "{bogus}", "{space}"]),
    ("html", 40, "<html>", &["", "", "<html lang=en>", "<HTML xmlns='x>'>", "<html\nx>"]),
    ("head", 50, "<head>", &["", "", "<head profile='x>y'>", "<HEAD\n>", "<head/>"]),
    ("tail", 50, "", &["{/head}", "<template>{leak}</template>{/head}{apart}<body>{text}", "{/head}{break}{text}{meta}", "{/head}\n<body>{text}{meta}",
        "<body>{svg}{break}{meta}</body></html>{meta}"]),
    ("piece", 91, "{calm}", &["{break}", "{break}", "{text}"]),
    ("calm", 30, "{some}", &["{meta}", "{meta}", "{meta}", "{meta}", "{link}", "{comment}", "{script}",
        "{script}", "{template}", "{template}", "{noscript}", "{space}"]),
    ("some", 0, "", &["{=title}", "{=title}", "{=style}", "{=noframes}", "{legal}", "{legal}", "{end}",
        "{end}", "{bogus}", "{bogus}", "{charset}", "{doctype}", "{/head}"]),
    ("legal", 0, "", &["<base href=/>", "<basefont>", "<bgsound src=x>", "<html lang=x>", "<html a=b a=c>",
        "<head>", "<head a=b>", "<HEAD/>", "<meta>", "<meta/>", "<link>", "<link/>", "</head><head>",
        "</head><html lang=x>", "</head> <!-- x -->\n"]),
    ("space", 15, "{coded}", &[" ", "\n", "\t", "\x0C", "\r", "\r\n", "\n\n  ", " \r\r\n", "\r \n"]),
    ("coded", 0, "", &["&#32;", "&#x20", "&Tab;", "&NewLine;", "&#10", "&#x0C;", "&#13;", "&#x9;"]),
    ("end", 0, "", &["</meta>", "</link>", "</title>", "</script>", "</style>", "</noscript>", "</foo>",
        "</p>", "</div>", "</a>", "</b>", "</form>", "</select>", "</table>", "</svg>", "</template>",
        "</template>", "</title/>", "</TEMPLATE x='>'>", "</foo\0>", "</h1 / >",
        "</meta name=robots content=none>", "</base><!---->", "</foo x=\"</head>\">"]),
    ("break", 0, "", &["<body>", "<body a=b>", "<frameset>", "<div>", "<p>", "<image>", "<iframe>",
        "<object>", "<table>", "<b>", "<form>", "<select>", "<plaintext>", "<input type=hidden>", "<metas>",
        "<me{odd}ta name=robots content=none>", "<meta{odd}>", "<lin\0k>", "<html:meta>", "</body>",
        "</html>", "</br>", "{svg}", "</head></br>", "</html>{comment}", "{=xmp}", "{=iframe}"]),
    ("text", 0, "", &["x", "&nbsp;", "&amp", "\0", "\u{A0}", "\u{FEFF}", "\x0B", "\u{2028}", "{odd}",
        "< meta name=robots content=none>", "<1>", "<<meta name=robots>", "<>", "<", "<=", "<\0", "< ", "<-",
        "<\"", "<é>", "<\u{A0}>", "</", " x ", "{reference}", "]]>", "-->"]),
    ("doctype", 60, "<!DOCTYPE html>", &["", "", "{doctype}{doctype}", "<!doctype>", "<!DOCTYPE >",
        "<!DOCTYPEhtml>", "<!doctype html\n>",
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/strict.dtd\">",
        "<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 3.2//EN'>", "<!DOCTYPE HTML PUBLIC>",
        "<!DOCTYPE html SYSTEM 'about:legacy-compat'>", "<!DOCTYPE html PUBLIC\"a\"'b'>",
        "<!DOCTYPE html PUBLIC 'a>", "<!DOCTYPE html SYSTEM \"a>b\">", "<!DOCTYPE\0html>",
        "<!DOCTYPE h{odd}>", "<!DOCTYPE html PUBLIC ''''y>", "<!DOCTYPE html [<!ENTITY a 'b'>]>"]),
    ("charset", 50, "<meta charset=utf-8>", &["", "", "<meta charset=\"utf-8\">", "<META CHARSET='UTF-8'/>",
        "<meta charset = \"utf-8\" charset=utf8x>", "<meta name=x charset=utf-8 content=y>",
        "<meta http-equiv=Content-Type content='text/html; charset=utf-8'>",
        "<meta content=\"text/html;charset = 'utf-8'\" http-equiv=content-type>", "{odd-charset}"]),
    ("odd-charset", 0, "", &["<meta charset>", "<meta charset=>", "<meta charset=\"\">",
        "<meta charset=utf8x>", "<meta http-equiv=content-type content=text/html>",
        "<meta http-equiv=content-type content='charset;charset=utf-8'>"]),
    ("comment", 40, "<!--{*in-comment}-->", &["<!--{*in-comment}--!>", "<!--{*in-comment}--->", "<!-->",
        "<!--->", "<!---->", "<!----->", "<!----!>", "<!-- -- >-->", "<!--<!-->", "<!--<!--->", "<!--<!---->",
        "<!--<!--x-->", "<!--a--!-->", "<!--a--!--!>", "<!--a--!-!>-->", "<!--<!-x-->", "<!--<!--!>",
        "<!--x--!->-->", "<!--\0-->", "<!--[if IE]><meta name=robots content=none><![endif]-->",
        "<![if !IE]><![endif]>", "<!-- x", "<!--x--!", "<!--", "<!--x-"]),
    ("in-comment", 0, "", &["-", "--", "--!", "<!--", "<!", "<!-", "<", ">", "->", " a > b ", "\0", "é",
        "{odd}", "-- >", "--!x", "</head>", "]]>", "<meta name=robots content=none>"]),
    ("bogus", 0, "", &["<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='utf-8'?>", "<?>", "<!x>",
        "<?php echo \"<a>", "<?meta name=robots content=none>", "<!>", "<! -->", "</ x>", "</>",
        "</ meta name=robots>", "<![CDATA[ x ]]>", "<![CDATA[x>", "<!->", "<!-x->", "<!doctyp>",
        "<!ELEMENT a \"x\">", "</\0>", "</é>", "</1>", "<!\0>", "<?<!--?>", "</!-- -->", "<!-", "<!", "</ ",
        "<!docty", "<?", "<!{odd}>", "<!--\r\n--><!\r>"]),
    ("meta", 50, "<{~meta}{first}{junk}{key}{content}{junk}{tag-end}",
        &["<{~meta}{first}{key}{junk}{content}{tag-end}", "<{~meta}{first}{content}{junk}{key}{tag-end}",
        "<{~meta}{first}{content}{key}{junk}{tag-end}", "<{~meta}{first}{key}{key}{*content}{tag-end}"]),
    ("key", 55, "{@name names}", &["{@property names}", "{@http-equiv pragmas}", "{@itemprop names}",
        "NAME=&#114;obots ", "{@value names}", "na{odd}me=robots ", "name "]),
    ("content", 75, "{@content contents}", &["{@value contents}", "{@value contents}", "content ", "content=",
        "content= ", "content=\"\" ", "content = ''", "content=\"noindex", "content='"]),
    ("link", 70, "<{~link}{first}{@rel rels}{junk}{@href urls}{tag-end}",
        &["<{~link}{first}{@href urls}{@rel rels}{tag-end}", "<link {*junk}{tag-end}",
            "<link {@rel rels} {@href urls} {@type types}{tag-end}"]),
    ("first", 90, " ", &["\n", "\t", "/", "\x0C", "\r", "\r\n", " / ", "//", " \n\t "]),
    ("gap", 75, " ", &["", "", "", "{first}", "\n", "/"]),
    ("equals", 90, "=", &[" = ", "= ", " =", "\n=\n", "==", "\t=", "=\x0C", "\r\n=\r\n", "\0=", "=/", "/="]),
    ("tag-end", 75, ">", &[">\n", ">\r\n", "/>", " />", " >", "/ >", "\n>", "//>", "\x0C>", "/", "", "<>"]),
    ("junk", 88, "", &["=x ", "=name=robots ", "a==b ", "\" ", "' ", "\"a\"=b ", "a\"b'c=d ", "/ ", "/ / ",
        "a/b=c ", "name=robots ", "NAME=x ", "content=x ", "CONTENT='y'", "a\0b=c ", "é=ü ", "a<b=c ", "< ",
        "x='<a>'", "x=\"a>b\"", "id ", "= ", "== ", "a=b=c ", "a = b ", "&amp;=&lt ", "a=<b ",
        "\u{212A}=k K=k ", "\u{FEFF}=x ", "\u{A0}", "a='\r\n\r'", "x=`y` ", "{odd}={odd} ", "a=b\0 ",
        "x=&quot;y z ", "xml:lang=en ", "`=x a=\"b\"c='d'"]),
    ("names", 25, "robots", &["ROBOTS", " robots ", "robots, googlebot", "googlebot", "Googlebot-News",
        "description", "keywords", "revisit-after", "og:title", "twitter:card", ""]),
    ("pragmas", 0, "", &["refresh", "X-Robots-Tag", "x-robots-tag", "content-language", "Content-Type", ""]),
    ("contents", 20, "noindex", &["noindex, nofollow", "none", "&#x6e;oi&#110dex", "index,follow",
        "NOINDEX NOFOLLOW", "all", "max-snippet:-1, none", "unavailable_after: 1 Jan 2010",
        "otherbot: noindex", "0; url=/x?a=1&b=2&copy=3", "7 days", "", "noindex;nofollow", "é ü", "日本語",
        "no&#105;ndex&#44; nofollow&amp;x", "a\r\nb\rc\n", "<b>x</b>", "it's", "say \"no\""]),
    ("rels", 30, "canonical", &["stylesheet", "license nofollow", "alternate", "ICON", ""]),
    ("types", 30, "application/rsl+xml", &["text/css", "APPLICATION/RSL+XML; charset=utf-8", " application/rsl+xml ", ""]),
    ("urls", 30, "/", &["https://example.com/a?b=c&d=e", "//x/<y>", "a/b/", "/&amp;/", "#", ""]),
    ("put-in", 50, "{reference}", &["{odd}", "{odd}", "{value-part}"]),
    ("value-part", 0, "", &["<", ">", "<meta name=robots content=none>", "=", "/", "'", "\"", "</head>",
        "\n"]),
    ("odd", 20, "{%}", &["\u{A0}", "\u{FEFF}", "\x0C", "\x0B", "\0", "\r", "\r\n", "\n", "é", "日本", "😀",
        "\u{FFFD}", "\u{7F}", "\u{85}", "\u{212A}", "\u{10FFFF}", "\x01"]),
    ("reference", 0, "", &["&amp;", "&amp", "&ampx", "&amp=", "&amp;=", "&not", "&notit", "&notit;",
        "&notin;", "&notin", "&not;in", "&copy", "&copy=1", "&copy1", "&copy;", "&lt", "&LT;", "&gt",
        "&quot;", "&apos;", "&apos", "&NotEqualTilde;", "&NotEqualTilde", "&bogus;", "&", "&&", "& ", "&;",
        "&=", "&#", "&#;", "&#x", "&#x;", "&#X;", "&#xg", "&#a", "&#0;", "&#x0;", "&#00", "&#9;", "&#13;",
        "&#32", "&#105;", "&#x69", "&#X69;", "&#128;", "&#x80;", "&#x81", "&#x8D;", "&#x9F;", "&#150",
        "&#xD800;", "&#xDFFF", "&#x10FFFF;", "&#x110000;", "&#xFFFE;", "&#xFDD0;", "&#1114112;",
        "&#99999999999999999999;", "&#xFFFFFFFFFFFFFFFFFF", "&#x100000069;", "&#4294967401;", "&nbsp",
        "&nbsp;", "&fjlig;", "&nvlt;", "&acE;", "&sup1", "&sup1;", "&frac14=", "&ThickSpace;", "&lt;!--",
        "&CounterClockwiseContourIntegral;", "&amp;amp;", "&\0", "&é;", "&#x\u{FF11};", "&AMP", "&aMp;"]),
    ("extra", 85, "", &[" a=b", " x=\"</script>\"", "/", " src=x /", " a='>'", " <", "\n", " a='<!--'",
        " shadowrootmode=open", " type=hidden", "\x0C", " =", " a=b A=c"]),
    ("=", 88, "<{~}>{*in-text}{/}", &["<{~}{extra}>{*in-text}{/}"]),
    ("/", 76, "</{~}>", &["</{~} >", "</{~}\n>", "</{~}\t>", "</{~}\x0C>", "</{~}\r\n>", "</{~}/>",
        "</{~} />", "</{~} x=\">\">", "</{~} a=b>", "</{~} x='</title></script>'>", "</{~}/x>", "", "", ""]),
    ("-", 10, "</ {~}>", &["< /{~}>", "<//{~}>", "<{~}>", "<</{~}", "&lt;/{~}>", "</{~}X>", "</{~}x",
        "</{~}\x0B>", "</{~}\0>", "</{~}\u{A0}>", "</{~}<", "</{~}-", "</{~}-->", "</{~}é>", "</{~}:>"]),
    ("in-text", 40, "{-}", &["<!--", "-->", "<", "</", "x", "<title>", "</titl>", "</styl>", "</noframe>",
        "</textare>", "</head>", "<body>", "{odd}", "<meta name=robots content=none>", "{reference}",
        "{reference}", "]]>", "</ ", "<!-", "{comment}"]),
    ("script", 50, "<{~script}{extra}>{*in-script}-->{/script}", &["<{~script}{extra}>{*in-script}{/script}",
        "<script><!--{*in-script}--></script>", "<script><!--<script {*in-script}--></script>",
        "<script><!--<script>{*in-script}</script>{*in-script}</script>", "<script>{*in-script}{script-end}",
        "<script>{*in-script}{script-end}<script>{*in-script}-->{/script}{/script}"]),
    ("in-script", 0, "", &["<!--", "<!--", "<!-->", "<!--->", "<!---->", "-->", "--!>", "->", "-", "--",
        "---", "<", "<!", "<!-", "</", "<script", "<script>", "<script>", "<SCRIPT\n>", "<script/",
        "<scriptx", "<scriptx>", "<script ", "<scrip", "<<script>", "</<script>", "{-script}", "{-script}",
        " a ", "<!--<script>", "<!--<script></script>", "document.write(\"<body>\")", "</head>", "&amp;",
        "]]>", "<meta name=robots content=none>", "//<![CDATA[", "{odd}"]),
    ("script-end", 0, "", &["</script>", "</script x=\"</script>\">", "</SCRIPT\n>", "</script/>",
        "</script\t>", "</script/", "</script ", "</script\x0C>", "</script", "</scrIPT/x='>'>"]),
    ("noscript", 100, "<{~noscript}{extra}>{*in-noscript}{/noscript}", &[]),
    ("in-noscript", 85, "{quiet}", &["<noscript>", "<head>", "x", "</br>", "</p>", "<img src=x>",
        "</noscript>", "</head>", "<p>", "</template>", "</style>", "\u{A0}", "</body>", "{doctype}",
        "{coded}", "{=title}", "{script}", "{template}", "{charset}"]),
    ("quiet", 25, "{meta}", &["{link}", "{=style}", "{=noframes}", "{comment}", "{space}", "{legal}"]),
    ("template", 90, "<{~template}{extra}>{*in-template}{/template}",
        &["<{~template}>{*in-template}{*in-template}{*in-template}{/template}"]),
    ("in-template", 40, "{tree}", &["{meta}", "{meta}", "{link}", "{comment}", "{script}", "{=title}",
        "{=style}", "{=textarea}", "{=xmp}", "{=iframe}", "{=noembed}", "{=noframes}", "{noscript}",
        "{template}", "{svg}", "{svg}", "{text}", "{end}", "{legal}"]),
    ("tree", 0, "", &["<table>", "<table><meta name=a>", "<tr>", "<td>", "<caption>", "<colgroup>", "<col>",
        "<tbody>", "</table>", "</td>", "<table>x<tr>y", "<select>", "<option>", "<optgroup>", "</select>",
        "<select><textarea>", "<select><template>", "<hr>", "<input>", "<frameset>", "<frame>", "</frameset>",
        "<body>", "</body>", "<html a=b>", "</html>", "<head>", "</head>", "<b>", "<i>", "</b>", "<a>", "<p>",
        "</p>", "<font>", "<nobr><nobr>", "<button>", "<form>", "</form>", "<div>", "</div>", "<ul><li>",
        "<dd><dt>", "</br>", "<br>", "<image>", "<object>", "</object>", "<marquee>", "<b><p></b></p>",
        "<a><table><a>", "<ruby><rt>", "<h1><h2>", "<pre>\n", "<listing>", "<textarea>", "<plaintext>",
        "</template>", "<table><template>", "<tr><template><td>", "<col><template>"]),
    ("svg", 50, "<{~svg}>{*in-svg}{/svg}", &["<{~math}>{*in-svg}{/math}", "<svg/>", "<math/>"]),
    ("in-svg", 0, "", &["{meta}", "{=title}", "{=style}", "{script}", "{template}", "<title>", "<style>",
        "<style/>", "<script/>", "<desc>", "<foreignObject>", "<annotation-xml encoding=text/html>", "<mi>",
        "<mglyph>", "<mtext>", "<malignmark>", "<p>", "<font color=x>", "<g/>", "<g>", "</p>", "</br>",
        "</title>", "</template>", "<![CDATA[ x ]]>", "<![CDATA[</template>]]>", "<![CDATA[]]]>", "<svg>",
        "<math>", "<table>", "</foreignObject>", "{comment}", "{text}"]),
    ("content-piece", 25, "{marked}", &["{format}", "{format}", "{format}", "{end-format}", "{end-format}",
        "{end-format}", "{block}", "{block}", "{block}", "{end-block}", "{end-block}", "{scoped}", "{end-scoped}",
        "{in-table}", "{in-table}", "{in-template}", "{apart}", "x", "{blank}"]),
    ("blank", 40, " ", &["\n", "\r", "\r\n", "\n\n", "\r\n ", "&#10;", "&#13;", "&NewLine;"]),
    ("apart", 60, "<template>{*content-piece}</template>", &["<template>{leak}{*content-piece}</template>{*content-piece}",
        "<template>{leak}</template>{*apart}", "<table><tr><template>{*content-piece}</template>{*content-piece}",
        "<select><template>{*content-piece}</template>", "<form><template><form action={#}>{*content-piece}</template>",
        "<b><p><template>{leak}{*content-piece}</template></b>{*content-piece}"]),
    ("leak", 40, "<a href={#}>{left-open}", &["<a href={#}><b>{left-open}", "<a href={#} rel=nofollow>{content-piece}{left-open}",
        "<b><a href={#}>{left-open}<a href={#}>", "<a>{left-open}", "<nobr><font>{left-open}", "<a href=x href={#}>{left-open}"]),
    ("left-open", 40, "<object>", &["<applet>", "<marquee>", "<table><td>", "<caption>", "<td>", "<td><object></td>"]),
    ("marked", 30, "<meta name=robots content={#}>", &["<a href={#}>", "<a href={#} rel=nofollow>", "<area href={#}>",
        "<form action={#}>", "<span data-nosnippet>", "<div data-nosnippet=x>", "<section data-nosnippet>"]),
    ("format", 30, "<b>", &["<i>", "<font>", "<font color=x>", "<nobr>", "<a>", "<a href={#}>", "<em>", "<code>",
        "<u>", "<s>", "<b id={#}>"]),
    ("end-format", 30, "</b>", &["</i>", "</font>", "</nobr>", "</a>", "</a>", "</em>", "</code>", "</u>", "</s>"]),
    ("block", 30, "<p>", &["<div>", "<section>", "<ul><li>", "<li>", "<dl><dd>", "<h1>", "<center>", "<blockquote>",
        "<pre>", "<pre>{blank}", "<span>", "<hr>"]),
    ("end-block", 30, "</p>", &["</div>", "</section>", "</ul>", "</li>", "</dd>", "</h2>", "</center>",
        "</blockquote>", "</pre>", "</span>", "</body>", "</html>"]),
    ("scoped", 20, "<button>", &["<object>", "<applet>", "<marquee>", "<select>", "<option>", "<template>", "<svg>",
        "<foreignObject>", "<math>", "<mi>", "<annotation-xml encoding=text/html>", "<noscript>", "<ruby><rt>",
        "<form>", "<frameset>"]),
    ("end-scoped", 20, "</button>", &["</object>", "</applet>", "</marquee>", "</select>", "</option>", "</template>",
        "</svg>", "</foreignObject>", "</math>", "</mi>", "</noscript>", "</form>"]),
    ("in-table", 20, "<table>", &["<table>{marked}", "<tbody>", "<tr>", "<td>", "<th>", "<caption>", "<colgroup>",
        "<col>", "</table>", "</tbody>", "</tr>", "</td>", "</caption>", "</colgroup>"]),
];

/// A small generator of random numbers (`SplitMix64`), which are the same everywhere.
#[derive(Debug, Clone, Default)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates a generator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns a number below `end`; 0 if there is none.
    pub fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let number = (mixed ^ (mixed >> 31)).checked_rem(u64::try_from(end).unwrap_or(u64::MAX));
        usize::try_from(number.unwrap_or_default()).unwrap_or_default()
    }

    /// Returns one of these; the default if there are none.
    pub fn pick<T: Copy + Default>(&mut self, from: &[T]) -> T {
        let at = self.below(from.len());
        from.get(at).copied().unwrap_or_default()
    }

    /// Returns true with this probability, in percent.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Returns a document: the start of a page, 1 to 40 tricky pieces, and sometimes a BODY.
#[must_use]
pub fn page(seed: u64) -> Vec<u8> {
    Page::whole(seed).bytes
}

/// Returns a document: the start of a page, and a BODY of 1 to 60 tricky pieces, most of which open or close elements.
#[must_use]
pub fn document(seed: u64) -> Vec<u8> {
    Page::with_body(seed).bytes
}

/// Returns the first 16 KiB of a page with one to eight mutations, most of them before its BODY. The result always
/// differs from the original.
#[must_use]
pub fn mutated(page: &[u8], seed: u64) -> Vec<u8> {
    let start = page.get(..MUTATED_BYTES).unwrap_or(page);
    let head = find(start, b"<body").unwrap_or(start.len());
    let mut maker = Page::new(seed);
    let mut bytes = start.to_vec();
    for _ in 0..=maker.random.below(8) {
        let (range, instead) = maker.mutation(&bytes, head);
        bytes.splice(range, instead);
    }
    damage_bare_charsets(&mut bytes);
    if bytes == start {
        bytes.push(b'<');
    }
    bytes
}

/// Returns the start of a word, case-insensitive.
fn find(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes
        .windows(word.len())
        .position(|window| window.eq_ignore_ascii_case(word))
}

/// Damages each `charset` without a following `=`: the oracle may panic at these.
fn damage_bare_charsets(bytes: &mut [u8]) {
    let mut from = 0_usize;
    while let Some(at) = find(bytes.get(from..).unwrap_or_default(), b"charset") {
        from = from.saturating_add(at).saturating_add("charset".len());
        let after = bytes.get(from..).unwrap_or_default().trim_ascii_start();
        if !after.starts_with(b"=")
            && let Some(last) = bytes.get_mut(from.saturating_sub(1))
        {
            *last = b'x';
        }
    }
}

/// A page during its generation.
#[derive(Default)]
struct Page {
    random: Random,
    bytes: Vec<u8>,
    /// The name of the current element.
    name: &'static str,
    /// The rules used with an unusual text, each with the number of that text.
    used: BTreeSet<(&'static str, usize)>,
}

impl Page {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            ..Self::default()
        }
    }

    fn whole(seed: u64) -> Self {
        let mut page = Self::new(seed);
        let piece = page.random.pick(&["calm", "calm", "piece"]);
        page.rule("start");
        let most = page.random.pick(&[4, 10, 20, 40]);
        for _ in 0..=page.random.below(most) {
            page.rule(piece);
        }
        page.rule("tail");
        // Some pages are damaged, some cut off.
        if page.random.chance(10) {
            for _ in 0..=page.random.below(3) {
                page.insert_text("odd", 0);
            }
            damage_bare_charsets(&mut page.bytes);
        }
        if page.random.chance(15) {
            let length = page.bytes.len().saturating_sub(page.random.below(60));
            page.bytes.truncate(length);
        }
        page
    }

    fn with_body(seed: u64) -> Self {
        let mut page = Self::new(seed);
        page.rule("start");
        let most = page.random.pick(&[4, 10, 20, 60]);
        for _ in 0..=page.random.below(most) {
            page.rule("content-piece");
        }
        page
    }

    fn rule(&mut self, name: &'static str) {
        let rule = RULES.iter().find(|rule| rule.0 == name);
        let (_, percent, usual, others) = rule.copied().unwrap_or_default();
        if self.random.chance(percent) {
            return self.text(usual);
        }
        let at = self.random.below(others.len());
        self.used.insert((name, at));
        self.text(others.get(at).copied().unwrap_or_default());
    }

    fn text(&mut self, mut text: &'static str) {
        while let Some((before, after)) = text.split_once('{') {
            self.bytes.extend_from_slice(before.as_bytes());
            let (reference, after) = after.split_once('}').unwrap_or_default();
            self.reference(reference);
            text = after;
        }
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn reference(&mut self, reference: &'static str) {
        let (sign, name) = reference.split_at_checked(1).unwrap_or_default();
        let name = if name.is_empty() { self.name } else { name };
        match sign {
            "~" => self.any_case(name),
            "#" => {
                let number = self.bytes.len().to_string();
                self.bytes.extend_from_slice(number.as_bytes());
            }
            "@" => self.attribute(name),
            "%" => self.bytes.extend_from_slice(self.random.pick(BYTES)),
            "*" => {
                for _ in 0..self.random.below(6) {
                    self.rule(name);
                }
            }
            "=" | "/" | "-" => {
                let outer = mem::replace(&mut self.name, name);
                self.rule(sign);
                self.name = outer;
            }
            _ => self.rule(reference),
        }
    }

    fn any_case(&mut self, name: &str) {
        let mixed = self.random.chance(12);
        for mut byte in name.bytes() {
            if mixed && self.random.chance(70) {
                byte.make_ascii_uppercase();
            }
            self.bytes.push(byte);
        }
    }

    fn attribute(&mut self, name_and_values: &'static str) {
        let (name, values) = name_and_values.split_once(' ').unwrap_or_default();
        let quote = self.random.pick(&["\"", "\"", "\"", "'", "'", ""]);
        self.any_case(name);
        self.rule("equals");
        self.text(quote);
        self.value(values);
        self.text(quote);
        self.rule("gap");
    }

    /// Adds a value, sometimes with an insertion.
    fn value(&mut self, values: &'static str) {
        let from = self.bytes.len();
        self.rule(values);
        for _ in 0..self.random.pick(&[0, 0, 0, 0, 0, 1, 1, 1, 2]) {
            self.insert_text("put-in", from);
        }
    }

    /// Inserts a rule's text at a random position after `from`.
    fn insert_text(&mut self, rule: &'static str, from: usize) {
        let length = self.bytes.len().saturating_sub(from);
        let at = self.random.below(length.saturating_add(1));
        let after = self.bytes.split_off(from.saturating_add(at));
        self.rule(rule);
        self.bytes.extend_from_slice(&after);
    }

    /// Returns a position in a page, mostly before its BODY and at the edge of a tag.
    fn place(&mut self, bytes: &[u8], head: usize) -> usize {
        let most = self.random.pick(&[head, head, head, head, usize::MAX]);
        let at = self.random.below(most.min(bytes.len()).saturating_add(1));
        let rest = bytes.get(at..).unwrap_or_default();
        let ahead = match self.random.below(4) {
            0 | 1 => find(rest, b"<").unwrap_or_default(),
            2 => find(rest, b">").map_or(0, |before| before.saturating_add(1)),
            _ => 0,
        };
        at.saturating_add(ahead)
    }

    /// Returns the range that a mutation removes from a page, and its replacement.
    fn mutation(&mut self, bytes: &[u8], head: usize) -> (Range<usize>, Vec<u8>) {
        let at = self.place(bytes, head);
        let next = at.saturating_add(1).min(bytes.len());
        let end = at.saturating_add(self.random.below(64)).min(bytes.len());
        let mut part = bytes.get(at..end).unwrap_or_default().to_vec();
        match self.random.below(20) {
            0..=2 => {
                let bits = self.random.pick(&[0x20_u8, 0x80, 0x01, 0x04, 0xFF]);
                let flipped = bytes.iter().skip(at).take(1).map(|byte| byte ^ bits);
                (at..next, flipped.collect())
            }
            3 | 4 => (at..next, vec![self.random.pick(b"<>\"'=/&-! \0\r\n")]),
            5..=7 => (at..end, Vec::new()),
            8 | 9 => {
                let to = self.place(bytes, head);
                (to..to, part)
            }
            10 | 11 => {
                // Swap two neighbours.
                let middle = self.random.below(part.len());
                part.rotate_left(middle);
                (at..end, part)
            }
            12 => (at..bytes.len(), Vec::new()),
            _ => {
                let rule = self.random.pick(&["piece", "piece", "odd", "value-part"]);
                self.rule(rule);
                (at..at, mem::take(&mut self.bytes))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_one_page() {
        for seed in 0..500 {
            assert_eq!(document(seed), document(seed));
            let made = page(seed);
            assert_eq!(made, page(seed));
            let damaged = mutated(&made, seed);
            assert_eq!(damaged, mutated(&made, seed));
            assert_ne!(damaged, made, "seed {seed}");
        }
        assert_ne!(mutated(b"", 1), b"");
    }

    #[test]
    fn every_piece_occurs() {
        let used: BTreeSet<_> = (0..2000)
            .flat_map(|seed| [Page::whole(seed), Page::with_body(seed)])
            .flat_map(|page| page.used)
            .collect();
        let all: BTreeSet<_> = RULES
            .iter()
            .flat_map(|rule| (0..rule.3.len()).map(move |at| (rule.0, at)))
            .collect();
        assert_eq!(used, all);
    }
}
