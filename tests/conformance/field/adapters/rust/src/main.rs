//! Answers questions with one library for Rust: `field-adapter LIBRARY`. The protocol is in README.md.

#![forbid(unsafe_code)]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robotstxt::DefaultMatcher;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, Write};
use texting_robots::Robot;

/// Returns the file as bytes.
fn body(question: &Value) -> Result<Vec<u8>, Box<dyn Error>> {
    Ok(match question["robots_base64"].as_str() {
        Some(base64) => STANDARD.decode(base64)?,
        None => text_of(question, "robots").into_bytes(),
    })
}

fn text_of(question: &Value, key: &str) -> String {
    question[key].as_str().unwrap_or_default().to_owned()
}

fn texting_robots(question: &Value) -> Result<Value, Box<dyn Error>> {
    let robot = Robot::new(&text_of(question, "agent"), &body(question)?)?;
    Ok(match question["ask"].as_str() {
        Some("crawl_delay") => json!({ "crawl_delay": robot.delay }),
        _ => json!({ "allowed": robot.allowed(&text_of(question, "url")) }),
    })
}

fn robotstxt(question: &Value) -> Result<Value, Box<dyn Error>> {
    if question["ask"] == "crawl_delay" {
        return Ok(json!({ "unsupported": "no method for Crawl-delay" }));
    }
    let file = String::from_utf8_lossy(&body(question)?).into_owned();
    let (agent, url) = (text_of(question, "agent"), text_of(question, "url"));
    let allowed = DefaultMatcher::default().one_agent_allowed_by_robots(&file, &agent, &url);
    Ok(json!({ "allowed": allowed }))
}

fn main() -> Result<(), Box<dyn Error>> {
    let library = std::env::args().nth(1).unwrap_or_default();
    for line in std::io::stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let reply = match library.as_str() {
            "texting_robots" => texting_robots(&question),
            "robotstxt" => robotstxt(&question),
            _ => Err("unknown library".into()),
        };
        let reply = reply.unwrap_or_else(|error| json!({ "error": error.to_string() }));
        let mut output = std::io::stdout().lock();
        writeln!(output, "{reply}")?;
        output.flush()?;
    }
    Ok(())
}
