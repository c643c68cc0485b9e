//! The Parquet and Arrow files of `robots decide` and `robots survey`.

#[cfg(unix)]
use crate::output::assert_full_disk_is_reported;
use crate::output::{CRAWL, decide, rows};
use crate::program::{Folder, robots, workspace};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, TimestampMillisecondType};
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs::File;
use std::path::Path;
use std::process::Command;

fn parquet(path: &Path) -> RecordBatch {
    let file = File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    // All rows of a test are in one batch.
    let mut reader = reader.with_batch_size(100_000).build().unwrap();
    reader.next().unwrap().unwrap()
}

/// Returns the first three cells of the rows of a document that begin with a column's name.
fn documented(doc: &str) -> Vec<[String; 3]> {
    let doc = std::fs::read_to_string(workspace().join(doc)).unwrap();
    doc.lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .map(|line| {
            let mut cells = line
                .split(" | ")
                .map(|cell| cell.trim_matches('`').to_owned());
            std::array::from_fn(|_| cells.next().unwrap())
        })
        .collect()
}

/// Returns the name and the type of each column, and whether it may have nulls.
fn columns_of(rows: &RecordBatch) -> Vec<[String; 3]> {
    let schema = rows.schema();
    let fields = schema.fields().iter().map(|field| {
        let kind = match field.data_type().to_string().as_str() {
            "Utf8" => "string".to_owned(),
            "Int64" => "int64".to_owned(),
            "Float64" => "double".to_owned(),
            "Boolean" => "bool".to_owned(),
            "List(Utf8)" => "list of strings".to_owned(),
            "Timestamp(ms, \"UTC\")" => "timestamp[ms, UTC]".to_owned(),
            other => other.to_owned(),
        };
        let null = if field.is_nullable() { "yes" } else { "no" };
        [field.name().clone(), kind, null.to_owned()]
    });
    fields.collect()
}

/// The rows of `survey --files` are the same as Parquet and as CSV, and their columns are as documented.
#[test]
fn surveys_write_their_files_as_parquet() {
    let folder = Folder::new();
    let html = folder.root().join("html.txt");
    std::fs::write(&html, "<!doctype html><p>Not found").unwrap();
    let inputs = [
        "tests/fixtures/crawl.warc.gz",
        "tests/fixtures/robots/odd-robots.txt",
    ];
    let inputs = inputs.map(|input| workspace().join(input));
    for name in ["files.csv", "files.parquet"] {
        let outcome = robots(
            [
                "survey",
                "--threads",
                "1",
                "--files",
                &folder.path(name),
                html.to_str().unwrap(),
            ]
            .into_iter()
            .chain(inputs.iter().map(|input| input.to_str().unwrap())),
        );
        outcome.assert_success();
    }
    assert!(!Path::new(&folder.path("files.parquet.part")).exists());
    let rows = parquet(Path::new(&folder.path("files.parquet")));
    assert_eq!(columns_of(&rows), documented("docs/survey.md"));
    let mut table = csv::Reader::from_path(folder.path("files.csv")).unwrap();
    let records: Vec<_> = table.records().map(Result::unwrap).collect();
    // The HTML page, the robots.txt of two sites in the crawl, and odd-robots.txt.
    assert_eq!((rows.num_rows(), records.len()), (4, 4));
    for (column, values) in rows.columns().iter().enumerate() {
        for (row, record) in records.iter().enumerate() {
            let value = cell_of(values, row);
            assert_eq!(value, record.get(column).unwrap(), "{row} {column}");
        }
    }
    // The first row is that of the HTML page, whose lines are not counted.
    assert!(rows.column_by_name("lines").unwrap().is_null(0));
}

#[test]
fn columns_are_as_documented() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let overrides = path("overrides.toml");
    std::fs::write(&overrides, "override = []").unwrap();
    let overrides = overrides.to_str().unwrap();
    // The options with which rows have every column.
    let all = "--evidence --profile google --profile neutral --only differs --overrides";
    for format in ["parquet", "arrow", "jsonl"] {
        let file = path(format);
        let options = ["--format", format, "-o", file.to_str().unwrap()];
        let all: Vec<&str> = all.split(' ').chain([overrides]).chain(options).collect();
        decide(&all);
    }
    let rows_of_parquet = parquet(&path("parquet"));
    assert_eq!(columns_of(&rows_of_parquet), documented("docs/columns.md"));
    let arrow = File::open(path("arrow")).unwrap();
    let mut arrow = arrow_ipc::reader::FileReader::try_new(arrow, None).unwrap();
    assert_eq!(arrow.next().unwrap().unwrap(), rows_of_parquet);
    assert!(arrow.next().is_none());
    // pyarrow, DuckDB and Polars read the same columns.
    let Some(python) = std::env::var_os("PEERS_PYTHON") else {
        println!("not opened with pyarrow, DuckDB and Polars: no PEERS_PYTHON");
        return;
    };
    let script = workspace().join("crates/robots-cli/tests/columns.py");
    let opened = Command::new(python)
        .args([&script, &workspace().join("docs/columns.md")])
        .args([path("parquet"), path("arrow"), path("jsonl")])
        .status()
        .unwrap();
    assert!(opened.success());
}

