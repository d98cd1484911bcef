//! The way of SQLite to the disk: a file system of SQLite's own kind ("VFS") over that of the system, which asks the
//! [`Disk`] before each operation. Everything else is passed on: the files are real, and so are locks and shared memory.
#![allow(unsafe_code, reason = "a file system of SQLite is a table of C functions")]

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::{CStr, OsStr, c_char, c_int, c_void},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    ptr,
    sync::{Arc, Mutex, Once, PoisonError, Weak, atomic::AtomicPtr, atomic::Ordering},
};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs};

use super::{Disk, DiskState, Operation, Process, Ruling};

/// Disks in use, by their folders.
static DISKS: Mutex<BTreeMap<PathBuf, Weak<Disk>>> = Mutex::new(BTreeMap::new());
/// File system of the system.
static SYSTEM: AtomicPtr<sqlite3_vfs> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    static PROCESS: Cell<Process> = const { Cell::new(Process::Town) };
}

/// Runs work on this thread as a process: the files that it opens are that process's.
pub(crate) fn as_process<T>(process: Process, work: impl FnOnce() -> T) -> T {
    let before = PROCESS.replace(process);
    let done = work();
    PROCESS.set(before);
    done
}

pub(super) fn mount(disk: &Arc<Disk>) {
    let mut disks = DISKS.lock().unwrap_or_else(PoisonError::into_inner);
    disks.insert(disk.folder.clone(), Arc::downgrade(disk));
}

pub(super) fn unmount(folder: &Path) {
    DISKS.lock().unwrap_or_else(PoisonError::into_inner).remove(folder);
}

fn disk_of(file: &Path) -> Option<Arc<Disk>> {
    DISKS.lock().unwrap_or_else(PoisonError::into_inner).get(file.parent()?)?.upgrade()
}

/// An open file of a disk.
struct OpenFile {
    disk: Arc<Disk>,
    path: PathBuf,
    process: Process,
}

impl OpenFile {
    /// Asks the disk for an operation; lets it change its record of the file if the operation is done.
    fn ask(
        &self,
        operation: Operation,
        work: impl FnOnce(bool) -> c_int,
        note: impl FnOnce(&mut DiskState, bool),
    ) -> c_int {
        let mut state = self.disk.state();
        match state.rule(operation, self.process) {
            Ruling::Failed(code) => code,
            Ruling::Half(code) => {
                if work(true) == ffi::SQLITE_OK {
                    note(&mut state, true);
                }
                code
            }
            Ruling::Done => {
                let code = work(false);
                if code == ffi::SQLITE_OK {
                    note(&mut state, false);
                }
                code
            }
        }
    }
}

/// An open file as SQLite holds it; the system's own follows it in memory.
#[repr(C)]
struct Handle {
    base: sqlite3_file,
    open: *mut OpenFile,
}

/// Installs the file system as SQLite's default, once.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: the default file system of SQLite is a static table, which is copied and stays.
        unsafe {
            let system = ffi::sqlite3_vfs_find(ptr::null());
            assert!(!system.is_null(), "SQLite has a file system");
            SYSTEM.store(system, Ordering::Release);
            let own = Box::leak(Box::new(*system));
            own.szOsFile += c_int::try_from(size_of::<Handle>()).unwrap();
            own.zName = c"simulation".as_ptr();
            own.pNext = ptr::null_mut();
            own.xOpen = Some(open);
            own.xDelete = Some(delete);
            assert_eq!(ffi::sqlite3_vfs_register(own, 1), ffi::SQLITE_OK);
        }
    });
}

/// Returns the path that SQLite gives.
///
/// # Safety
/// `name` is null or a C string.
unsafe fn path_of(name: *const c_char) -> Option<PathBuf> {
    // SAFETY: as the caller says.
    let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })?;
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let system = SYSTEM.load(Ordering::Acquire);
    // SAFETY: SQLite gives a C string or null, and `szOsFile` bytes at `file`; the system's table is complete.
    unsafe {
        let path = path_of(name);
        let disk = path.as_deref().and_then(disk_of);
        let (Some(path), Some(disk)) = (path, disk) else {
            return ((*system).xOpen.unwrap())(system, name, file, flags, out);
        };
        let handle = file.cast::<Handle>();
        (*handle).base.pMethods = ptr::null();
        (*handle).open = ptr::null_mut();
        let process = PROCESS.get();
        let is_dead = {
            let state = disk.state();
            state.all_dead || (state.tool_dead && process == Process::Tool)
        };
        if is_dead {
            return ffi::SQLITE_CANTOPEN;
        }
        let code = ((*system).xOpen.unwrap())(system, name, real(file), flags, out);
        if !(*real(file)).pMethods.is_null() {
            if code == ffi::SQLITE_OK {
                disk.state().shadow(&path);
            }
            (*handle).open = Box::into_raw(Box::new(OpenFile { disk, path, process }));
            (*handle).base.pMethods = &raw const METHODS;
        }
        code
    }
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync_folder: c_int) -> c_int {
    let system = SYSTEM.load(Ordering::Acquire);
    // SAFETY: SQLite gives a C string; the system's table is complete.
    unsafe {
        let work = || ((*system).xDelete.unwrap())(system, name, sync_folder);
        let path = path_of(name).unwrap_or_default();
        let Some(disk) = disk_of(&path) else { return work() };
        let open = OpenFile { disk, path, process: PROCESS.get() };
        open.ask(Operation::Delete, |_| work(), |state, _| _ = state.files.remove(&open.path))
    }
}

