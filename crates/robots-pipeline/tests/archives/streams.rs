//! Archives as streams have the rows and warnings of the same archives as files.

use crate::{Warnings, fixture};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use robots_meta::Timestamp;
use robots_pipeline::input::{ByteStream, InputSource};
use robots_pipeline::sink::{RowContext, Sink};
use robots_pipeline::text::with_causes;
use robots_pipeline::{Error, FileOutput, Options, Outcome, RobotsSource, Rows, Source, decide};
use robots_policy::{Decision, Policies, Policy, Profile};
use std::fs;
use std::io::{self, Read, Write};

/// The rows, warnings and failed inputs of a run.
#[derive(Debug, Default, PartialEq)]
struct Run {
    rows: Vec<(String, Option<u64>, Option<u16>, Decision)>,
    warnings: Vec<String>,
    failed: Vec<String>,
}

impl Sink for Run {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        let file = row.file.to_owned();
        self.rows
            .push((file, row.offset, row.status, decision.clone()));
        Ok(())
    }
}

fn policies() -> Policies {
    let google = Policy::under(&Profile::google(), "Googlebot").unwrap();
    Policies::new(vec![google, Policy::new("ExampleBot").unwrap()])
}

fn run(source: Source<'_>, robots: &RobotsSource, threads: usize) -> Run {
    let mut options = Options::new(Timestamp::from_seconds(0));
    options.robots = robots.clone();
    options.threads = threads;
    let (mut run, warnings) = (Run::default(), Warnings::default());
    let rows = Rows::Sink(&mut run);
    let outcome = decide(source, &policies(), &options, rows, &warnings).unwrap();
    let Outcome::Ended { summary, .. } = outcome else {
        panic!("{outcome:?}");
    };
    run.warnings = warnings.0.into_inner().unwrap();
    run.failed = summary.failed_inputs;
    run
}

/// A reader that returns a few bytes at a time, and may fail at its end.
struct Slow {
    bytes: io::Cursor<Vec<u8>>,
    step: usize,
    fails: bool,
}

impl Read for Slow {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.step = self.step % 7_919 + 1_000;
        let length = into.len().min(self.step);
        match self.bytes.read(&mut into[..length])? {
            0 if self.fails => Err(io::Error::other("the server is gone")),
            count => Ok(count),
        }
    }
}

fn stream(name: &str, bytes: &[u8], fails: bool) -> InputSource {
    let bytes = io::Cursor::new(bytes.to_vec());
    let step = 0;
    InputSource::Stream(ByteStream::new(name, Slow { bytes, step, fails }))
}

/// The fixture, whole and damaged, in each compression.
fn archives() -> Vec<Vec<u8>> {
    let packed = fs::read(fixture()).unwrap();
    let mut plain = Vec::new();
    MultiGzDecoder::new(&packed[..])
        .read_to_end(&mut plain)
        .unwrap();
    let mut changed = packed.clone();
    for at in (1_000..changed.len()).step_by(changed.len() / 20) {
        changed[at] ^= 0x55;
    }
    let zstd = zstd::encode_all(&plain[..], 0).unwrap();
    let lengths =
        String::from_utf8_lossy(&plain).replacen("Content-Length: ", "Content-Length: 9", 9);
    vec![
        packed[..packed.len() - 300].to_vec(),
        changed,
        packed[77..].to_vec(),
        lengths.into_bytes(),
        plain,
        zstd,
        packed,
    ]
}

#[test]
fn streams_have_the_rows_and_warnings_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let robots = RobotsSource::Files(vec![fixture()]);
    for (number, bytes) in archives().into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.warc"));
        fs::write(&path, &bytes).unwrap();
        let name = path.display().to_string();
        for source in [&RobotsSource::Inputs, &robots] {
            for threads in [1, 3] {
                let paths = [path.clone(), path.clone()];
                let expected = run(Source::Files(&paths), source, threads);
                assert!(expected.rows.len() > 20, "{number}");
                // The archive twice: once as a stream, and once as a file.
                let inputs = vec![
                    stream(&name, &bytes, false),
                    InputSource::Path(path.clone()),
                ];
                let streamed = run(Source::Inputs(inputs), source, threads);
                assert_eq!(streamed, expected, "{number} {source:?} {threads}");
            }
        }
    }
}

#[test]
fn a_stream_that_fails_is_read_up_to_there() {
    let bytes = fs::read(fixture()).unwrap();
    let half = bytes.len() / 2;
    let none = RobotsSource::Files(Vec::new());
    for (source, threads) in [(RobotsSource::Inputs, 2), (none, 1)] {
        let inputs = vec![
            stream("first", &bytes[..half], true),
            stream("second", &bytes, false),
        ];
        let streamed = run(Source::Inputs(inputs), &source, threads);
        let [failed] = &streamed.failed[..] else {
            panic!("{streamed:?}");
        };
        assert!(failed.starts_with("cannot continue reading first: "));
        assert!(failed.ends_with(": the server is gone"));
        assert!(streamed.warnings.contains(failed));
        let rows = |name| streamed.rows.iter().filter(move |row| row.0 == name);
        assert!(rows("first").count() > 10);
        assert!(rows("second").count() > rows("first").count());
    }
}

#[test]
fn a_stream_that_is_not_an_archive_fails_as_a_file_does() {
    let gzip = |bytes: &[u8]| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    let page = b"<!DOCTYPE html><title>A page</title>".repeat(9_000);
    let twice = gzip(&fs::read(fixture()).unwrap());
    for bytes in [&b""[..], b"H", &page, &gzip(&page), &twice, &gzip(&twice)] {
        fs::write(&path, bytes).unwrap();
        let expected = run(
            Source::Files(std::slice::from_ref(&path)),
            &RobotsSource::Inputs,
            2,
        );
        assert_eq!(expected.failed.len(), 1);
        let name = path.display().to_string();
        for source in [RobotsSource::Inputs, RobotsSource::Files(Vec::new())] {
            let inputs = vec![stream(&name, bytes, false)];
            assert_eq!(run(Source::Inputs(inputs), &source, 2), expected);
        }
    }
}

#[test]
fn an_index_and_a_journal_need_files() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("a.cdxj");
    fs::write(&index, "").unwrap();
    let bytes = fs::read(fixture()).unwrap();
    let inputs = || vec![stream("a stream", &bytes, false)];
    let mut options = Options::new(Timestamp::from_seconds(0));
    options.index = vec![index];
    let mut sink = Run::default();
    let rows = Rows::Sink(&mut sink);
    let decided = decide(Source::Inputs(inputs()), &policies(), &options, rows, &());
    let error = with_causes(&decided.unwrap_err());
    assert_eq!(error, "an index needs files, and a stream is a stream");

    options.index.clear();
    let output = folder.path().join("rows.jsonl");
    let format = robots_pipeline::sink::Format::Jsonl;
    let destination = robots_pipeline::sink::Destination::File(output.clone());
    let mut files = FileOutput::new(destination, format);
    for resume in [false, true] {
        files.resume = resume;
        let rows = Rows::Files(&files);
        let decided = decide(Source::Inputs(inputs()), &policies(), &options, rows, &());
        match decided {
            Ok(Outcome::Ended { is_resumable, .. }) => assert!(!resume && !is_resumable),
            Err(error) => assert!(resume && matches!(error, Error::CannotResume(_)), "{error}"),
            Ok(outcome) => panic!("{outcome:?}"),
        }
    }
    assert!(fs::read_to_string(&output).unwrap().lines().count() > 20);
}
