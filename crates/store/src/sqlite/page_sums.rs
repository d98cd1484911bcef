//! A sum at the end of every page of a store file, so that a flipped bit is found by whoever reads the page.
//!
//! SQLite keeps no sums of its pages. It reserves bytes at the end of each page for whoever lies below it: a VFS. This one is
//! the default VFS of the platform, but for two functions of main database files: a page that is written gets its sum (CRC-32,
//! with the number of the page, so that a page in another's place is found too), and a page that is read is compared with
//! its sum. What is in the write-ahead log alone has the log's own sums instead, which SQLite compares when it replays the log.
//!
//! SQLite itself sees zeros where the sum is, and so do the log and journals: a program without this VFS that folds the log
//! into the file leaves pages without a sum, which are as sound as they can tell. One that changes a page leaves the
//! sum of what it was.
//!
//! The same idea is SQLite's own `cksumvfs` extension, which is not part of the bundled library.

#![expect(unsafe_code, reason = "SQLite's VFS is a C interface, which rusqlite does not wrap")]

use std::{
    ffi::{CStr, c_int, c_void},
    mem, ptr, slice,
    sync::OnceLock,
};

use rusqlite::{Connection, ffi};

/// Name of the VFS.
pub(super) const VFS: &CStr = c"nightfold-sums";

/// Bytes that a page of a store reserves for its sum.
const SUM_BYTES: usize = 4;
const RESERVED_BYTES: c_int = 4;

/// Header of a database file, as far as it is read here.
const HEADER_BYTES: usize = 100;
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Place in the header of the number of reserved bytes.
const RESERVED: usize = 20;

/// Sizes of pages that SQLite knows.
const PAGE_SIZES: std::ops::RangeInclusive<usize> = 512..=65_536;

/// Reason that a store is not opened: nothing could tell if it is as it was written.
#[derive(Debug, thiserror::Error)]
#[error("its pages have no sums: its header is damaged, or another program has rewritten the file")]
pub(super) struct NoSums;

