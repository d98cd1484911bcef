//! The page around the data: one file with all it needs, and a policy that lets nothing else in.

use std::io::{self, Write};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256};

use crate::{json::json, view::View};

/// A file of the page.
pub type Asset = &'static str;

macro_rules! assets {
    ($($name:literal),* $(,)?) => { &[$(include_str!(concat!("../assets/", $name))),*] };
}

/// Draws charts; see `assets/echarts/README.md`.
const ECHARTS: Asset = include_str!("../assets/echarts/echarts.min.js");

/// What draws a night, in the order in which it is read.
pub const DRAWING: &[Asset] = assets![
    "dom.js",
    "scheme.js",
    "fates.js",
    "charts.js",
    "map.js",
    "flow.js",
    "budgets.js",
    "history.js",
    "insights.js",
    "memories.js",
    "night.js",
];

/// What makes a report of it: all NPCs first, one on demand.
const REPORT: &[Asset] = assets!["data.js", "summary.js", "report.js"];

/// How all of it looks.
pub const STYLE: &[Asset] = assets!["page.css", "report.css"];

const BODY: Asset = include_str!("../assets/page.html");

/// A page: its style and its scripts, and between them data that the scripts read.
#[derive(Debug)]
pub struct Page {
    style: String,
    scripts: [String; 2],
    policy: String,
}

impl Page {
    /// A page with these scripts after the chart library. Its policy names styles and scripts by their fingerprints: no
    /// others run, whatever gets into the page. Nothing is fetched or sent, but to where the page came from if it `connects`.
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

    /// Writes the page around what `data` writes by [`data`].
    ///
    /// # Errors
    /// What writing to `out` gives.
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

/// Writes a report: one HTML page that needs nothing beside itself. The same view gives the same bytes.
///
/// # Errors
/// What writing to `out` gives.
pub fn write(out: &mut dyn Write, view: &View) -> io::Result<()> {
    Page::new(&[STYLE], &[DRAWING, REPORT], false).write(out, |out| {
        data(out, "id=\"summary\"", &view.summary)?;
        view.npcs.iter().try_for_each(|npc| data(out, "class=\"npc\"", npc))
    })
}

/// As a policy names an inline style or script.
fn fingerprint(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Data that scripts read and nothing runs. `attribute` tells the scripts which it is.
///
/// # Errors
/// What writing to `out` gives.
pub fn data(out: &mut dyn Write, attribute: &str, value: &impl serde::Serialize) -> io::Result<()> {
    write!(out, "<script type=\"application/json\" {attribute}>")?;
    json(out, value)?;
    out.write_all(b"</script>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_page_ends_the_element_it_stands_in() {
        for script in DRAWING.iter().chain(REPORT).chain([&ECHARTS]) {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
        assert!(STYLE.iter().all(|style| !style.contains("</style")));
    }

    #[test]
    fn the_chart_library_is_the_one_that_was_read() {
        let sum: String = Sha256::digest(ECHARTS).iter().map(|b| format!("{b:02x}")).collect();
        assert!(include_str!("../assets/echarts/README.md").contains(&sum), "{sum}");
    }

    #[test]
    fn no_script_reads_text_as_html_or_asks_for_anything() {
        for script in DRAWING.iter().chain(REPORT) {
            for never in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "http"]
            {
                assert!(!script.contains(never), "{never}");
            }
        }
    }
}
