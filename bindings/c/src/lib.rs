//! The living town as a C library: JSON in, JSON events out by polling, no callbacks, and no pointer that can dangle but the texts
//! it returns. `include/nightfold.h` is made from this file; `README.md` says how to use it.
#![expect(
    clippy::doc_markdown,
    clippy::doc_link_with_quotes,
    reason = "these texts are the comments of the C header"
)]

mod registry;

use std::{
    cell::RefCell,
    ffi::{CStr, CString, c_char},
    slice, str,
    time::Duration,
};

use nightfold_ecs::memory::{GameTime, NpcId};
use nightfold_town::{Town, TownError};

use crate::registry::Refusal;

/// Version of this interface. A header of another version does not fit the library.
pub const NF_ABI_VERSION: u32 = 1;

/// A town, by its number: never dereferenced.
#[derive(Debug)]
#[expect(non_camel_case_types, reason = "C's spelling")]
pub enum nf_town {}

thread_local! {
    static LAST_ERROR: RefCell<Option<LastError>> = const { RefCell::new(None) };
}

/// Reason for the last refusal on this thread.
struct LastError {
    message: CString,
    code: CString,
}

/// Returns the version of the interface that the library has, to be compared with NF_ABI_VERSION of the header.
#[unsafe(no_mangle)]
pub extern "C" fn nf_abi_version() -> u32 {
    NF_ABI_VERSION
}

/// Returns the version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn nf_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Opens a town; blocks while the model opens, which takes some tenths of a second. The options are a JSON object, {} for the
/// defaults; docs/src/games/engines.md lists them. Returns NULL if it refuses.
///
/// # Safety
/// `options_json` is a text that ends with a zero byte, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nf_open(options_json: *const c_char) -> *mut nf_town {
    // SAFETY: the caller's promise.
    let options = unsafe { text(options_json) };
    let opened = registry::guarded(|| {
        let options = serde_json::from_str(options?).map_err(TownError::from)?;
        Ok(registry::add(Town::open(options)?))
    });
    told(opened).map_or(std::ptr::null_mut(), std::ptr::without_provenance_mut)
}

/// Closes a town: nights that are planned are given up, those that are written are written. NULL is allowed.
#[unsafe(no_mangle)]
pub extern "C" fn nf_close(town: *mut nf_town) {
    registry::close(town.addr());
}

/// Carries a command out that is written as JSON, such as {"do":"status"}, and returns the reply as JSON; NULL if it
/// refuses. The text stays until the next call of nf_do or nf_close with this town. docs/src/games/engines.md lists the commands.
///
/// # Safety
/// `command_json` is a text that ends with a zero byte, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nf_do(town: *mut nf_town, command_json: *const c_char) -> *const c_char {
    // SAFETY: the caller's promise.
    let command = unsafe { text(command_json) };
    let reply = registry::with_texts(town.addr(), |town, texts| {
        texts.reply = as_c(town.do_json(command?)?);
        Ok(texts.reply.as_ptr())
    });
    told(reply).unwrap_or(std::ptr::null())
}

/// Adds an NPC: spawned or streamed in. One that recalls (not 0) can be asked by day.
///
/// # Safety
/// `npc` is a text that ends with a zero byte, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nf_spawn(town: *mut nf_town, npc: *const c_char, recalls: i32) -> i32 {
    // SAFETY: the caller's promise.
    let npc = unsafe { name(npc) };
    done(town, |town| Ok(town.spawn(npc?, recalls != 0, None)?))
}

/// Removes an NPC with the memories of its day; let it sleep first to keep them. A night under way is finished.
///
/// # Safety
/// `npc` is a text that ends with a zero byte, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nf_despawn(town: *mut nf_town, npc: *const c_char) -> i32 {
    // SAFETY: the caller's promise.
    let npc = unsafe { name(npc) };
    done(town, |town| Ok(town.despawn(&npc?)?))
}

/// Adds a memory to an NPC's day: {"at":0,"kind":"event","text":"...","importance":5,...}.
///
/// # Safety
/// `npc` and `memory_json` are texts that end with a zero byte, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nf_live(town: *mut nf_town, npc: *const c_char, memory_json: *const c_char) -> i32 {
    // SAFETY: the caller's promise.
    let (npc, memory) = unsafe { (name(npc), text(memory_json)) };
    done(town, |town| {
        let memory = serde_json::from_str(memory?).map_err(TownError::from)?;
        Ok(town.live(&npc?, memory)?)
    })
}

/// Puts an NPC to bed, or changes the length of its sleep. Moments are seconds of game time; quality is 0 to 1.
///
/// # Safety
/// `npc` is a text that ends with a zero byte, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nf_sleep(
    town: *mut nf_town,
    npc: *const c_char,
    since: i64,
    until: i64,
    quality: f64,
) -> i32 {
    // SAFETY: the caller's promise.
    let npc = unsafe { name(npc) };
    done(town, |town| Ok(town.sleep(&npc?, Some(moment(since)?), moment(until)?, quality)?))
}

/// Wakes an NPC; nothing happens to one that is awake.
///
/// # Safety
/// `npc` is a text that ends with a zero byte, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nf_wake(town: *mut nf_town, npc: *const c_char) -> i32 {
    // SAFETY: the caller's promise.
    let npc = unsafe { name(npc) };
    done(town, |town| Ok(town.wake(&npc?)?))
}

