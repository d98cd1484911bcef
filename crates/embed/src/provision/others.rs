//! Other users of the machine: libraries are loaded only from places that they may not write. What was verified and is
//! opened later could be theirs otherwise.

use std::path::Path;

use super::error::ProvisionError;

/// Refuses a file that another user than this one and the administrator may write or replace: its own bits, and those of
/// every folder above it, on the way that the path takes and on the way to what it leads to.
///
/// In a folder with the sticky bit, such as `/tmp`, users replace only what is theirs. A group that has the number of its
/// only user, as many systems give to each of them, is no other user.
///
/// # Errors
/// [`ProvisionError::WritableByOthers`] with the file or folder that they may write; [`ProvisionError::Io`] if that
/// cannot be found out.
#[cfg(unix)]
pub(super) fn keep_out(path: &Path) -> Result<(), ProvisionError> {
    let read = |source| ProvisionError::io("read", path)(source);
    let (given, real) = (std::path::absolute(path).map_err(read)?, path.canonicalize().map_err(read)?);
    for place in given.ancestors().chain(real.ancestors()) {
        let found = place.metadata().map_err(ProvisionError::io("read", place))?;
        if is_open(&found) {
            return Err(ProvisionError::WritableByOthers { path: path.to_owned(), place: place.to_owned() });
        }
    }
    Ok(())
}

/// Other systems keep users apart by lists that are not read here.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "systems of the other kind refuse")]
pub(super) fn keep_out(_: &Path) -> Result<(), ProvisionError> {
    Ok(())
}

/// True if another user may write a file, or replace what a folder holds.
#[cfg(unix)]
fn is_open(found: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let me = rustix::process::geteuid().as_raw();
    let has = |bits: u32| found.mode() & bits != 0;
    let own_group =
        found.gid() == 0 || found.gid() == rustix::process::getegid().as_raw() && found.gid() == me;
    let is_others = found.uid() != 0 && found.uid() != me;
    let is_sticky = found.is_dir() && has(0o1000);
    is_others || !is_sticky && (has(0o002) || has(0o020) && !own_group)
}
