//! A disk that fails: the files below a folder, what of them a sync has made durable, and the fault that waits for an
//! operation. Operations are counted, so that a fault comes at the same one in every run.

mod vfs;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rusqlite::ffi;
use serde::{Deserialize, Serialize};

pub(crate) use self::vfs::{as_process, install};
use crate::steps::Lot;

/// Smallest unit that a power loss leaves whole.
const SECTOR: usize = 512;

/// Process that opened a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Process {
    Town,
    Tool,
}

/// Operation of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Write,
    Truncate,
    Sync,
    Delete,
}

/// Fault of the disk, or of the machine at an operation of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FaultKind {
    /// A write finds no room.
    Full,
    /// All writes find no room until some steps later.
    StaysFull,
    /// Half of a write reaches the file.
    ShortWrite,
    /// A write fails.
    WriteFails,
    /// A sync fails, and nothing is durable.
    SyncFails,
    /// A sync fails, and both processes die before another write: what was written is left, though the call failed.
    SyncFailsAndAllDie,
    /// A read fails.
    ReadFails,
    /// The tool dies before a write or a sync; the system and the town live on.
    ToolDies,
    /// Both processes die before a write or a sync; the system lives on and keeps what was written.
    AllDie,
    /// The machine loses power: of what no sync has made durable, any part may be left.
    PowerLoss,
}

impl FaultKind {
    /// True if the fault happens at the end of the step if no operation meets it.
    pub(crate) fn is_death(self) -> bool {
        matches!(self, Self::ToolDies | Self::AllDie | Self::PowerLoss)
    }

    fn meets(self, operation: Operation, process: Process) -> bool {
        match self {
            Self::Full | Self::StaysFull | Self::ShortWrite | Self::WriteFails => {
                matches!(operation, Operation::Write | Operation::Truncate)
            }
            Self::SyncFails | Self::SyncFailsAndAllDie => operation == Operation::Sync,
            Self::ReadFails => operation == Operation::Read && process == Process::Tool,
            Self::ToolDies => operation != Operation::Read && process == Process::Tool,
            Self::AllDie | Self::PowerLoss => operation != Operation::Read,
        }
    }
}

/// Change of a file that no sync has made durable yet.
enum Unsynced {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

/// A file: its durable bytes, and what has changed since.
#[derive(Default)]
struct Shadow {
    durable: Vec<u8>,
    unsynced: Vec<Unsynced>,
    /// True if the name of the file is durable.
    named: bool,
}

fn put(bytes: &mut Vec<u8>, at: usize, new: &[u8]) {
    bytes.resize(bytes.len().max(at + new.len()), 0);
    bytes[at..at + new.len()].copy_from_slice(new);
}

impl Shadow {
    fn sync(&mut self) {
        for change in self.unsynced.drain(..) {
            match change {
                Unsynced::Write(at, new) => put(&mut self.durable, at, &new),
                Unsynced::Truncate(length) => self.durable.resize(length, 0),
            }
        }
        self.named = true;
    }

    /// Returns the bytes after a power loss, and whether a write was torn; `None` if not even the name is left.
    fn after_power_loss(&self, lot: &mut Lot) -> (Option<Vec<u8>>, bool) {
        let (mut bytes, mut torn) = (self.durable.clone(), false);
        // Most often everything was on its way in order; else any sector may have come first.
        let (way, cut) = (lot.below(4), lot.below(self.unsynced.len() as u64 + 1) as usize);
        for (place, change) in self.unsynced.iter().enumerate() {
            match change {
                Unsynced::Write(at, new) => {
                    for (n, sector) in new.chunks(SECTOR).enumerate() {
                        let kept = match way {
                            0 => false,
                            1 => place < cut || (place == cut && n % 2 == 0),
                            2 => lot.below(2) == 0,
                            _ => lot.below(8) != 0,
                        };
                        torn |= !kept && n > 0;
                        if kept {
                            put(&mut bytes, at + n * SECTOR, sector);
                        }
                    }
                }
                Unsynced::Truncate(length) if way != 0 && lot.below(2) == 0 => bytes.resize(*length, 0),
                Unsynced::Truncate(_) => {}
            }
        }
        let is_left = self.named || lot.below(2) == 0;
        (is_left.then_some(bytes), torn)
    }
}

/// Fault that waits for its operation.
struct Armed {
    kind: FaultKind,
    /// Number of operations that pass before.
    passes: u32,
}

/// Outcome of an operation.
enum Ruling {
    Done,
    Failed(i32),
    /// Half of the bytes are written, and the operation fails.
    Half(i32),
}

/// State of the disk.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub(crate) struct DiskState {
    files: BTreeMap<PathBuf, Shadow>,
    armed: Option<Armed>,
    /// True while there is no room.
    full: bool,
    /// True from the death of all processes to their return.
    pub(crate) all_dead: bool,
    /// True from the death of the tool to its return.
    pub(crate) tool_dead: bool,
    /// Files as a power loss has left them; `None` for one that is gone.
    left: Option<BTreeMap<PathBuf, Option<Vec<u8>>>>,
    /// Lot of the next power loss.
    lot: u64,
    /// Fault that met an operation since the last step.
    pub(crate) fired: Option<FaultKind>,
    /// True if the last power loss tore a write.
    pub(crate) torn: bool,
    /// True if no sync does anything: a disk that lies, which the simulation must notice.
    lies: bool,
}

