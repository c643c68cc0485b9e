//! Fields beyond `User-agent`, `Allow` and `Disallow`: one file each.

pub(crate) mod crawl_delay;
pub(crate) mod sitemap;
