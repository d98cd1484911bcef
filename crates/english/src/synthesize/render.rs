//! Synthesis of several memories by rules: nothing is written that nobody wrote, but a list of values.

use nightfold_memory::SynthesisSource;

use super::{
    covers::covers,
    extract::{course, most_telling, stands_for},
    frame::frame,
    phrase::end_sentence,
};

/// True if one text can say what two memories say: one of them stands for the other, or they are one statement with two
/// values.
pub(crate) fn can_synthesize(a: &SynthesisSource<'_>, b: &SynthesisSource<'_>) -> bool {
    stands_for(a, b, covers) || stands_for(b, a, covers) || framed(&[*a, *b]).is_some()
}

/// Synthesizes memories, which come in order of time, into one text.
pub(crate) fn synthesis(sources: &[SynthesisSource<'_>]) -> String {
    if sources.iter().all(|source| source.reading && !source.verbatim) {
        return course(&sources.iter().map(|source| source.text).collect::<Vec<_>>());
    }
    framed(sources).unwrap_or_else(|| match most_telling(sources, covers).as_slice() {
        [one] => (*one).to_owned(),
        several => several.iter().map(|text| end_sentence(text)).collect::<Vec<_>>().join(" "),
    })
}

/// Returns the statement that memories make with different values; `None` if some words may not be changed.
fn framed(sources: &[SynthesisSource<'_>]) -> Option<String> {
    let may_change = |source: &SynthesisSource<'_>| !source.verbatim;
    let texts = || sources.iter().map(|source| (source.text.trim(), source.analysis));
    sources.iter().all(may_change).then(|| frame(&texts().collect::<Vec<_>>()))?
}
