//! Attributes of an entry that is made of several memories or entries.

use nightfold_memory::MemoryId;

/// Adds the items that the list does not contain yet.
pub(crate) fn extend_unique<T: PartialEq + Clone>(list: &mut Vec<T>, more: &[T]) {
    for item in more {
        if !list.contains(item) {
            list.push(item.clone());
        }
    }
}

/// Returns the items of all lists, each once, in order of first mention, at most `most`.
pub(crate) fn united<'a>(lists: impl Iterator<Item = &'a Vec<String>>, most: usize) -> Vec<String> {
    let mut all = Vec::new();
    lists.for_each(|list| extend_unique(&mut all, list));
    all.truncate(most);
    all
}

/// Returns the value that all have in common; `None` if two differ or there is none.
pub(crate) fn common<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Returns the entries that name one of `gone` as a source or as their successor, without `canonical`, which takes their
/// place. `referring` returns those that name a given one.
///
/// # Errors
/// Any error of `referring`.
pub(crate) fn moved<'a, E>(
    gone: impl Iterator<Item = &'a MemoryId>,
    canonical: &MemoryId,
    mut referring: impl FnMut(&MemoryId) -> Result<Vec<MemoryId>, E>,
) -> Result<Vec<MemoryId>, E> {
    let mut moved = std::collections::BTreeSet::new();
    for id in gone {
        moved.extend(referring(id)?);
    }
    moved.remove(canonical);
    Ok(moved.into_iter().collect())
}
