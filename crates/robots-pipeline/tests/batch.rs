//! Decisions about the rows of Arrow batches.

#![cfg(feature = "arrow")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure here fails the test"
)]

use arrow_array::builder::{
    BinaryViewBuilder, MapBuilder, StringBuilder, StringDictionaryBuilder, StringViewBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Float64Array, Int32Array,
    Int64Array, LargeBinaryArray, LargeStringArray, ListArray, NullArray, RecordBatch, StringArray,
    StructArray, TimestampMillisecondArray, TimestampNanosecondArray, UInt8Array,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use robots_meta::Timestamp;
use robots_pipeline::batch::{BatchDecider, ColumnError, PageColumns, Pages};
use robots_pipeline::robots::capture_book::CaptureBook;
use robots_pipeline::robots::capture_row::CaptureRow;
use robots_policy::decision::{Value, ValueType};
use robots_policy::{Decision, Page, Policies, Policy, Profile, RobotsFetch};
use std::sync::Arc;

const ROBOTS: &str =
    "User-agent: *\nDisallow: /x\nRequest-rate: 1/5\nRequest-rate: 2/7 0900-1000\nCrawl-delay: 2";

fn batch<'a>(columns: impl IntoIterator<Item = (&'a str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

fn texts(texts: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(texts.to_vec()))
}

fn decider() -> BatchDecider {
    BatchDecider::new(Policies::new(vec![Policy::new("ExampleBot").unwrap()]))
}

/// Returns the pages of a batch, if its columns are as they were found.
fn pages_of(columns: &PageColumns, batch: &RecordBatch) -> Result<Pages, ColumnError> {
    let arrays = columns.indexes();
    let arrays: Vec<ArrayRef> = arrays.map(|(at, _)| Arc::clone(batch.column(at))).collect();
    columns.pages(&arrays, batch.num_rows())
}

fn decide(decider: &BatchDecider, batch: &RecordBatch) -> RecordBatch {
    let columns = PageColumns::of(batch.schema_ref()).unwrap();
    let pages = pages_of(&columns, batch).unwrap();
    decider.decide(&pages, 0).unwrap()
}

/// Returns the values of a column of texts; a null is `-`.
fn column(batch: &RecordBatch, name: &str) -> Vec<String> {
    let column = batch.column_by_name(name).unwrap();
    let values = column.as_string::<i32>().iter();
    values
        .map(|value| value.unwrap_or("-").to_owned())
        .collect()
}

#[test]
fn a_row_has_the_decision_of_its_policy() {
    let url = "https://example.com/x";
    let html = "<meta name=robots content='noindex, unavailable_after: 2026-12-31'>\
                <link rel=license href=https://example.com/terms>";
    let at = |day: i64| Timestamp::from_seconds(day * 86_400);
    let profiles = [Profile::neutral(), Profile::google(), Profile::yandex()];
    let policies = || {
        let of = |profile: &Profile| Policy::under(profile, "ExampleBot").unwrap();
        profiles.each_ref().map(of)
    };
    let pages = batch([
        ("html", texts(&[Some(html), None, Some(html)])),
        ("ignored", Arc::new(NullArray::new(3)) as ArrayRef),
        (
            "url",
            texts(&[Some(url), Some("https://example.com/"), Some("mailto:a")]),
        ),
        (
            "status",
            Arc::new(Int64Array::from(vec![Some(200), None, Some(404)])),
        ),
        (
            "headers",
            texts(&[Some("X-Robots-Tag: noarchive\r\n"), None, None]),
        ),
        (
            "robots_txt",
            texts(&[Some(ROBOTS), Some(ROBOTS), Some(ROBOTS)]),
        ),
    ]);
    let decider = BatchDecider::new(Policies::new(policies().into())).at(at(20_000));
    let decisions = decide(&decider.with_explanations(), &pages);
    assert_eq!(decisions.num_rows(), 9);
    let mut compared = 0;
    let mut check = |row: usize, page: Page<'_>| {
        for (index, policy) in policies().into_iter().enumerate() {
            if Policy::learn(&policy, page.url(), RobotsFetch::Body(ROBOTS.as_bytes())).is_err() {
                assert_eq!(row, 2);
            }
            let decision = policy.decide_page(&page.clone().at(at(20_000)));
            let at = row * 3 + index;
            let all = Decision::columns()
                .iter()
                .chain(Decision::explaining_columns());
            for expected in all {
                let name = expected.name();
                let array = decisions.column_by_name(name).unwrap();
                let value = if expected.value_type() == ValueType::List {
                    let list = array.as_list::<i32>().value(at);
                    let items = list.as_string::<i32>().iter().map(Option::unwrap);
                    Value::List(items.map(|item| item.to_owned().into()).collect())
                } else if array.is_null(at) {
                    Value::Nothing
                } else {
                    match expected.value_type() {
                        ValueType::Bool => Value::Bool(array.as_boolean().value(at)),
                        ValueType::Int => Value::Int(array.as_primitive::<Int64Type>().value(at)),
                        ValueType::Float => Value::Float(
                            array
                                .as_primitive::<arrow_array::types::Float64Type>()
                                .value(at),
                        ),
                        ValueType::Time => {
                            let time = array.as_primitive::<TimestampMicrosecondType>().value(at);
                            Value::Time(Timestamp::from_seconds(time / 1_000_000))
                        }
                        _ => Value::Text(array.as_string::<i32>().value(at).to_owned().into()),
                    }
                };
                assert_eq!(value, expected.value(&decision), "{name} of row {row}");
                compared += 1;
            }
        }
    };
    let html = html.as_bytes();
    let headers = [("X-Robots-Tag", "noarchive")];
    let page = |url| Page::new(url).with_charset("utf-8");
    check(
        0,
        page(url)
            .with_html(html)
            .with_status(200)
            .with_headers(headers),
    );
    check(1, Page::new("https://example.com/"));
    check(2, page("mailto:a").with_html(html).with_status(404));
    assert_eq!(compared, 9 * 30);
    let rows = decisions.column_by_name("row").unwrap();
    assert_eq!(
        rows.as_primitive::<Int64Type>().values(),
        &[0, 0, 0, 1, 1, 1, 2, 2, 2]
    );
}