/// Registers the VFS, once in a process.
///
/// # Errors
/// The error of SQLite, if there is no default VFS or it is too old.
pub(super) fn register() -> rusqlite::Result<()> {
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    match *REGISTERED.get_or_init(register_once) {
        ffi::SQLITE_OK => Ok(()),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

/// Reserves room for sums in a file that is still empty.
pub(super) fn reserve(file: &Connection) -> rusqlite::Result<()> {
    control_reserved(file, RESERVED_BYTES).map(drop)
}

/// True if the pages of a file have sums.
pub(super) fn has_sums(file: &Connection) -> rusqlite::Result<bool> {
    Ok(control_reserved(file, -1)? == RESERVED_BYTES)
}

/// Sets the number of reserved bytes, unless it is negative, and returns what it was.
fn control_reserved(file: &Connection, mut bytes: c_int) -> rusqlite::Result<c_int> {
    let pointer = ptr::from_mut(&mut bytes).cast();
    // SAFETY: the handle is open as long as the connection is borrowed, and the pointer is to a number of the type that
    // this operation reads and writes.
    let code = unsafe {
        ffi::sqlite3_file_control(file.handle(), c"main".as_ptr(), ffi::SQLITE_FCNTL_RESERVE_BYTES, pointer)
    };
    match code {
        ffi::SQLITE_OK => Ok(bytes),
        code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

/// Number of times that a page is read whose sum is wrong: another process may be writing it.
const ATTEMPTS: usize = 3;

/// Reads all pages of a file, whether they are in use or not, and returns the numbers of those whose sum is wrong.
pub(super) fn damaged(file: &Connection, page_bytes: u16) -> rusqlite::Result<Vec<i64>> {
    let failed = |code| rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
    let mut opened: *mut ffi::sqlite3_file = ptr::null_mut();
    // SAFETY: the handle is open, and the pointer is to one of the type that this operation writes.
    let code = unsafe {
        ffi::sqlite3_file_control(
            file.handle(),
            c"main".as_ptr(),
            ffi::SQLITE_FCNTL_FILE_POINTER,
            ptr::from_mut(&mut opened).cast(),
        )
    };
    // SAFETY: a file that SQLite returns is open as long as the connection is, and its methods are those of its VFS.
    let methods = unsafe { opened.as_ref().and_then(|opened| opened.pMethods.as_ref()) };
    let Some(methods) = methods.filter(|_| code == ffi::SQLITE_OK) else { return Ok(Vec::new()) };
    let (Some(size_of), Some(read)) = (methods.xFileSize, methods.xRead) else { return Ok(Vec::new()) };
    let mut size: ffi::sqlite3_int64 = 0;
    // SAFETY: as above.
    let code = unsafe { size_of(opened, &raw mut size) };
    if code != ffi::SQLITE_OK {
        return Err(failed(code));
    }
    let mut page = vec![0_u8; page_bytes.into()];
    let pages = size / i64::from(page_bytes);
    let mut is_damaged = |offset| {
        for _ in 0..ATTEMPTS {
            // SAFETY: the page has as many bytes as are read.
            match unsafe { read(opened, page.as_mut_ptr().cast(), page_bytes.into(), offset) } {
                ffi::SQLITE_OK => return Ok(false),
                ffi::SQLITE_IOERR_DATA => {}
                code => return Err(failed(code)),
            }
        }
        Ok(true)
    };
    let mut damaged = Vec::new();
    for number in 1..=pages {
        if is_damaged((number - 1) * i64::from(page_bytes))? {
            damaged.push(number);
        }
    }
    Ok(damaged)
}

/// Bytes in the place of a sum that nobody wrote.
const NO_SUM: [u8; SUM_BYTES] = [0; SUM_BYTES];

/// Returns the sum of a page without its last bytes, given its place in the file. Two of its bits are always set, so that
/// no flipped bit makes it [`NO_SUM`].
fn sum(content: &[u8], offset: i64) -> [u8; SUM_BYTES] {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&offset.to_le_bytes());
    sum.update(content);
    (sum.finalize() | 0b11).to_le_bytes()
}

/// Takes the sum from a page that was read, and returns if it is right.
fn take_sum(page: &mut [u8], offset: i64) -> bool {
    let Some((content, found)) = page.split_last_chunk_mut::<SUM_BYTES>() else { return false };
    let found = mem::replace(found, NO_SUM);
    found == NO_SUM || found == sum(content, offset)
}

/// True if this many bytes at this place are a page.
fn is_page(bytes: usize, offset: i64) -> bool {
    PAGE_SIZES.contains(&bytes)
        && bytes.is_power_of_two()
        && i64::try_from(bytes).is_ok_and(|bytes| offset % bytes == 0)
}

/// State of an open database file, behind that of the default VFS.
struct State {
    /// The methods of the file, with two of this VFS's.
    methods: ffi::sqlite3_io_methods,
    /// The methods of the default VFS.
    base: *const ffi::sqlite3_io_methods,
    /// False for a database whose pages have no sums.
    has_sums: bool,
}

/// The default VFS, and where the state of this one begins in a file.
struct Base {
    vfs: *mut ffi::sqlite3_vfs,
    state_at: usize,
}

// SAFETY: SQLite's own VFS is not changed once it is registered, and may be used by any thread.
unsafe impl Send for Base {}
// SAFETY: as above.
unsafe impl Sync for Base {}

static BASE: OnceLock<Base> = OnceLock::new();

fn register_once() -> c_int {
    // SAFETY: a name that is null asks for the default VFS.
    let vfs = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
    // SAFETY: SQLite returns null or a VFS that stays registered.
    let Some(found) = (unsafe { vfs.as_ref() }) else { return ffi::SQLITE_ERROR };
    let base_bytes = usize::try_from(found.szOsFile).unwrap_or_default();
    let state_at = base_bytes.next_multiple_of(mem::align_of::<State>());
    let Ok(all_bytes) = c_int::try_from(state_at + mem::size_of::<State>()) else { return ffi::SQLITE_ERROR };
    let _ = BASE.set(Base { vfs, state_at });
    // Everything but opening is the default VFS's, which takes its own data from what is copied here.
    let own = ffi::sqlite3_vfs {
        szOsFile: all_bytes,
        pNext: ptr::null_mut(),
        zName: VFS.as_ptr(),
        xOpen: Some(open),
        ..*found
    };
    // SAFETY: a VFS must stay as long as the process does.
    unsafe { ffi::sqlite3_vfs_register(Box::leak(Box::new(own)), 0) }
}

/// Opens a file by the default VFS; the methods of a main database are replaced by those of this one.
unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let Some(base) = BASE.get() else { return ffi::SQLITE_ERROR };
    // SAFETY: the VFS stays registered.
    let Some(open) = (unsafe { (*base.vfs).xOpen }) else { return ffi::SQLITE_ERROR };
    // SAFETY: SQLite passes a file of `szOsFile` bytes, of which the default VFS uses the first.
    let code = unsafe { open(base.vfs, name, file, flags, out_flags) };
    if code != ffi::SQLITE_OK || flags & ffi::SQLITE_OPEN_MAIN_DB == 0 {
        return code;
    }
    // SAFETY: a file that was opened has methods, which stay; the state lies behind what the default VFS uses, aligned,
    // within the bytes that this VFS asks for.
    unsafe {
        let methods = (*file).pMethods;
        let state = state_of(base, file);
        state.write(State {
            methods: ffi::sqlite3_io_methods {
                xRead: Some(read),
                xWrite: Some(write),
                xFetch: Some(fetch),
                ..*methods
            },
            base: methods,
            // A file that is empty is going to be a store.
            has_sums: true,
        });
        (*file).pMethods = &raw const (*state).methods;
    }
    code
}

/// Returns the place of the state of an open file.
unsafe fn state_of(base: &Base, file: *mut ffi::sqlite3_file) -> *mut State {
    // SAFETY: the caller passes a file of this VFS.
    unsafe { file.cast::<u8>().add(base.state_at).cast() }
}

/// Reads; a page must have its sum.
unsafe extern "C" fn read(file: *mut ffi::sqlite3_file, to: *mut c_void, bytes: c_int, offset: i64) -> c_int {
    let Some(base) = BASE.get() else { return ffi::SQLITE_ERROR };
    // SAFETY: SQLite calls the methods of a file with that file, from one thread at a time.
    let state = unsafe { &mut *state_of(base, file) };
    // SAFETY: the methods of the default VFS stay.
    let Some(read) = (unsafe { (*state.base).xRead }) else { return ffi::SQLITE_ERROR };
    // SAFETY: the same arguments.
    let code = unsafe { read(file, to, bytes, offset) };
    let Ok(bytes) = usize::try_from(bytes) else { return code };
    if code != ffi::SQLITE_OK {
        return code;
    }
    // SAFETY: all bytes were read.
    let page = unsafe { slice::from_raw_parts_mut(to.cast::<u8>(), bytes) };
    state.note_header(page, offset);
    if state.has_sums && is_page(bytes, offset) && !take_sum(page, offset) {
        return ffi::SQLITE_IOERR_DATA;
    }
    code
}

/// Writes; a page gets its sum.
unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    from: *const c_void,
    bytes: c_int,
    offset: i64,
) -> c_int {
    let Some(base) = BASE.get() else { return ffi::SQLITE_ERROR };
    // SAFETY: as for reading.
    let state = unsafe { &mut *state_of(base, file) };
    // SAFETY: the methods of the default VFS stay.
    let Some(write) = (unsafe { (*state.base).xWrite }) else { return ffi::SQLITE_ERROR };
    let length = usize::try_from(bytes).unwrap_or_default();
    // SAFETY: SQLite passes this many bytes.
    let page = unsafe { slice::from_raw_parts(from.cast::<u8>(), length) };
    state.note_header(page, offset);
    if !(state.has_sums && is_page(length, offset)) {
        // SAFETY: the same arguments.
        return unsafe { write(file, from, bytes, offset) };
    }
    // SQLite's page is not this VFS's to change.
    let content = &page[..length - SUM_BYTES];
    let mut summed = page.to_vec();
    summed[length - SUM_BYTES..].copy_from_slice(&sum(content, offset));
    // SAFETY: a copy of as many bytes.
    unsafe { write(file, summed.as_ptr().cast(), bytes, offset) }
}

/// No page is read but by [`read`].
unsafe extern "C" fn fetch(_: *mut ffi::sqlite3_file, _: i64, _: c_int, page: *mut *mut c_void) -> c_int {
    // SAFETY: SQLite passes a place for the pointer; null sends it to [`read`].
    unsafe { *page = ptr::null_mut() };
    ffi::SQLITE_OK
}

impl State {
    /// Notes if the pages of a database have sums, once its header is seen.
    fn note_header(&mut self, bytes: &[u8], offset: i64) {
        if offset == 0 && bytes.len() >= HEADER_BYTES {
            self.has_sums = bytes.starts_with(MAGIC) && usize::from(bytes[RESERVED]) == SUM_BYTES;
        }
    }
}
