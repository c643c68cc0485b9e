//! The groups that a robot obeys, as a dialect sees the file.

pub(crate) mod agent;
pub(crate) mod agent_index;
pub(crate) mod directive;
pub(crate) mod group;
mod known;
pub(crate) mod product_token;
mod records;
pub(crate) mod robot_version;
pub(crate) mod user_agent;
pub(crate) mod view;

pub use agent::product_token;
pub use directive::{Directive, Directives};
pub use group::Group;
pub use product_token::ProductTokenError;