#[test]
fn the_columns_are_those_of_decisions() {
    let decider = decider();
    let fields = decider.schema().fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let of_decisions = Decision::columns()
        .iter()
        .map(robots_policy::decision::Column::name);
    let expected: Vec<&str> = ["row", "error", "status"]
        .into_iter()
        .chain(of_decisions)
        .collect();
    assert_eq!(names, expected);
    let data_type = |name: &str| {
        decider
            .schema()
            .field_with_name(name)
            .unwrap()
            .data_type()
            .clone()
    };
    let utc = Some("UTC".into());
    assert_eq!(
        data_type("expires_at"),
        DataType::Timestamp(TimeUnit::Microsecond, utc)
    );
    for list in ["licenses", "request_rates"] {
        let items = Field::new_list_field(DataType::Utf8, true);
        assert_eq!(data_type(list), DataType::List(Arc::new(items)));
    }
    let always = fields.iter().filter(|field| !field.is_nullable());
    let always: Vec<&str> = always.map(|field| field.name().as_str()).collect();
    assert_eq!(always, ["row", "agent", "profile"]);
    let explained = decider.with_explanations();
    assert!(
        explained
            .schema()
            .column_with_name("reasons_json")
            .is_some()
    );
}

#[test]
fn every_type_of_bytes_is_read() {
    let urls = [
        "https://a.example/1",
        "https://a.example/longer/than/twelve/bytes",
        "x",
    ];
    let html = ["<meta name=robots content=noindex>", "<p>", ""];
    let all = |texts: [&str; 3]| -> Vec<ArrayRef> {
        let bytes = texts.map(str::as_bytes);
        let values = || texts.into_iter().map(Some);
        let mut view = StringViewBuilder::new();
        let mut binary_view = BinaryViewBuilder::new();
        let mut dictionary = StringDictionaryBuilder::<Int8Type>::new();
        for text in texts {
            view.append_value(text);
            binary_view.append_value(text.as_bytes());
            dictionary.append_value(text);
        }
        let keys = UInt8Array::from(vec![2, 1, 0]);
        let reversed: BinaryArray = bytes.into_iter().rev().map(Some).collect();
        vec![
            Arc::new(values().collect::<StringArray>()),
            Arc::new(values().collect::<LargeStringArray>()),
            Arc::new(view.finish()),
            Arc::new(dictionary.finish()),
            Arc::new(bytes.into_iter().map(Some).collect::<BinaryArray>()),
            Arc::new(bytes.into_iter().map(Some).collect::<LargeBinaryArray>()),
            Arc::new(binary_view.finish()),
            Arc::new(DictionaryArray::new(keys, Arc::new(reversed))),
        ]
    };
    for (url, html) in all(urls).into_iter().zip(all(html)) {
        let name = url.data_type().clone();
        let pages = batch([("url", url), ("html", html)]);
        let decisions = decide(&decider(), &pages);
        assert_eq!(column(&decisions, "url"), urls, "{name}");
        let index = column(&decisions, "index");
        assert_eq!(index, ["no", "unknown", "unknown"], "{name}");
        // A part of a batch is read from its first row.
        let decisions = decide(&decider(), &pages.slice(1, 2));
        assert_eq!(column(&decisions, "url"), urls[1..], "{name}");
        assert_eq!(decide(&decider(), &pages.slice(3, 0)).num_rows(), 0);
    }
}

