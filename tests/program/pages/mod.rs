//! The pages that the program makes, as a browser shows them.

mod browser;
mod desk;
mod report;
