//! Collapse of millions of status lines, for timing from outside: `/usr/bin/time -v status MEMORIES`.
//!
//! Lines of a hundred posts with ever new numbers are made as they are needed. One thread. Prints the counts
//! of the collapse.

use std::{env, error::Error, io::Write as _};

use nightfold::english::English;
use nightfold_consolidate::collapse::{Significance, StatusCollapse, StatusRecord};
use nightfold_memory::{GameTime, config::CollapseConfig};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().collect();
    let memories: i64 = args.get(1).ok_or("usage: status MEMORIES")?.parse()?;
    let settings = CollapseConfig::default();
    let mut collapse = StatusCollapse::new(&settings, &English);
    for n in 0..memories {
        let post = char::from(b'a' + u8::try_from(n % 26)?);
        let ward = char::from(b'a' + u8::try_from(n / 26 % 26)?);
        let text = format!(
            "Guard post {post}{ward}o status 1204-05-{:02} {:02}:{:02}: {} patrols, {} alerts, run-{n:x} done in {}ms",
            1 + n % 28,
            n % 24,
            n % 60,
            n % 17,
            n % 5,
            n % 977,
        );
        collapse.push(StatusRecord {
            id: &format!("m-{n}"),
            text: &text,
            context: "",
            significance: Significance::Routine,
            reinforcement: 1,
            created_at: GameTime::from_seconds(n).ok_or("too many")?,
        });
    }
    let report = collapse.finish().report;
    writeln!(
        std::io::stdout(),
        "{} scanned, {} signatures, {} groups, {} duplicates",
        report.scanned_profiles,
        report.unique_signatures,
        report.duplicate_groups,
        report.duplicates_found
    )?;
    Ok(())
}
