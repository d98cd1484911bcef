//! Replacement of [`Dir`] on systems without descriptors of folders: it has no values, so that all other code
//! compiles unchanged.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::Path,
};

use super::entry::Seen;

#[derive(Debug)]
pub(super) enum Dir {}

#[derive(Debug)]
pub(super) enum Lock {}

impl Dir {
    pub(super) fn open(_: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn open_in(&self, _: &str) -> io::Result<Self> {
        match *self {}
    }

    pub(super) fn names(&self, _: usize) -> io::Result<Vec<OsString>> {
        match *self {}
    }

    pub(super) fn look(&self, _: &OsStr) -> io::Result<Option<Seen>> {
        match *self {}
    }

    pub(super) fn make_folder(&self, _: &str) -> io::Result<Self> {
        match *self {}
    }

    pub(super) fn remove_empty_folder(&self, _: &str) -> io::Result<()> {
        match *self {}
    }

    pub(super) fn remove_placeholder(&self, _: &OsStr) -> io::Result<()> {
        match *self {}
    }

    pub(super) fn rename_into(&self, _: &str, _: &Self) -> io::Result<()> {
        match *self {}
    }

    pub(super) fn begins_as_text(&self, _: &OsStr) -> io::Result<bool> {
        match *self {}
    }

    pub(super) fn protect(&self, _: &OsStr) -> io::Result<bool> {
        match *self {}
    }

    pub(super) fn close(&self) -> io::Result<bool> {
        match *self {}
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        match *self {}
    }

    pub(super) fn lock(&self) -> io::Result<Option<Lock>> {
        match *self {}
    }
}