/// Returns the system's part of a handle.
fn real(file: *mut sqlite3_file) -> *mut sqlite3_file {
    file.cast::<Handle>().wrapping_add(1).cast()
}

/// Returns the open file of a handle.
///
/// # Safety
/// `file` is a handle that [`open`] has made and [`close`] has not ended.
unsafe fn of<'a>(file: *mut sqlite3_file) -> &'a OpenFile {
    // SAFETY: as the caller says.
    unsafe { &*(*file.cast::<Handle>()).open }
}

/// Passes a call on to the system.
macro_rules! system {
    ($file:ident, $method:ident $(, $arg:expr)*) => {
        // SAFETY: the system's part was opened together with the handle, and its table is complete.
        unsafe { ((*(*real($file)).pMethods).$method.unwrap())(real($file) $(, $arg)*) }
    };
}

macro_rules! passed_on {
    ($($name:ident: $method:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => {
        $(unsafe extern "C" fn $name(file: *mut sqlite3_file, $($arg: $ty),*) -> $out {
            system!(file, $method $(, $arg)*)
        })*
    };
}

passed_on! {
    size: xFileSize(out: *mut sqlite3_int64) -> c_int;
    lock: xLock(level: c_int) -> c_int;
    unlock: xUnlock(level: c_int) -> c_int;
    check_reserved: xCheckReservedLock(out: *mut c_int) -> c_int;
    control: xFileControl(operation: c_int, arg: *mut c_void) -> c_int;
    sector: xSectorSize() -> c_int;
    traits: xDeviceCharacteristics() -> c_int;
    shm_map: xShmMap(page: c_int, size: c_int, extend: c_int, out: *mut *mut c_void) -> c_int;
    shm_lock: xShmLock(offset: c_int, n: c_int, flags: c_int) -> c_int;
    shm_barrier: xShmBarrier() -> ();
    shm_unmap: xShmUnmap(delete: c_int) -> c_int;
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let code = system!(file, xClose);
    // SAFETY: `open` has made the box, and SQLite closes a handle once.
    drop(unsafe { Box::from_raw((*file.cast::<Handle>()).open) });
    code
}

unsafe extern "C" fn read(file: *mut sqlite3_file, to: *mut c_void, n: c_int, at: sqlite3_int64) -> c_int {
    // SAFETY: SQLite calls it with an open handle.
    unsafe { of(file) }.ask(Operation::Read, |_| system!(file, xRead, to, n, at), |_, _| ())
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    from: *const c_void,
    n: c_int,
    at: sqlite3_int64,
) -> c_int {
    // SAFETY: SQLite calls it with an open handle and `n` bytes at `from`.
    let (open, bytes) = unsafe { (of(file), std::slice::from_raw_parts(from.cast::<u8>(), n as usize)) };
    let part = |half: bool| if half { n / 2 } else { n };
    open.ask(
        Operation::Write,
        |half| system!(file, xWrite, from, part(half), at),
        |state, half| state.written(&open.path, at as usize, &bytes[..part(half) as usize]),
    )
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, length: sqlite3_int64) -> c_int {
    // SAFETY: SQLite calls it with an open handle.
    let open = unsafe { of(file) };
    let work = |half: bool| if half { ffi::SQLITE_IOERR } else { system!(file, xTruncate, length) };
    open.ask(Operation::Truncate, work, |state, _| {
        state.shadow(&open.path).unsynced.push(super::Unsynced::Truncate(length as usize));
    })
}

/// Makes durable what was written, without a sync of the real file: nobody cuts the power of this machine.
unsafe extern "C" fn sync(file: *mut sqlite3_file, _: c_int) -> c_int {
    // SAFETY: SQLite calls it with an open handle.
    let open = unsafe { of(file) };
    open.ask(
        Operation::Sync,
        |_| ffi::SQLITE_OK,
        |state, _| {
            if !state.lies {
                state.shadow(&open.path).sync();
            }
        },
    )
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved),
    xFileControl: Some(control),
    xSectorSize: Some(sector),
    xDeviceCharacteristics: Some(traits),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};
