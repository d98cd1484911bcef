//! A copy of a store file under another name.

use std::{
    error::Error,
    fs::{self, File},
    io,
    path::Path,
};

use rusqlite::{
    Connection, OpenFlags,
    backup::{Backup, StepResult},
};

use super::open::connect_summed;

/// Copies the state that a transaction sees to `part`, and syncs it to the disk; an earlier file of that name is removed. Those
/// who may read the copy are those who may read `source`.
pub(super) fn copy(
    snapshot: &Connection,
    source: Option<&Path>,
    part: &Path,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    match fs::remove_file(part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let made = File::create_new(part)?;
    if let Some(source) = source {
        made.set_permissions(fs::metadata(source)?.permissions())?;
    }
    let mut copy = connect_summed(part, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    {
        let backup = Backup::new(snapshot, &mut copy)?;
        // In one step: a copy in several would begin anew with every night that others write.
        match backup.step(-1)? {
            StepResult::Done => {}
            other => return Err(format!("the copy stopped: {other:?}").into()),
        }
    }
    copy.close().map_err(|(_, error)| error)?;
    Ok(made.sync_all()?)
}
