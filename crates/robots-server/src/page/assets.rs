//! The files of the page: its style, script and icon. The name of a file has a hash of its content, so that browsers keep it
//! for a year and load a new version at once.

use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use robots_answers::BASE_STYLE;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// A file that pages load.
#[derive(Debug)]
pub(super) struct Asset {
    path: String,
    media_type: &'static str,
    content: &'static str,
}

/// The style: a light and a dark theme, paper, and one column on a phone.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(
        "checker",
        "css",
        "text/css; charset=utf-8",
        [BASE_STYLE, include_str!("style.css")].concat().leak(),
    )
});

/// The script: copies, makes links to questions, and asks without loading the page again.
pub(super) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let media_type = "text/javascript; charset=utf-8";
    Asset::new("checker", "js", media_type, include_str!("script.js"))
});

/// The icon.
pub(super) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_str!("icon.svg")));

impl Asset {
    fn new(name: &str, extension: &str, media_type: &'static str, content: &'static str) -> Self {
        let digest = HEXLOWER.encode(&Sha256::digest(content));
        // 64 bits distinguish the versions of a file.
        let hash = &digest[..16];
        Self {
            path: format!("/assets/{name}.{hash}.{extension}"),
            media_type,
            content,
        }
    }

    /// Returns the path of its URL.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the response to a request for it.
    pub(super) fn response(&self) -> Response {
        let headers = [
            (CONTENT_TYPE, self.media_type),
            (CACHE_CONTROL, "public, max-age=31536000, immutable"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        (headers, self.content).into_response()
    }
}
