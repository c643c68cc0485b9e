//! Findings on robots.txt files.

mod annotation;

pub use annotation::annotation;
