//! What the service learns from sites for a question: the robots.txt that it knows or requests, whether its text may be
//! [shown](omission), and the page.

mod omission;
mod page;
mod robots;

pub(crate) use omission::Omission;
pub(crate) use page::{WantedPage, page, page_bytes};
pub(crate) use robots::{fault_name, fault_text, outcome_name, request, robots};
