//! `/v1/decide/bulk`: questions as NDJSON, answered in order while they arrive.
//!
//! A body is divided into [`lines`], these are read in [`batches`], and the batches are answered a few at once, in parts
//! ([`answers`]). A batch waits when a part of it waits for the client: the memory of a stream is bounded by its batches, by one line
//! that is not complete, and by an answer and a part for each batch. All of it counts for `limits.bodies-bytes`. When the client
//! goes, the batches end with it.

mod answers;
mod batches;
mod lines;
mod task;

use super::body::check_coding;
use super::decide::DecideQuestion;
use crate::limit::held::Held;
use crate::problem::{Problem, ProblemKind};
use crate::state::AppState;
use answers::Answers;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use batches::Batches;
use futures_util::stream;
use http::header::CONTENT_TYPE;
use std::convert::Infallible;

/// The media type of questions and answers.
const MEDIA_TYPE: &str = "application/x-ndjson";

/// What may robots do with pages, a question a line?
///
/// Each line is a question as for `/v1/decide`. Each line of the answer has the number of its question, from 1, and its
/// `decisions`, or an `error` as a problem. Answers come in the order of the questions, while these arrive. Empty lines have
/// no answer.
#[utoipa::path(
    post,
    path = "/v1/decide/bulk",
    tag = "decisions",
    request_body(content = DecideQuestion, content_type = "application/x-ndjson", description = "A question a line"),
    responses(
        (status = 200, description = "An answer a line", body = Value, content_type = "application/x-ndjson"),
        (status = 415, description = "The body is not NDJSON", body = Value, content_type = "application/problem+json"),
    )
)]
pub(in crate::api) async fn bulk(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let content_type = request.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next());
    let is_ndjson = essence.map(str::trim).is_some_and(|essence| {
        [
            "application/x-ndjson",
            "application/ndjson",
            "application/jsonl",
        ]
        .iter()
        .any(|known| essence.eq_ignore_ascii_case(known))
    });
    if !is_ndjson {
        return Err(Problem::new(
            ProblemKind::UnsupportedMediaType,
            format!("expected a body with the header Content-Type: {MEDIA_TYPE}"),
        ));
    }
    check_coding(request.headers())?;
    let held = Held::of(request.extensions(), &state.memory);
    let batches = Batches::read(request.into_body(), held, state.clone());
    let answers = Answers::new(batches, state);
    let parts = stream::unfold(answers, async |mut answers| {
        let part = answers.next().await?;
        Some((Ok::<_, Infallible>(part), answers))
    });
    Ok(([(CONTENT_TYPE, MEDIA_TYPE)], Body::from_stream(parts)).into_response())
}
