//! Names that were probably meant by ones that do not exist.

use std::path::{Path, PathBuf};

use nightfold_scenario::{is_slip, nearest};

/// Number of files of a folder that are looked at.
const FILES: usize = 1000;

/// Returns the name that was probably meant: the same one written otherwise (`mara_thorne` for "Mara Thorne"), one that
/// begins with its words ("mara", with a slip "Maar"), or one with at most two other letters.
pub(crate) fn meant<'a, S: AsRef<str>>(given: &str, known: &'a [S]) -> Option<&'a S> {
    let given = plain(given);
    let begins = |name: &str| name.strip_prefix(&*given).is_some_and(|rest| rest.starts_with(' '));
    let plain_names: Vec<String> = known.iter().map(|name| plain(name.as_ref())).collect();
    let same = plain_names.iter().position(|name| *name == given);
    let mut longer = plain_names.iter().enumerate().filter(|(_, name)| !given.is_empty() && begins(name));
    let only_longer = longer.next().map(|(at, _)| at).filter(|_| longer.next().is_none());
    let near = || {
        let found = nearest(&given, &plain_names)?;
        // Of short words, two letters are most.
        (found.chars().count() > 3).then(|| plain_names.iter().position(|name| name == found)).flatten()
    };
    let first = |name: &str| is_slip(&given, name.split(' ').next().unwrap_or_default());
    let mut slips = plain_names.iter().enumerate().filter(|(_, name)| first(name));
    let only_slip = slips.next().map(|(at, _)| at).filter(|_| slips.next().is_none());
    same.or(only_longer).or_else(near).or(only_slip).map(|at| &known[at])
}

/// Returns a hint that names what was probably meant, and else `otherwise`.
pub(crate) fn hint<S: AsRef<str>>(given: &str, known: &[S], otherwise: String) -> String {
    match meant(given, known) {
        Some(name) => format!("did you mean `{}`? {otherwise}", name.as_ref()),
        None => otherwise,
    }
}

/// Returns the file or folder beside a path that does not exist that was probably meant by it.
pub(crate) fn meant_path(path: &Path) -> Option<PathBuf> {
    let given = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = folder.read_dir().ok()?.take(FILES).flatten();
    let mut names: Vec<String> = files.filter_map(|file| file.file_name().into_string().ok()).collect();
    names.sort_unstable();
    meant(given, &names).map(|name| path.with_file_name(name))
}

/// Returns a name in small letters, with blanks where names have other signs between words.
fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', '-'], " ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_in_other_letters_or_with_a_slip_is_found() {
        let known = ["Mara Thorne", "Tom Aldous", "Wren Aldous", "Odo"];
        let meant = |given: &str| meant(given, &known).copied();
        assert_eq!(meant("mara_thorne"), Some("Mara Thorne"));
        assert_eq!(meant("mara"), Some("Mara Thorne"));
        assert_eq!(meant("Tom Aldus"), Some("Tom Aldous"));
        assert_eq!(meant("Tmo"), Some("Tom Aldous"));
        assert_eq!(meant("Mrra"), Some("Mara Thorne"));
        assert_eq!(meant("Ado"), None, "any three letters are two from three others");
        assert_eq!(meant("Bran Holt"), None);
        assert_eq!(meant(""), None);
    }

    #[test]
    fn file_beside_a_missing_one_is_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("town.db"), "").unwrap();
        assert_eq!(meant_path(&folder.path().join("twon.db")), Some(folder.path().join("town.db")));
        assert_eq!(meant_path(&folder.path().join("village.db")), None);
    }
}
