//! The body of a response, in parts that are small enough for a connection to wait between them.

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The most bytes of a frame. The HTTP library copies frames to its buffer and waits for the client once that has more than
/// `limits.head-bytes`.
const FRAME_BYTES: usize = 32 << 10;

/// A body in frames of up to [`FRAME_BYTES`]. With the last of them, it drops its end.
///
/// The HTTP library drops a body as soon as it has taken the last frame. If the whole body were one frame, what the end
/// holds would be free while all its bytes are unsent.
#[derive(Debug)]
pub(crate) struct ResponseBody<E> {
    body: Body,
    /// The rest of the last frame.
    rest: Bytes,
    _end: E,
}

impl<E> ResponseBody<E> {
    /// Returns a body that drops `end` at its own end.
    pub(crate) fn new(body: Body, end: E) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            _end: end,
        }
    }

    /// Returns the next part of the rest.
    fn part(&mut self) -> Frame<Bytes> {
        if self.rest.len() <= FRAME_BYTES {
            return Frame::data(std::mem::take(&mut self.rest));
        }
        let part = self.rest.split_to(FRAME_BYTES);
        // A part that is shared would keep the whole body in memory until it is sent.
        Frame::data(Bytes::copy_from_slice(&part))
    }
}

impl<E: Unpin> http_body::Body for ResponseBody<E> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        Poll::Ready(Some(Ok(self.part())))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        let body = self.body.size_hint();
        let mut hint = SizeHint::new();
        if let Some(upper) = body.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint.set_lower(body.lower().saturating_add(rest));
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::{FRAME_BYTES, ResponseBody};
    use axum::body::Body;
    use http_body::Body as _;
    use http_body_util::BodyExt;
    use std::sync::Arc;

    #[tokio::test]
    async fn a_body_and_its_end_live_until_the_last_of_small_frames() {
        for length in [
            0,
            1,
            FRAME_BYTES - 1,
            FRAME_BYTES,
            FRAME_BYTES + 1,
            5 * FRAME_BYTES + 7,
        ] {
            let bytes: Vec<u8> = (0..251).cycle().take(length).collect();
            let end = Arc::new(());
            let mut body = ResponseBody::new(Body::from(bytes.clone()), Arc::clone(&end));
            let mut found = Vec::new();
            while !body.is_end_stream() {
                let rest = (length - found.len()) as u64;
                assert_eq!(body.size_hint().exact(), Some(rest), "{length}");
                let part = body.frame().await.unwrap().unwrap().into_data().unwrap();
                assert!(!part.is_empty() && part.len() <= FRAME_BYTES, "{length}");
                found.extend_from_slice(&part);
                assert_eq!(body.is_end_stream(), found.len() == length, "{length}");
                assert_eq!(Arc::strong_count(&end), 2);
            }
            assert_eq!(found, bytes);
            drop(body);
            assert_eq!(Arc::strong_count(&end), 1);
        }
    }
}