#[test]
fn a_decoded_page_has_no_encoding_of_its_own() {
    let page = "<meta charset=utf-16le><title>a</title><meta name=robots content=noindex>";
    let latin = b"\xEF\xBB\xBF<title>\xE9</title><meta name=robots content=noindex>";
    let url = || texts(&[Some("https://a.example/")]);
    let index = |html: ArrayRef| {
        column(
            &decide(&decider(), &batch([("url", url()), ("html", html)])),
            "index",
        )
    };
    assert_eq!(index(texts(&[Some(page)])), ["no"]);
    let bytes = |bytes: &[u8]| Arc::new(BinaryArray::from(vec![bytes])) as ArrayRef;
    assert_eq!(index(bytes(latin)), ["no"]);
    // "<title>" in UTF-16, which only the headers name.
    let wide: Vec<u8> = page.bytes().flat_map(|byte| [byte, 0]).collect();
    let pages = batch([
        ("url", url()),
        ("html", bytes(&wide)),
        (
            "headers",
            texts(&[Some("Content-Type: text/html; charset=utf-16le")]),
        ),
    ]);
    assert_eq!(column(&decide(&decider(), &pages), "index"), ["no"]);
}

#[test]
fn headers_are_lines_or_names_and_values() {
    let names = texts(&[Some("X-Robots-Tag"), Some("A"), Some("x-robots-tag")]);
    // A control character hides no directive.
    let values = texts(&[Some("noindex\u{1}"), None, Some("noarchive")]);
    let mut map = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
    map.keys().append_value("X-Robots-Tag");
    map.values().append_value("noindex");
    map.append(true).unwrap();
    map.keys().append_value("A");
    map.values().append_null();
    map.keys().append_value("x-robots-tag");
    map.values().append_value("noarchive");
    map.append(true).unwrap();
    let map = map.finish();
    let with_names = |first: &str, second: &str| -> ArrayRef {
        let pairs = StructArray::from(vec![
            (
                Arc::new(Field::new(first, DataType::Utf8, true)),
                names.clone(),
            ),
            (
                Arc::new(Field::new(second, DataType::Utf8, true)),
                values.clone(),
            ),
        ]);
        let item = Field::new_list_field(pairs.data_type().clone(), true);
        let list = ListArray::from(map.clone());
        let offsets = list.offsets().clone();
        Arc::new(ListArray::new(
            Arc::new(item),
            offsets,
            Arc::new(pairs),
            None,
        ))
    };
    let lines = texts(&[
        Some("HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex"),
        Some("A:\n\nx-robots-tag: noarchive"),
    ]);
    let lists = [with_names("name", "value"), with_names("k", "v")];
    for headers in lists.into_iter().chain([lines, Arc::new(map)]) {
        let pages = batch([
            (
                "url",
                texts(&[Some("https://a.example/"), Some("https://a.example/")]),
            ),
            ("html", texts(&[Some("<p>"), Some("<p>")])),
            ("headers", headers),
        ]);
        let decisions = decide(&decider(), &pages);
        let name = pages.column(2).data_type();
        assert_eq!(column(&decisions, "index"), ["no", "unknown"], "{name}");
        assert_eq!(column(&decisions, "archive"), ["unknown", "no"], "{name}");
    }
}

