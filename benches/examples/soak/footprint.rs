//! Footprint of a process and of a folder, as Linux shows them.

use std::{fs, io, path::Path};

/// Memory, handles and threads of a process.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Footprint {
    /// Resident memory in bytes.
    pub(crate) resident: u64,
    /// Largest resident memory so far, in bytes.
    pub(crate) peak: u64,
    /// Open handles: files, sockets, pipes.
    pub(crate) handles: usize,
    /// Threads.
    pub(crate) threads: u64,
    /// Processor time in seconds, of all threads.
    pub(crate) cpu: f64,
}

/// Ticks of a second in which Linux tells processor time (`USER_HZ`, the same on all its machines).
const TICKS: f64 = 100.0;

impl Footprint {
    /// Reads the footprint of a process; `self` is this one. A process that has ended has none.
    pub(crate) fn of(process: &str) -> io::Result<Self> {
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
                .ok_or_else(|| io::Error::other(format!("no {name} of process {process}")))
        };
        let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
        // The name of the program, in brackets, may hold blanks; after it come the state and then numbers.
        let numbers = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(1);
        let ticks = numbers.skip(10).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
        Ok(Self {
            cpu: ticks.sum::<f64>() / TICKS,
            resident: 1024 * number("VmRSS")?,
            peak: 1024 * number("VmHWM")?,
            handles: fs::read_dir(format!("/proc/{process}/fd"))?.count(),
            threads: number("Threads")?,
        })
    }
}

/// Returns the number of files in a folder.
pub(crate) fn files_in(folder: &Path) -> io::Result<usize> {
    Ok(fs::read_dir(folder)?.count())
}