/// Asks an NPC, and returns the ticket that comes back with the event "answered", some frames later. The filter is NULL, or a JSON object
/// such as {"actors":["Joss"],"kinds":["chat"]}. A text for a prompt comes with the answer if nf_do asks with "context".
///
/// # Safety
/// `npc`, `question` and `filter_json` are texts that end with a zero byte, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nf_ask(
    town: *mut nf_town,
    npc: *const c_char,
    question: *const c_char,
    filter_json: *const c_char,
) -> i64 {
    // SAFETY: the caller's promise.
    let (npc, question) = unsafe { (name(npc), text(question)) };
    // SAFETY: the caller's promise.
    let filter = if filter_json.is_null() { Ok("{}") } else { unsafe { text(filter_json) } };
    let ticket = registry::with(town.addr(), |town| {
        let filter = serde_json::from_str(filter?).map_err(TownError::from)?;
        Ok(town.ask(&npc?, question?.to_owned(), filter, None)?)
    });
    told(ticket).map_or(-1, |ticket| i64::try_from(ticket).unwrap_or(i64::MAX))
}

/// Runs a tick at a moment of game time, once a frame: microseconds of work. Returns the number of events to be read.
#[unsafe(no_mangle)]
pub extern "C" fn nf_tick(town: *mut nf_town, now: i64) -> i64 {
    let events = registry::with(town.addr(), |town| Ok(town.tick(moment(now)?)?));
    told(events).map_or(-1, |events| i64::try_from(events).unwrap_or(i64::MAX))
}

/// Computes nights and answers for about this many microseconds, in a town without threads ("threads":0); returns 1 if more work
/// waits and 0 if none does. What has begun is finished: the night of one NPC, some 5 ms for each of its memories.
#[unsafe(no_mangle)]
pub extern "C" fn nf_step(town: *mut nf_town, budget_us: u32) -> i32 {
    let budget = Duration::from_micros(budget_us.into());
    told(registry::with(town.addr(), |town| Ok(town.step(budget)))).map_or(-1, i32::from)
}

/// Removes the next event and returns it as JSON, {"event":"consolidated",...}; NULL if there is none. The text stays until the next
/// call of nf_next_event or nf_close with this town.
#[unsafe(no_mangle)]
pub extern "C" fn nf_next_event(town: *mut nf_town) -> *const c_char {
    let event = registry::with_texts(town.addr(), |town, texts| {
        let Some(event) = town.next_event() else { return Ok(std::ptr::null()) };
        texts.event = as_c(serde_json::to_string(&event).map_err(TownError::from)?);
        Ok(texts.event.as_ptr())
    });
    told(event).unwrap_or(std::ptr::null())
}

/// Hands over the vectors of a batch that the event "vectors_wanted" named, row after row; their length does not matter. For a town with
/// "embedder":{"host":...}.
///
/// # Safety
/// `numbers` points to `count` numbers, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nf_vectors(
    town: *mut nf_town,
    batch: u64,
    numbers: *const f32,
    count: usize,
) -> i32 {
    let numbers: Result<&[f32], Refusal> = if numbers.is_null() || !numbers.is_aligned() {
        Err(Refusal::NoNumbers)
    } else if count > MAX_NUMBERS {
        Err(Refusal::TooMany { given: count, most: MAX_NUMBERS })
    } else {
        // SAFETY: the caller's promise; the pointer is neither NULL nor misaligned, and the size does not overflow.
        Ok(unsafe { slice::from_raw_parts(numbers, count) })
    };
    done(town, |town| Ok(town.give_vectors(batch, numbers?)?))
}

/// Returns the reason for the last refusal on this thread, or NULL. The text stays until the next call on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn nf_last_error() -> *const c_char {
    last_error(|error| &error.message)
}

/// Returns the name of the kind of the last refusal on this thread, such as "unknown_npc", or NULL.
#[unsafe(no_mangle)]
pub extern "C" fn nf_last_error_code() -> *const c_char {
    last_error(|error| &error.code)
}

/// Largest number of numbers of one call: 64 texts of the widest vectors.
const MAX_NUMBERS: usize = 64 * 8_192;

fn last_error(text: impl FnOnce(&LastError) -> &CString) -> *const c_char {
    LAST_ERROR.with_borrow(|error| error.as_ref().map_or(std::ptr::null(), |error| text(error).as_ptr()))
}

/// Carries out a call without a result of its own.
fn done(town: *mut nf_town, call: impl FnOnce(&mut Town) -> Result<(), Refusal>) -> i32 {
    told(registry::with(town.addr(), call)).map_or(-1, |()| 0)
}

/// Remembers the reason of a refusal, or that there was none.
fn told<T>(result: Result<T, Refusal>) -> Option<T> {
    let (value, error) = match result {
        Ok(value) => (Some(value), None),
        Err(refusal) => {
            let error = LastError { message: as_c(refusal.message()), code: as_c(refusal.code().to_owned()) };
            (None, Some(error))
        }
    };
    LAST_ERROR.set(error);
    value
}

/// Borrows a text of the caller.
///
/// # Safety
/// It ends with a zero byte, or the pointer is NULL.
unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Refusal> {
    if text.is_null() {
        return Err(Refusal::Null);
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
    str::from_utf8(bytes).map_err(|_| Refusal::NotUtf8)
}

/// Reads the name of an NPC.
///
/// # Safety
/// It ends with a zero byte, or the pointer is NULL.
unsafe fn name(npc: *const c_char) -> Result<NpcId, Refusal> {
    // SAFETY: the caller's promise.
    let name = unsafe { text(npc)? };
    Ok(NpcId::new(name).map_err(TownError::from)?)
}

fn moment(seconds: i64) -> Result<GameTime, Refusal> {
    GameTime::from_seconds(seconds).ok_or(Refusal::Moment(seconds))
}

/// Returns a text for C. JSON and messages hold no zero byte; if one does, it is left out.
fn as_c(text: String) -> CString {
    CString::new(text).unwrap_or_else(|error| {
        let mut bytes = error.into_vec();
        bytes.retain(|byte| *byte != 0);
        CString::new(bytes).unwrap_or_default()
    })
}