#[test]
fn a_bad_row_is_an_error_in_its_row() {
    let good = Some("https://a.example/");
    let pages = batch([
        (
            "url",
            Arc::new(BinaryArray::from(vec![
                Some(&b"https://a.example/"[..]),
                None,
                Some(b"\xFF"),
                Some(b"https://a.example/"),
                Some(b"https://a.example/"),
                Some(b"https://a.example/"),
                Some(b"https://a.example/"),
            ])) as ArrayRef,
        ),
        ("html", texts(&[Some("<p>"); 7])),
        (
            "status",
            Arc::new(Float64Array::from(vec![
                Some(200.0),
                None,
                None,
                Some(-1.0),
                Some(f64::NAN),
                None,
                None,
            ])),
        ),
        (
            "fetched_at",
            texts(&[
                None,
                None,
                None,
                None,
                None,
                Some("tomorrow"),
                good.map(|_| "2026-11-23T00:00:00Z"),
            ]),
        ),
        (
            "robots_status",
            Arc::new(Int32Array::from(vec![
                Some(404),
                None,
                None,
                None,
                None,
                None,
                Some(65_536),
            ])),
        ),
    ]);
    let decisions = decide(&decider(), &pages);
    assert_eq!(
        column(&decisions, "error"),
        [
            "-",
            "url is null",
            "url is not valid UTF-8",
            "unexpected status -1: expected 0 to 65535",
            "-",
            "unexpected fetched_at \"tomorrow\": expected a time as in RFC 3339",
            "unexpected robots_status 65536: expected 0 to 65535",
        ]
    );
    assert_eq!(
        column(&decisions, "fetch"),
        ["allow", "-", "-", "-", "unknown", "-", "-"]
    );
    let url = "https://a.example/";
    assert_eq!(
        column(&decisions, "url"),
        [url, "-", "-", url, url, url, url]
    );
    assert_eq!(column(&decisions, "agent"), ["ExampleBot"; 7]);
    let warnings = decisions.column_by_name("warnings").unwrap();
    assert!(warnings.is_null(3) && warnings.is_valid(4));
}

#[test]
fn null_rows_and_null_columns_are_read() {
    let url = Some("https://a.example/");
    let pages = batch([
        ("url", texts(&[url, url])),
        ("html", Arc::new(NullArray::new(2)) as ArrayRef),
        ("status", Arc::new(NullArray::new(2))),
        ("headers", Arc::new(NullArray::new(2))),
        ("robots_txt", Arc::new(NullArray::new(2))),
        ("fetched_at", Arc::new(NullArray::new(2))),
    ]);
    let columns = PageColumns::of(pages.schema_ref()).unwrap();
    let pages = pages_of(&columns, &pages).unwrap();
    let valid = BooleanArray::from(vec![false, true]);
    let decisions = decider()
        .decide(&pages.with_validity(valid).unwrap(), 7)
        .unwrap();
    assert_eq!(column(&decisions, "error"), ["row is null", "-"]);
    assert_eq!(column(&decisions, "page_layer"), ["-", "unseen"]);
    let rows = decisions.column_by_name("row").unwrap();
    assert_eq!(rows.as_primitive::<Int64Type>().values(), &[7, 8]);
}

#[test]
fn the_state_of_robots_txt_is_that_of_the_time() {
    let hours = |hours: i64| hours * 3_600_000;
    let google = || {
        BatchDecider::new(Policies::new(vec![
            Policy::under(&Profile::google(), "Googlebot").unwrap(),
        ]))
    };
    let url = Some("https://a.example/");
    let pages = |times: [Option<i64>; 3]| {
        batch([
            ("url", texts(&[url; 3])),
            ("html", texts(&[None; 3])),
            (
                "robots_status",
                Arc::new(Int32Array::from(vec![503; 3])) as ArrayRef,
            ),
            (
                "robots_fetched_at",
                Arc::new(TimestampMillisecondArray::from(vec![hours(0); 3])),
            ),
            (
                "fetched_at",
                Arc::new(TimestampNanosecondArray::from(
                    times.map(|time| Some(time? * 1_000_000)).to_vec(),
                )),
            ),
        ])
    };
    let decisions = decide(&google(), &pages([Some(hours(11)), Some(hours(13)), None]));
    assert_eq!(column(&decisions, "fetch"), ["defer", "allow", "defer"]);
    let later = google().at(Timestamp::from_seconds(13 * 3_600));
    let decisions = decide(&later, &pages([Some(hours(11)), Some(hours(13)), None]));
    assert_eq!(column(&decisions, "fetch"), ["defer", "allow", "allow"]);
}

#[test]
fn without_its_own_robots_txt_a_row_has_that_of_the_policy() {
    let policy = Policy::new("ExampleBot").unwrap();
    let url = "https://a.example/x";
    policy
        .learn(url, RobotsFetch::Body(b"User-agent: *\nDisallow: /"))
        .unwrap();
    let pages = batch([
        ("url", texts(&[Some(url), Some(url)])),
        ("html", texts(&[None, None])),
        (
            "robots_txt",
            texts(&[None, Some("User-agent: *\nDisallow:")]),
        ),
    ]);
    let decisions = decide(&BatchDecider::new(Policies::new(vec![policy])), &pages);
    assert_eq!(column(&decisions, "fetch"), ["disallow", "allow"]);
}

