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
}

impl Footprint {
    /// Reads the footprint of a process; `self` is this one. A process that has ended has none.
    pub(crate) fn of(process: &str) -> io::Result<Self> {
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
                .ok_or_else(|| io::Error::other(format!("no {name} of process {process}")))
        };
        Ok(Self {
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
