//! The program's pages in a browser.

mod audit;
mod bench;
mod browser;
mod desk;
mod report;
