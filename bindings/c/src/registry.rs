//! Open towns by number. C holds a number, not a pointer into memory: a call on a town that is closed, or that another thread uses, is
//! refused. Texts of a town end with it: a thread that reads one must not race with another that closes the town.

use std::{
    collections::BTreeMap,
    ffi::CString,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError},
};

use nightfold_town::{Town, TownError};

static OPEN: Mutex<Towns> = Mutex::new(Towns { last: 0, open: BTreeMap::new() });

struct Towns {
    last: usize,
    open: BTreeMap<usize, Arc<Mutex<OpenTown>>>,
}

struct OpenTown {
    town: Town,
    texts: Texts,
    /// Message of the panic that broke it.
    broken: Option<String>,
}

/// Texts that C reads until the next call.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) reply: CString,
    pub(crate) event: CString,
}

/// Reason for refusing a call.
#[derive(Debug)]
pub(crate) enum Refusal {
    Null,
    NotUtf8,
    Moment(i64),
    NoNumbers,
    TooMany {
        given: usize,
        most: usize,
    },
    NoTown,
    Busy,
    /// A panic within the town, now or earlier.
    Broken(String),
    Town(TownError),
}

impl From<TownError> for Refusal {
    fn from(error: TownError) -> Self {
        Self::Town(error)
    }
}

impl Refusal {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::NotUtf8 => "utf8",
            Self::Moment(_) => "moment",
            Self::NoNumbers | Self::TooMany { .. } => "vectors",
            Self::NoTown => "no_town",
            Self::Busy => "busy",
            Self::Broken(_) => "broken",
            Self::Town(error) => error.code(),
        }
    }

    pub(crate) fn message(&self) -> String {
        match self {
            Self::Null => "a text is NULL".to_owned(),
            Self::NotUtf8 => "a text is not UTF-8".to_owned(),
            Self::Moment(seconds) => {
                format!("no moment of game time is {seconds} seconds; it is too far away")
            }
            Self::NoNumbers => "the numbers are NULL, or not aligned as numbers are".to_owned(),
            Self::TooMany { given, most } => {
                format!("{given} numbers were given; a batch has at most {most}")
            }
            Self::NoTown => "no such town is open: it was closed, or never opened".to_owned(),
            Self::Busy => {
                "another thread uses this town now; a town is used by one thread at a time".to_owned()
            }
            Self::Broken(panic) => {
                format!("an internal error has broken the town; close it and open it again: {panic}")
            }
            Self::Town(error) => error.message(),
        }
    }
}

/// Adds a town and returns its number.
pub(crate) fn add(town: Town) -> usize {
    let mut towns = lock(&OPEN);
    towns.last += 1;
    let number = towns.last;
    towns.open.insert(number, Arc::new(Mutex::new(OpenTown { town, texts: Texts::default(), broken: None })));
    number
}

/// Closes a town, if it is open.
pub(crate) fn close(number: usize) {
    let town = lock(&OPEN).open.remove(&number);
    // Outside the lock: it waits for nights that are being written.
    let _ = panic::catch_unwind(AssertUnwindSafe(|| drop(town)));
}

/// Calls a town.
pub(crate) fn with<T>(
    number: usize,
    call: impl FnOnce(&mut Town) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    with_texts(number, |town, _| call(town))
}

/// Calls a town, and sets texts that C reads afterwards.
pub(crate) fn with_texts<T>(
    number: usize,
    call: impl FnOnce(&mut Town, &mut Texts) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let open = lock(&OPEN).open.get(&number).cloned().ok_or(Refusal::NoTown)?;
    let mut open = match open.try_lock() {
        Ok(open) => open,
        Err(TryLockError::WouldBlock) => return Err(Refusal::Busy),
        Err(TryLockError::Poisoned(open)) => open.into_inner(),
    };
    let OpenTown { town, texts, broken } = &mut *open;
    if let Some(panic) = broken {
        return Err(Refusal::Broken(panic.clone()));
    }
    let result = guarded(|| call(town, texts));
    if let Err(Refusal::Broken(panic)) = &result {
        *broken = Some(panic.clone());
    }
    result
}

/// Turns a panic into a refusal: it must not cross the border.
pub(crate) fn guarded<T>(call: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    panic::catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Refusal::Broken(message.unwrap_or_default()))
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
