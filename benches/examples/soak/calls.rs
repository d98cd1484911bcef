//! Nights in processes of their own: the command line sleeps, maintains and purges once a day.

use std::{
    fs,
    io::Write as _,
    mem::take,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use nightfold_benches::flatness::{Figure, WindowTable, percentile};
use nightfold_scenario::synthetic::synthetic_day;

use crate::{
    Fallible, Life, WINDOWS,
    footprint::{Footprint, files_in},
    median_and_p99,
};

const FIGURES: &[Figure] = &[
    Figure { name: "call p50, ms", decimals: 0, limit: None },
    Figure { name: "p99", decimals: 0, limit: None },
    Figure { name: "call p50, CPU ms", decimals: 0, limit: Some(1.5) },
    Figure { name: "call p99, CPU ms", decimals: 0, limit: Some(2.0) },
    Figure { name: "peak memory, MB", decimals: 0, limit: Some(1.1) },
    Figure { name: "handles", decimals: 0, limit: Some(1.0) },
    Figure { name: "threads", decimals: 0, limit: Some(1.0) },
    Figure { name: "files", decimals: 0, limit: Some(1.0) },
    Figure { name: "store, MB", decimals: 2, limit: Some(1.5) },
];

/// Interval at which a call is looked at. The system keeps its peak memory and its processor time; handles and threads
/// that it has for a moment in between are not seen.
const LOOK: Duration = Duration::from_millis(5);

/// Calls `program` once for each day, and returns what each window of days cost.
pub(crate) fn run(folder: &Path, program: &str, life: &Life) -> Fallible<WindowTable> {
    let (store, day_file) = (folder.join("store"), folder.join("day.jsonl"));
    fs::create_dir(&store)?;
    let mut town = life.town();
    let mut table = WindowTable::new(FIGURES);
    let (mut walls, mut cpus, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
    let (mut handles, mut threads) = (0, 0);
    for day in 0..life.days {
        let mut lines = Vec::new();
        for (npc, draw) in &mut town {
            for memory in synthetic_day(draw, npc, day, life.memories)? {
                writeln!(lines, "{}", serde_json::to_string(&memory)?)?;
            }
        }
        fs::write(&day_file, lines)?;
        let mut call = Command::new(program);
        call.arg("sleep").arg(&day_file).args(["--apply", "--quiet", "--then", "maintain,purge"]);
        call.arg("--store").arg(store.join("town.db")).arg("--vector-cache").arg(store.join("vectors.db"));
        if life.rules {
            call.args(["--judge", "rules"]);
        }
        // A cache that is full before the first quarter ends.
        call.args(["--set", "embed.file_cache=5000"]);
        let (wall, seen) = watched(&mut call)?;
        walls.push(1_000.0 * wall.as_secs_f64());
        cpus.push(1_000.0 * seen.cpu);
        peaks.push(seen.peak as f64 / 1e6);
        (handles, threads) = (handles.max(seen.handles), threads.max(seen.threads));
        let window = (day + 1) * WINDOWS / life.days;
        if window > day * WINDOWS / life.days {
            peaks.sort_by(f64::total_cmp);
            let ([wall, late], [cpu, much]) =
                (median_and_p99(take(&mut walls)), median_and_p99(take(&mut cpus)));
            let peak = percentile(&take(&mut peaks), 1.0);
            let files = files_in(&store)?;
            let size = fs::metadata(store.join("town.db"))?.len() as f64 / 1e6;
            let most = (take(&mut handles), take(&mut threads));
            table.push(
                day + 1,
                vec![wall, late, cpu, much, peak, most.0 as f64, most.1 as f64, files as f64, size],
            );
        }
    }
    Ok(table)
}

/// Runs a call to its end; returns its wall time, and the most that it was seen to take.
fn watched(call: &mut Command) -> Fallible<(Duration, Footprint)> {
    let begun = Instant::now();
    let mut child = call.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    let process = child.id().to_string();
    let mut most = Footprint::default();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        // A process that is just ending has none.
        if let Ok(now) = Footprint::of(&process) {
            most.cpu = most.cpu.max(now.cpu);
            most.peak = most.peak.max(now.peak);
            most.handles = most.handles.max(now.handles);
            most.threads = most.threads.max(now.threads);
        }
        thread::sleep(LOOK);
    };
    if !status.success() {
        return Err(format!("a call ended with {status}").into());
    }
    Ok((begun.elapsed(), most))
}
