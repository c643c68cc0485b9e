//! The frame of the API's description; the routes add themselves.

use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};

/// Returns a description without paths.
pub(super) fn frame() -> OpenApi {
    let tag = |name: &str, about: &str| {
        TagBuilder::new()
            .name(name)
            .description(Some(about))
            .build()
    };
    let info = InfoBuilder::new()
        .title("robots")
        .description(Some(
            "What robots may do with pages, with the statements that decide. Answers are those of the program `robots` \
             with `--json`; errors are problem documents (RFC 9457).",
        ))
        .version(env!("CARGO_PKG_VERSION"))
        .license(Some(LicenseBuilder::new().name("MIT OR Apache-2.0").build()))
        .build();
    OpenApiBuilder::new()
        .info(info)
        .tags(Some([
            tag("decisions", "Questions about pages and robots.txt files."),
            tag(
                "knowledge",
                "Robots, profiles, and the robots.txt of sites.",
            ),
            tag("operation", "The state of the service."),
        ]))
        .build()
}
