//! The page around the data: one file with all it needs, and a policy that lets nothing else in.

use std::io::{self, Write};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{comparison::Comparison, json::json, view::ReportView};

/// Text of a file that becomes part of a page.
pub type Asset = &'static str;

macro_rules! assets {
    ($($name:literal),* $(,)?) => { &[$(include_str!(concat!("../assets/", $name))),*] };
}

/// Chart library; see `assets/echarts/README.md`.
const ECHARTS: Asset = include_str!("../assets/echarts/echarts.min.js");

/// Scripts that draw a night, in the order in which they are loaded.
pub const DRAWING: &[Asset] = assets![
    "dom.js",
    "scheme.js",
    "fates.js",
    "charts.js",
    "beliefs.js",
    "map.js",
    "flow.js",
    "budgets.js",
    "history.js",
    "insights.js",
    "memories.js",
    "story.js",
    "differences.js",
    "night.js",
];

/// Scripts of a report: the list of all NPCs, and one NPC on demand.
const REPORT: &[Asset] = assets!["data.js", "summary.js", "report.js"];

/// Scripts of a comparison.
const COMPARISON: &[Asset] = assets!["comparison.js"];

/// Scripts of a bench.
const BENCH: &[Asset] = assets!["dom.js", "scheme.js", "charts.js", "bench.js"];

/// Style sheets of a report.
pub const STYLE: &[Asset] = assets!["page.css", "report.css"];

const BODY: Asset = include_str!("../assets/page.html");

/// A page: its style and its scripts, and between them the data that the scripts read.
#[derive(Debug)]
pub struct HtmlPage {
    style: String,
    scripts: [String; 2],
    policy: String,
}

impl HtmlPage {
    /// Builds a page with these scripts after the chart library. Its content security policy names styles and
    /// scripts by their hashes: no others run, whatever gets into the page. Nothing is fetched or sent,
    /// except from and to the page's own origin if it `connects`.
    pub fn new(styles: &[&[Asset]], scripts: &[&[Asset]], connects: bool) -> Self {
        let style = styles.concat().concat();
        let scripts = [ECHARTS.to_owned(), format!("\"use strict\";\n{}", scripts.concat().concat())];
        let policy = format!(
            "default-src 'none'; img-src data:; {}script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
            if connects { "connect-src 'self'; " } else { "" },
            scripts.each_ref().map(|script| fingerprint(script)).join(" "),
            fingerprint(&style),
        );
        Self { style, scripts, policy }
    }

    /// Writes the page around the elements that `data` writes by means of [`data`](fn@data).
    ///
    /// # Errors
    /// Errors of writing to `out`.
    pub fn write(
        &self,
        out: &mut dyn Write,
        data: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>Nightfold</title>\n<style>{}</style>\n</head>\n<body>\n{BODY}",
            self.policy, self.style,
        )?;
        data(out)?;
        self.scripts.iter().try_for_each(|script| writeln!(out, "<script>{script}</script>"))?;
        out.write_all(b"</body>\n</html>\n")
    }
}

/// Writes a report: one self-contained HTML page. The same view gives the same bytes.
///
/// # Errors
/// Errors of writing to `out`.
pub fn write(out: &mut dyn Write, view: &ReportView) -> io::Result<()> {
    HtmlPage::new(&[STYLE], &[DRAWING, REPORT], false).write(out, |out| {
        data(out, "id=\"summary\"", &view.summary)?;
        view.npcs.iter().try_for_each(|npc| data(out, "class=\"npc\"", npc))
    })
}

/// Writes the page of a comparison. The same comparison gives the same bytes.
///
/// # Errors
/// Errors of writing to `out`.
pub fn write_comparison(out: &mut dyn Write, comparison: &Comparison) -> io::Result<()> {
    HtmlPage::new(&[STYLE], &[DRAWING, COMPARISON], false)
        .write(out, |out| data(out, "id=\"comparison\"", comparison))
}

/// Writes the page of a bench: a report as `bench --json` prints it.
///
/// # Errors
/// Errors of writing to `out`.
pub fn write_bench(out: &mut dyn Write, report: &impl Serialize) -> io::Result<()> {
    #[derive(Serialize)]
    struct Bench<'a, R> {
        version: &'static str,
        report: &'a R,
    }
    let bench = Bench { version: env!("CARGO_PKG_VERSION"), report };
    HtmlPage::new(&[STYLE], &[BENCH], false).write(out, |out| data(out, "id=\"bench\"", &bench))
}

/// Source expression by which a content security policy names an inline style or script.
fn fingerprint(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Writes an element with data that scripts read and nothing executes. `attribute` lets the scripts find it.
///
/// # Errors
/// Errors of writing to `out`.
pub fn data(out: &mut dyn Write, attribute: &str, value: &impl Serialize) -> io::Result<()> {
    write!(out, "<script type=\"application/json\" {attribute}>")?;
    json(out, value)?;
    out.write_all(b"</script>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_asset_ends_its_own_element() {
        for script in DRAWING.iter().chain(REPORT).chain(COMPARISON).chain(BENCH).chain([&ECHARTS]) {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
        assert!(STYLE.iter().all(|style| !style.contains("</style")));
    }

    #[test]
    fn chart_library_has_the_documented_checksum() {
        let sum: String = Sha256::digest(ECHARTS).iter().map(|b| format!("{b:02x}")).collect();
        assert!(include_str!("../assets/echarts/README.md").contains(&sum), "{sum}");
    }

    #[test]
    fn scripts_neither_parse_html_nor_fetch() {
        for script in DRAWING.iter().chain(REPORT).chain(COMPARISON).chain(BENCH) {
            for never in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "http"]
            {
                assert!(!script.contains(never), "{never}");
            }
        }
    }
}
