//! Decisions in SQL: those of the program about the same archive.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a failure here fails the test"
)]

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use robots_datafusion::DecideFunction;
use robots_meta::Timestamp;
use robots_pipeline::extent::{ArchiveItems, Extent, FileInput};
use robots_pipeline::records::{RecordBatches, RecordColumn, RecordFilter};
use robots_pipeline::sink::columnar::Columnar;
use robots_pipeline::{Now, Options, Rows, Source, decide};
use robots_policy::decision::Column;
use robots_policy::{Decision, Policies, Policy, Profile};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AGENT: &str = "GPTBot";
const AT: Timestamp = Timestamp::from_seconds(1_790_000_000);
const GUIDE: &str = include_str!("../../../docs/scale.md");

fn crawl() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/crawl.warc.gz")
}

fn policy() -> Policy {
    Policy::under(&Profile::google(), AGENT).unwrap()
}

/// Returns the records of the archive.
fn records() -> RecordBatch {
    let input = FileInput::open(&crawl()).unwrap();
    let items = ArchiveItems::new("crawl", input, Extent::Whole);
    let columns = RecordColumn::ALL.to_vec();
    let mut batches = RecordBatches::new(items, columns, RecordFilter::default());
    let batch = batches.next_batch().unwrap().unwrap();
    assert!(batches.next_batch().unwrap().is_none());
    batch
}

/// Returns the rows that the program writes.
fn rows_of_the_program() -> RecordBatch {
    let mut options = Options::new(AT);
    options.now = Now::At(AT);
    let mut rows = Columnar::in_memory(true);
    let policies = Policies::new(vec![policy()]);
    let paths = [crawl()];
    let source = Source::Files(&paths);
    decide(source, &policies, &options, Rows::Sink(&mut rows), &()).unwrap();
    let batches = rows.take_batches();
    assert_eq!(batches.len(), 1);
    batches[0].clone()
}

/// Returns a session with several tasks, whose table has a batch for each few rows.
fn session(name: &str, batch: &RecordBatch) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(3);
    let context = SessionContext::new_with_config(config.with_batch_size(5));
    let slices = (0..batch.num_rows()).step_by(7);
    let slices = slices.map(|start| vec![batch.slice(start, 7.min(batch.num_rows() - start))]);
    let table = MemTable::try_new(batch.schema(), slices.collect()).unwrap();
    context.register_table(name, Arc::new(table)).unwrap();
    context
}

async fn query(context: &SessionContext, sql: &str) -> Vec<RecordBatch> {
    let frame = context.sql(sql).await.unwrap();
    frame.collect().await.unwrap()
}

/// Returns the first block of the guide with this language after the heading of this crate.
fn block(language: &str) -> &'static str {
    let (_, section) = GUIDE.split_once("\n## DataFusion\n").unwrap();
    let (_, block) = section.split_once(&format!("\n```{language}\n")).unwrap();
    block.split_once("```").unwrap().0
}

#[tokio::test]
async fn every_column_of_every_row_is_that_of_the_program() {
    let context = session("records", &records());
    // As the guide registers it.
    let policy = Policy::under(&Profile::google(), "GPTBot").unwrap();
    let decide = DecideFunction::new("decide", policy);
    context.register_udf(decide.at(AT).with_explanations().into());
    context
        .sql(block("sql"))
        .await
        .unwrap()
        .collect()
        .await
        .unwrap();
    let columns = Decision::columns()
        .iter()
        .chain(Decision::explaining_columns());
    let names: Vec<&str> = ["status"]
        .into_iter()
        .chain(columns.map(Column::name))
        .collect();
    let fields = names
        .iter()
        .map(|name| format!("decision['{name}'] AS \"{name}\""));
    let fields = fields.collect::<Vec<_>>().join(", ");
    let found = query(
        &context,
        &format!("SELECT {fields} FROM decisions ORDER BY decision['url']"),
    )
    .await;

    let expected = rows_of_the_program();
    assert_eq!(expected.num_rows(), 26);
    let quoted = names
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ");
    let program = session("rows", &expected);
    let expected = query(&program, &format!("SELECT {quoted} FROM rows ORDER BY url")).await;
    let text = |batches: &[RecordBatch]| pretty_format_batches(batches).unwrap().to_string();
    assert_eq!(text(&found), text(&expected));

    let errors = query(
        &context,
        "SELECT 1 FROM decisions WHERE decision['error'] IS NOT NULL",
    )
    .await;
    assert_eq!(errors.iter().map(RecordBatch::num_rows).sum::<usize>(), 0);
}

