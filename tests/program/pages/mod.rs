//! The program's pages in a browser.

mod browser;
mod desk;
mod report;
