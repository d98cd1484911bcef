//! The program's pages in a browser.

mod audit;
mod browser;
mod desk;
mod report;