#[tokio::test]
async fn the_guide_registers_the_function_as_the_test_does() {
    let test = include_str!("sql.rs").replace(
        "context.register_udf(decide.at(AT).with_explanations()",
        "context.register_udf(decide",
    );
    for line in block("rust").lines().map(str::trim) {
        assert!(
            test.contains(line) || line == "let context = SessionContext::new();",
            "{line}"
        );
    }
}

#[tokio::test]
async fn rows_that_cannot_be_decided_have_an_error() {
    let context = SessionContext::new();
    context.register_udf(DecideFunction::new("decide", policy()).into());
    let sql = "SELECT decide(page)['error'] AS error, decide(page)['fetch'] AS fetch FROM (
        SELECT CASE WHEN number = 3 THEN NULL ELSE named_struct('status', status, 'html', NULL, 'url', url) END AS page
        FROM (VALUES (0, 'https://a.example/', 200), (1, NULL, 200), (2, 'https://a.example/', 70000), (3, NULL, 1)) AS pages (number, url, status)
        ORDER BY number)";
    let found = query(&context, sql).await;
    let texts = |name: &str| {
        let columns = found
            .iter()
            .map(|batch| batch.column_by_name(name).unwrap());
        let texts = columns.flat_map(|column| column.as_string::<i32>().iter());
        texts
            .map(|text| text.map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let errors = texts("error");
    assert_eq!(errors[0], None);
    assert_eq!(errors[1].as_deref(), Some("url is null"));
    assert_eq!(
        errors[2].as_deref(),
        Some("unexpected status 70000: expected 0 to 65535")
    );
    assert_eq!(errors[3].as_deref(), Some("row is null"));
    assert_eq!(
        texts("fetch"),
        [Some("unknown".to_owned()), None, None, None]
    );
}

#[tokio::test]
async fn arguments_that_are_not_pages_are_errors_of_the_plan() {
    let context = SessionContext::new();
    context.register_udf(DecideFunction::new("decide", policy()).into());
    let cases = [
        (
            "decide('https://a.example/')",
            "expected decide(named_struct('url', url, 'html', html, ...))",
        ),
        ("decide()", "decide"),
        (
            "decide(named_struct('link', 'x'))",
            "no column \"url\": the columns are \"link\"",
        ),
        (
            "decide(named_struct('url', 'x', 'html', 1))",
            "column \"html\" has the type Int64: expected strings or binary",
        ),
    ];
    for (call, expected) in cases {
        let error = context
            .sql(&format!("SELECT {call}"))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{call}: {error}");
    }
}

#[tokio::test]
async fn functions_of_two_robots_are_apart() {
    let context = SessionContext::new();
    for (name, agent) in [("decide_a", "a-bot"), ("decide_b", "b-bot")] {
        let policy = Policy::new(agent).unwrap();
        context.register_udf(DecideFunction::new(name, policy).into());
    }
    let sql = "SELECT decide_a(page)['fetch'] AS a, decide_b(page)['fetch'] AS b FROM (
        SELECT named_struct('url', 'https://a.example/x', 'html', NULL, 'robots_txt', robots) AS page
        FROM (VALUES ('User-agent: a-bot\nDisallow: /')) AS files (robots))";
    let found = query(&context, sql).await;
    let text = |name: &str| {
        found[0]
            .column_by_name(name)
            .unwrap()
            .as_string::<i32>()
            .value(0)
            .to_owned()
    };
    assert_eq!(
        (text("a").as_str(), text("b").as_str()),
        ("disallow", "allow")
    );
}
