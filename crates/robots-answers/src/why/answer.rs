//! The answers about a page with their evidence, as one object.

use super::answers::Answers;
use super::evidence::{Evidence, PageEvidence, RobotsEvidence};
use serde_json::{Value, json};

/// Returns the answers about a page with the evidence from which they follow. `robots why --help` describes the keys.
pub fn why_answer(evidence: &Evidence, answers: &Answers) -> Value {
    json!({
        "url": evidence.url,
        "robots_txt": robots_txt(&evidence.robots_txt),
        "page": page(&evidence.page),
        "decisions": answers.decisions,
        "problems": answers.problems,
        "changes": answers.changes,
        "expectations": answers.expectations,
    })
}

fn robots_txt(robots: &RobotsEvidence) -> Value {
    let mut answer = json!({
        "source": "none",
        "url": null,
        "file": null,
        "status": null,
        "fault": null,
        "fault_text": null,
        "bytes": null,
    });
    match robots {
        RobotsEvidence::Unknown { .. } => {}
        RobotsEvidence::File { name, bytes } => {
            answer["source"] = "file".into();
            answer["file"] = json!(name);
            answer["bytes"] = json!(bytes);
        }
        RobotsEvidence::Requested(request) => {
            let (fault, fault_text) = request
                .fault
                .as_ref()
                .map(|(name, text)| (name, text))
                .unzip();
            answer["source"] = "fetched".into();
            answer["url"] = json!(request.url);
            answer["status"] = json!(request.status);
            answer["fault"] = json!(fault);
            answer["fault_text"] = json!(fault_text);
            answer["bytes"] = json!(fault.is_none().then_some(request.bytes));
        }
    }
    answer
}

fn page(page: &PageEvidence) -> Value {
    match page {
        PageEvidence::Unknown(why) => json!({
            "source": "none",
            "status": null,
            "location": null,
            "bytes": null,
            "html": null,
            "complete": null,
            "why_not": why,
        }),
        PageEvidence::Known(page) => json!({
            "source": if page.is_fetched { "fetched" } else { "file" },
            "status": page.status,
            "location": page.location(),
            "bytes": page.has_body.then_some(page.body.len()),
            "html": page.is_html,
            "complete": page.is_whole,
            "why_not": null,
        }),
    }
}
