//! Recognition of paths that lead to no regular file: opening a pipe waits for its writer, and a device may never end.

use std::{
    fs::{self, FileType},
    path::Path,
};

/// Returns a path's kind in words, such as "a pipe", if it is no file: a folder, a pipe, a socket or a device.
///
/// A descriptor that the process was given (`/dev/stdin`, `/dev/fd/63` as shells write `<(…)`) counts as a file, since
/// opening it waits for nobody. So does what is missing or cannot be looked at: whoever opens it says why.
pub fn irregular_kind(path: &Path) -> Option<&'static str> {
    let found = fs::metadata(path).ok()?;
    match found.file_type() {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some("a folder"),
        _ if is_descriptor(path) => None,
        kind => Some(kind_in_words(kind)),
    }
}

fn is_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

#[cfg(unix)]
fn kind_in_words(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    match kind {
        _ if kind.is_fifo() => "a pipe",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn kind_in_words(_: FileType) -> &'static str {
    "a device"
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn folders_devices_and_sockets_are_no_files_and_descriptors_are() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        assert_eq!(irregular_kind(folder.path()), Some("a folder"));
        assert_eq!(irregular_kind(&socket), Some("a socket"));
        assert_eq!(irregular_kind(Path::new("/dev/null")), Some("a device"));
        for file in ["file", "missing"] {
            assert_eq!(irregular_kind(&folder.path().join(file)), None);
        }
        for descriptor in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"] {
            assert_eq!(irregular_kind(Path::new(descriptor)), None, "{descriptor}");
        }
    }
}
