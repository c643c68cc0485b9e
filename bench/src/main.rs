//! Measures our code and peers in one run. See README.md in this folder.

mod alloc;
mod audit;
mod corpus;
mod decide;
mod head;
mod hostile;
mod hostile_heads;
mod measure;
mod memory;
mod parse;
mod peers;
mod pipeline;
mod store;
mod tools;
mod verdict;

use std::process::ExitCode;

/// The groups of rows, in order. The last one may leave a running thread.
const GROUPS: [&str; 11] = [
    "parse",
    "verdict",
    "memory",
    "head",
    "decide",
    "store",
    "pipeline",
    "tools",
    "audit",
    "hostile-heads",
    "hostile",
];

const USAGE: &str = "\
usage: robots-bench [--rows parse,verdict,memory,head,decide,store,pipeline,tools,audit,hostile-heads,hostile]
       robots-bench split FILE
       robots-bench parse FILE
       robots-bench read FILE
       robots-bench hostile-once CASE SIZE TIMES
       robots-bench head-hostile-once CASE MEGABYTES
       robots-bench head-once indexing|robots|everything TIMES
       robots-bench decide-once PROFILE TIMES";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        [] => rows(&GROUPS),
        ["--rows", groups] => rows(&groups.split(',').collect::<Vec<_>>()),
        ["split", file] => pipeline::split(file),
        ["parse", file] => tools::parse(file),
        ["read", file] => audit::read(file),
        ["hostile-once", case, size, times] => hostile::once(case, size, times),
        ["head-hostile-once", case, megabytes] => hostile_heads::once(case, megabytes),
        ["head-once", what, times] => head::once(what, times),
        ["decide-once", profile, times] => decide::once(profile, times),
        _ => None,
    };
    if done.is_none() {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}

/// Prints the rows of these groups. Returns `None` if one of them does not exist.
fn rows(groups: &[&str]) -> Option<()> {
    if !groups.iter().all(|group| GROUPS.contains(group)) {
        return None;
    }
    let wants = |group: &str| groups.contains(&group);
    let Some(folder) = corpus::folder() else {
        println!("skipped: no corpus (set ROBOTS_CORPUS to the folder that has it)");
        return Some(());
    };
    let files = if ["parse", "verdict", "memory", "store", "tools"]
        .iter()
        .any(|group| wants(group))
    {
        corpus::robots(&folder)
    } else {
        Vec::new()
    };
    let pages = if wants("head") || wants("decide") {
        corpus::pages(&folder)
    } else {
        Vec::new()
    };
    corpus::print_input(&files, &pages);
    measure::print_head();
    if wants("parse") {
        parse::bench(&files);
    }
    if wants("verdict") {
        verdict::bench(&files);
    }
    if wants("memory") {
        memory::bench(&files);
    }
    if wants("head") {
        head::bench(&pages);
    }
    if wants("decide") {
        decide::bench(&corpus::robots_of_pages(&folder), &pages);
    }
    if wants("store") {
        store::bench(&files);
    }
    if wants("pipeline") {
        pipeline::bench(&folder);
    }
    if wants("tools") {
        tools::bench(&folder);
    }
    if wants("audit") {
        audit::bench();
    }
    if wants("hostile-heads") {
        hostile_heads::bench();
    }
    if wants("hostile") {
        hostile::bench();
    }
    Some(())
}