#[test]
fn every_format_has_the_same_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    decide(&["--format", "parquet", "-o", path.to_str().unwrap()]);
    let batch = parquet(&path);
    let all = rows(&[]);
    assert_eq!(batch.num_rows(), all.len());
    let csv = decide(&["--format", "csv"]).stdout;
    let mut csv = csv::Reader::from_reader(csv.as_bytes());
    let names = csv.headers().unwrap().clone();
    for (at, (record, row)) in csv.records().zip(&all).enumerate() {
        for (name, cell) in names.iter().zip(&record.unwrap()) {
            let column = batch.column_by_name(name).unwrap();
            let value = cell_of(column, at);
            assert_eq!(value, cell, "{name} of row {at}");
            match row.get(name) {
                Some(Value::Null) => assert_eq!(cell, "", "{name}"),
                Some(Value::String(text)) => assert_eq!(text, cell, "{name}"),
                Some(Value::Number(number)) => assert_eq!(number.to_string(), cell, "{name}"),
                Some(Value::Bool(value)) => assert_eq!(value.to_string(), cell, "{name}"),
                // A cell of CSV has the joined values of a list, or their number.
                _ => {}
            }
        }
    }
}

/// Returns the texts of a cell that is a list.
fn items_of(lists: &ListArray, row: usize) -> Vec<String> {
    let items = lists.value(row);
    let texts = items.as_string::<i32>().iter().flatten();
    texts.map(str::to_owned).collect()
}

/// Lists are lists in JSON, Parquet and Arrow, and joined text in CSV.
#[test]
fn lists_are_lists() {
    let folder = Folder::new();
    let robots_txt = "User-agent: *\nDisallow:\nRequest-rate: 1/10\nRequest-rate: 5/60 0800-1600\n\
                      License: https://a.example/l\nLicense: https://a.example/m; x\n";
    let archive = [
        crate::program::response("https://a.example/robots.txt", "", robots_txt.as_bytes()),
        crate::program::page("https://a.example/", "<title>a</title>"),
    ];
    folder.file("a.warc", archive.concat());
    let decide = |format: &str, args: &[&str]| {
        let input = folder.path("a.warc");
        let words = ["decide", "--format", format, &input];
        robots(words.iter().chain(args)).stdout
    };
    let json: Value = serde_json::from_str(&decide("jsonl", &[])).unwrap();
    assert_eq!(json["licenses"].as_array().unwrap().len(), 2);
    decide("parquet", &["-o", &folder.path("a.parquet")]);
    decide("arrow", &["-o", &folder.path("a.arrow")]);
    let arrow = File::open(folder.path("a.arrow")).unwrap();
    let mut arrow = arrow_ipc::reader::FileReader::try_new(arrow, None).unwrap();
    let batches = [
        parquet(Path::new(&folder.path("a.parquet"))),
        arrow.next().unwrap().unwrap(),
    ];
    for name in ["licenses", "request_rates"] {
        let expected: Vec<String> = serde_json::from_value(json[name].clone()).unwrap();
        assert_eq!(expected.len(), 2, "{name}");
        for batch in &batches {
            let lists = batch.column_by_name(name).unwrap();
            assert_eq!(items_of(lists.as_list(), 0), expected);
        }
        let csv = decide("csv", &["--fields", name]);
        assert!(csv.contains(&expected.join("; ")), "{csv}");
    }
}