#[test]
fn a_book_has_the_robots_txt_of_a_time() {
    let policies = Policies::new(vec![Policy::new("ExampleBot").unwrap()]);
    let mut book = CaptureBook::new(&Arc::new(policies.clone()));
    for (day, body) in [
        (1, "User-agent: *\nDisallow: /"),
        (3, "User-agent: *\nAllow: /"),
    ] {
        let row = CaptureRow {
            url: "https://a.example/robots.txt",
            captured_at: Timestamp::parse(&format!("2026-11-0{day}T00:00:00Z")),
            outcome: "response",
            status: Some(200),
            body: Some(body.as_bytes()),
            ..CaptureRow::default()
        };
        book.add_row(&row).unwrap();
    }
    let book = Arc::new(book);
    let decider = BatchDecider::new(policies);
    let decider = decider.with_book(Arc::clone(&book)).unwrap();
    let url = Some("https://a.example/x");
    let pages = batch([
        (
            "url",
            texts(&[url, url, url, url, Some("https://b.example/")]),
        ),
        ("html", texts(&[None; 5])),
        (
            "fetched_at",
            texts(&[
                Some("2026-11-02T00:00:00Z"),
                Some("2026-11-04T00:00:00Z"),
                None,
                Some("2026-11-04T00:00:00Z"),
                None,
            ]),
        ),
        (
            "robots_txt",
            texts(&[None, None, None, Some("User-agent: *\nDisallow: /"), None]),
        ),
    ]);
    assert_eq!(
        column(&decide(&decider, &pages), "fetch"),
        ["disallow", "allow", "allow", "disallow", "unknown"]
    );
    let other = BatchDecider::new(Policies::new(vec![Policy::new("OtherBot").unwrap()]));
    assert!(other.with_book(book).is_err());
}

#[test]
fn columns_that_cannot_be_read_are_errors() {
    let of = |fields: &[(&str, DataType)]| {
        let fields: Vec<Field> = fields
            .iter()
            .map(|(name, data_type)| Field::new(*name, data_type.clone(), true))
            .collect();
        PageColumns::of(&Schema::new(fields))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let (text, number) = (DataType::Utf8, DataType::Int64);
    assert_eq!(of(&[("url", text.clone()), ("html", text.clone())]), Ok(()));
    assert_eq!(
        of(&[("URL", text.clone()), ("html", text.clone())]).unwrap_err(),
        "no column \"url\": the columns are \"URL\", \"html\""
    );
    assert_eq!(
        of(&[("url", text.clone()), ("htlm", text.clone())]).unwrap_err(),
        "no column \"html\": the columns are \"url\", \"htlm\""
    );
    let twice = [
        ("url", text.clone()),
        ("html", text.clone()),
        ("url", text.clone()),
    ];
    assert_eq!(
        of(&twice).unwrap_err(),
        "several columns with the name \"url\""
    );
    let wrong = |name: &'static str, data_type: DataType| {
        let mut fields = vec![("url", text.clone()), ("html", text.clone())];
        fields.retain(|(known, _)| *known != name);
        fields.push((name, data_type));
        of(&fields).unwrap_err()
    };
    assert_eq!(
        wrong("url", number.clone()),
        "column \"url\" has the type Int64: expected strings or binary"
    );
    assert_eq!(
        wrong("url", DataType::Null),
        "column \"url\" has the type Null: expected strings or binary"
    );
    assert!(wrong("html", DataType::Boolean).contains("expected strings or binary"));
    assert!(wrong("status", text.clone()).contains("expected numbers"));
    assert!(wrong("headers", number).contains("a list of structs"));
    assert!(
        wrong(
            "headers",
            DataType::List(Arc::new(Field::new_list_field(text.clone(), true)))
        )
        .contains("a list of structs")
    );
    assert!(wrong("fetched_at", DataType::Boolean).contains("expected timestamps"));
    let pages = batch([("url", texts(&[Some("a")])), ("html", texts(&[Some("a")]))]);
    let columns = PageColumns::of(pages.schema_ref()).unwrap();
    let other = batch([
        ("url", Arc::new(Int64Array::from(vec![1])) as ArrayRef),
        ("html", texts(&[None])),
    ]);
    assert!(pages_of(&columns, &other).is_err());
    assert!(columns.pages(&[texts(&[None])], 1).is_err());
    assert!(columns.pages(&[texts(&[None]), texts(&[None])], 2).is_err());
}