impl DiskState {
    fn rule(&mut self, operation: Operation, process: Process) -> Ruling {
        if self.all_dead || (self.tool_dead && process == Process::Tool) {
            return Ruling::Failed(ffi::SQLITE_IOERR);
        }
        if self.full && matches!(operation, Operation::Write | Operation::Truncate) {
            return Ruling::Failed(ffi::SQLITE_FULL);
        }
        let Some(armed) = self.armed.as_mut().filter(|armed| armed.kind.meets(operation, process)) else {
            return Ruling::Done;
        };
        if armed.passes > 0 {
            armed.passes -= 1;
            return Ruling::Done;
        }
        let kind = armed.kind;
        self.fire(kind);
        match kind {
            FaultKind::Full | FaultKind::StaysFull => Ruling::Failed(ffi::SQLITE_FULL),
            FaultKind::ShortWrite => Ruling::Half(ffi::SQLITE_FULL),
            FaultKind::WriteFails => Ruling::Failed(ffi::SQLITE_IOERR_WRITE),
            FaultKind::SyncFails | FaultKind::SyncFailsAndAllDie => Ruling::Failed(ffi::SQLITE_IOERR_FSYNC),
            FaultKind::ReadFails => Ruling::Failed(ffi::SQLITE_IOERR_READ),
            FaultKind::ToolDies | FaultKind::AllDie | FaultKind::PowerLoss => {
                Ruling::Failed(ffi::SQLITE_IOERR)
            }
        }
    }

    fn fire(&mut self, kind: FaultKind) {
        self.armed = None;
        self.fired = Some(kind);
        match kind {
            FaultKind::StaysFull => self.full = true,
            FaultKind::ToolDies => self.tool_dead = true,
            FaultKind::AllDie => self.all_dead = true,
            FaultKind::SyncFailsAndAllDie => self.armed = Some(Armed { kind: FaultKind::AllDie, passes: 0 }),
            FaultKind::PowerLoss => {
                self.all_dead = true;
                let mut lot = Lot(self.lot);
                let mut left = BTreeMap::new();
                self.torn = false;
                for (path, shadow) in &self.files {
                    let (bytes, torn) = shadow.after_power_loss(&mut lot);
                    self.torn |= torn;
                    left.insert(path.clone(), bytes);
                }
                self.left = Some(left);
            }
            _ => {}
        }
    }

    fn written(&mut self, file: &Path, at: usize, bytes: &[u8]) {
        self.shadow(file).unsynced.push(Unsynced::Write(at, bytes.to_vec()));
    }

    fn shadow(&mut self, file: &Path) -> &mut Shadow {
        self.files.entry(file.to_owned()).or_default()
    }
}

/// The disk of one run: a folder.
pub(crate) struct Disk {
    pub(crate) folder: PathBuf,
    state: Mutex<DiskState>,
}

impl Disk {
    /// Makes a disk of a folder; one that lies forgets all that it was told to sync when the power is lost.
    pub(crate) fn of(folder: &Path, lies: bool) -> Arc<Self> {
        let state = Mutex::new(DiskState { lies, ..DiskState::default() });
        let disk = Arc::new(Self { folder: folder.to_owned(), state });
        vfs::mount(&disk);
        disk
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, DiskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a fault wait for its operation, after `passes` others.
    pub(crate) fn arm(&self, kind: FaultKind, passes: u32, lot: u64) {
        let mut state = self.state();
        (state.armed, state.lot) = (Some(Armed { kind, passes }), lot);
    }

    /// Ends the step: a death that met no operation happens now, any other fault is called off. Returns the fault that
    /// happened in the step.
    pub(crate) fn end_of_step(&self) -> Option<FaultKind> {
        let mut state = self.state();
        if let Some(kind) = state.armed.take().map(|armed| armed.kind).filter(|kind| kind.is_death()) {
            state.fire(kind);
        }
        state.fired.take()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.state().full
    }

    /// Gives the disk room again.
    pub(crate) fn heal(&self) {
        self.state().full = false;
    }

    /// Lets the processes return, once all handles of the dead ones are closed: to the files as the power loss left them, or
    /// as they were written. Returns true if the power loss tore a write.
    pub(crate) fn restart(&self) -> bool {
        let mut state = self.state();
        (state.all_dead, state.tool_dead, state.armed) = (false, false, None);
        let Some(left) = state.left.take() else { return false };
        state.files.clear();
        for (path, bytes) in left {
            let Some(durable) = bytes else {
                let _ = fs::remove_file(&path);
                continue;
            };
            fs::write(&path, &durable).unwrap();
            state.files.insert(path.clone(), Shadow { durable, unsynced: Vec::new(), named: true });
            let mut shared = path.into_os_string();
            shared.push("-shm");
            let _ = fs::remove_file(shared);
        }
        state.torn
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        vfs::unmount(&self.folder);
    }
}