/// Returns a cell as CSV writes it.
fn cell_of(column: &ArrayRef, row: usize) -> String {
    if column.is_null(row) {
        return String::new();
    }
    if let Some(lists) = column.as_list_opt::<i32>() {
        items_of(lists, row).join("; ")
    } else if let Some(texts) = column.as_string_opt::<i32>() {
        texts.value(row).to_owned()
    } else if let Some(numbers) = column.as_primitive_opt::<Int64Type>() {
        numbers.value(row).to_string()
    } else if let Some(numbers) = column.as_primitive_opt::<Float64Type>() {
        format!("{:?}", numbers.value(row))
    } else if let Some(times) = column.as_primitive_opt::<TimestampMillisecondType>() {
        robots_meta::Timestamp::from_seconds(times.value(row) / 1_000).to_string()
    } else {
        column.as_boolean().value(row).to_string()
    }
}

/// A batch has up to 4,096 rows and about 4 MiB of text. The reasons of these 300 pages are longer than several batches.
#[test]
fn large_reasons_make_small_batches() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    let mut archive = Vec::new();
    for number in 0..300 {
        let metas = format!(
            "<meta name=robots content='noindex,nofollow,{}'>",
            "x".repeat(900)
        );
        let html = metas.repeat(100);
        archive.extend(crate::program::page(
            &format!("http://a.example/{number}"),
            &html,
        ));
    }
    std::fs::write(&path, archive).unwrap();
    let file = folder.path().join("a.arrow");
    let words = [
        "decide",
        "--explain",
        "--format",
        "arrow",
        "-o",
        file.to_str().unwrap(),
    ];
    let outcome = robots([&words[..], &[path.to_str().unwrap()]].concat());
    outcome.assert_success();
    let reader = arrow_ipc::reader::FileReader::try_new(File::open(&file).unwrap(), None).unwrap();
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.unwrap()).collect();
    assert_eq!(
        batches.iter().map(RecordBatch::num_rows).sum::<usize>(),
        300
    );
    assert!(batches.len() > 3, "{}", batches.len());
}

/// Batches are written when they are full, or at the end. The disk is full at the first byte, or after 1 or 4 blocks.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_columnar_file_of_the_final_name() {
    for format in ["parquet", "arrow"] {
        for blocks in [0, 1, 4] {
            let words = ["decide", CRAWL, "--explain", "--format", format, "-o"];
            assert_full_disk_is_reported(&words, blocks);
        }
    }
    assert_full_disk_is_reported(&["survey", CRAWL, "--files"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_reported() {
    let crawl = workspace().join("tests/fixtures/crawl.warc.gz");
    let crawl = crawl.to_str().unwrap();
    for format in ["parquet", "arrow"] {
        let full = robots(["decide", crawl, "--format", format, "-o", "/dev/full"]);
        full.assert_error("/dev/full");
    }
}

/// A pipe has the form of Arrow whose reader need not seek; a file has the other.
#[test]
fn arrow_in_a_pipe_is_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_robots"));
        command
            .args(["decide", "--now", "2026-11-21", CRAWL, "--format", "arrow"])
            .current_dir(workspace());
        command
    };
    let piped = command().output().unwrap();
    assert!(piped.status.success());
    let mut stream = arrow_ipc::reader::StreamReader::try_new(&piped.stdout[..], None).unwrap();
    let rows_of_stream = stream.next().unwrap().unwrap();
    assert!(stream.next().is_none());
    let redirected = folder.path().join("redirected");
    let file = File::create(&redirected).unwrap();
    assert!(command().stdout(file).status().unwrap().success());
    let named = ["a.arrow", "a.feather", "a.ipc"].map(|name| folder.path().join(name));
    for path in &named {
        decide(&["-o", path.to_str().unwrap()]);
    }
    for path in named.iter().chain([&redirected]) {
        let file = File::open(path).unwrap();
        let mut file = arrow_ipc::reader::FileReader::try_new(file, None).unwrap();
        assert_eq!(file.next().unwrap().unwrap(), rows_of_stream, "{path:?}");
    }
    let path = folder.path().join("a.parquet");
    decide(&["-o", path.to_str().unwrap()]);
    assert_eq!(parquet(&path), rows_of_stream);
}

/// A file that is cut, or has other types, is an error with its name; nothing of it counts as equal.
#[test]
fn a_damaged_parquet_file_of_decisions_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let name = path.to_str().unwrap();
    robots(["decide", "--evidence", "-o", name, CRAWL]).assert_success();
    robots(["verify", name, CRAWL]).assert_success();
    let bytes = std::fs::read(&path).unwrap();
    for length in [0, 4, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        robots(["verify", name, CRAWL]).assert_error(name);
    }
    let other = folder.path().join("b.parquet");
    robots(["survey", CRAWL, "--files", other.to_str().unwrap()]).assert_success();
    robots(["verify", other.to_str().unwrap(), CRAWL]).assert_error("no column");
}
