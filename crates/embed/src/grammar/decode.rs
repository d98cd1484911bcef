//! Tags of pre-tokens from the readings of the heads.

use nightfold_memory::grammar::{Mood, Number, PartOfSpeech, Person, Relation, Tense, VerbForm, WordTags};

use super::{spelling::LetterCase, tree::ArcScores, words::PreToken};

const PARTS_OF_SPEECH: usize = PartOfSpeech::ALL.len();
const RELATIONS: usize = Relation::ALL.len();
/// Numbers of values of the features, absence included: number, person, tense, form, mood.
const FEATURES: [usize; 5] = [
    1 + Number::ALL.len(),
    1 + Person::ALL.len(),
    1 + Tense::ALL.len(),
    1 + VerbForm::ALL.len(),
    1 + Mood::ALL.len(),
];
/// Number of scores of tags, which depend on the word alone.
pub(super) const LABELS: usize =
    PARTS_OF_SPEECH + RELATIONS + FEATURES[0] + FEATURES[1] + FEATURES[2] + FEATURES[3] + FEATURES[4];
/// Largest distance between two words that is told from longer ones.
pub(super) const MAX_DISTANCE: usize = 16;

/// Weights beside the graph.
///
/// The readings of a token are: scores of its tags (of its relation as far as it shows without the head), scores
/// of the relations of words whose head it is, its vector as a dependent, its vector as a head, and its score as
/// a head of anything.
#[derive(Debug)]
pub(super) struct Decoder {
    /// Number of dimensions of the vectors as a dependent and as a head.
    pub(super) arc: usize,
    /// For each spelling, what is added to the scores of tags.
    pub(super) spelling: Vec<f32>,
    /// Summand of the score of a head, by its place from [`MAX_DISTANCE`] words before to as many behind.
    pub(super) distance: Vec<f32>,
    /// Summand of the score of having no head.
    pub(super) root: f32,
}

impl Decoder {
    /// Returns the number of readings of a token.
    pub(super) const fn readings(arc: usize) -> usize {
        LABELS + RELATIONS + 2 * arc + 1
    }

    /// Returns the tags of pre-tokens, given the readings of all tokens of their text.
    pub(super) fn decode(&self, text: &str, pre_tokens: &[PreToken], readings: &[f32]) -> Vec<WordTags> {
        let width = Self::readings(self.arc);
        let of_token = |token: usize| readings.get(token * width..(token + 1) * width);
        // The first token of a text stands for the root: the head of main words.
        let nodes: Vec<&[f32]> =
            std::iter::once(0).chain(pre_tokens.iter().map(|p| p.token)).filter_map(of_token).collect();
        if nodes.len() != pre_tokens.len() + 1 {
            return Vec::new();
        }
        let heads = self.arcs(&nodes).best_heads();
        let mut before = None;
        let mut tagged = Vec::with_capacity(pre_tokens.len());
        for ((node, pre_token), &head) in nodes.iter().skip(1).zip(pre_tokens).zip(&heads[1..]) {
            let written = text.get(pre_token.span.clone()).unwrap_or_default();
            let spelling = LetterCase::of(written, before) as usize;
            before = written.chars().next_back();
            let added = &self.spelling[spelling * LABELS..][..LABELS];
            let labels: Vec<f32> = node[..LABELS].iter().zip(added).map(|(score, add)| score + add).collect();
            let by_head = &nodes[head][LABELS..][..RELATIONS];
            tagged.push(tags(&labels, by_head, head.checked_sub(1)));
        }
        tagged
    }

    /// Returns the scores of all arcs between words.
    fn arcs(&self, nodes: &[&[f32]]) -> ArcScores {
        let mut arcs = ArcScores::new(nodes.len());
        let as_dependent = LABELS + RELATIONS;
        let as_head = as_dependent + self.arc;
        // Column by column, so that the sums for all heads run side by side, each in the order of dimensions.
        let columns: Vec<Vec<f32>> =
            (0..=self.arc).map(|at| nodes.iter().map(|node| node[as_head + at]).collect()).collect();
        for (dependent, node) in nodes.iter().enumerate().skip(1) {
            let scores = arcs.of_mut(dependent);
            scores.copy_from_slice(&columns[self.arc]);
            for (column, weight) in columns.iter().zip(&node[as_dependent..as_head]) {
                scores.iter_mut().zip(column).for_each(|(score, value)| *score += value * weight);
            }
            for (head, score) in scores.iter_mut().enumerate() {
                let place = (head + MAX_DISTANCE).saturating_sub(dependent).min(2 * MAX_DISTANCE);
                *score += if head == 0 { self.root } else { self.distance[place] };
            }
            scores[dependent] = f32::NEG_INFINITY;
        }
        arcs
    }
}

/// Returns the tags with the highest scores.
fn tags(labels: &[f32], by_head: &[f32], head: Option<usize>) -> WordTags {
    let (parts, rest) = labels.split_at(PARTS_OF_SPEECH);
    let (relations, mut rest) = rest.split_at(RELATIONS);
    let [number, person, tense, verb_form, mood] = FEATURES.map(|count| {
        let (scores, behind) = rest.split_at(count);
        rest = behind;
        highest(scores.iter().copied(), |_| true).checked_sub(1)
    });
    let both = relations.iter().zip(by_head).map(|(a, b)| a + b);
    let relation = match head {
        None => Relation::Root,
        Some(_) => Relation::ALL[highest(both, |at| Relation::ALL[at] != Relation::Root)],
    };
    WordTags {
        part_of_speech: PartOfSpeech::ALL[highest(parts.iter().copied(), |_| true)],
        relation,
        head,
        number: number.map(|at| Number::ALL[at]),
        person: person.map(|at| Person::ALL[at]),
        tense: tense.map(|at| Tense::ALL[at]),
        verb_form: verb_form.map(|at| VerbForm::ALL[at]),
        mood: mood.map(|at| Mood::ALL[at]),
    }
}

/// Returns the place of the highest score among those allowed, of equal ones the first.
fn highest(scores: impl Iterator<Item = f32>, allowed: impl Fn(usize) -> bool) -> usize {
    let allowed = scores.enumerate().filter(|(at, _)| allowed(*at));
    allowed.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoder() -> Decoder {
        Decoder {
            arc: 1,
            spelling: vec![0.0; LetterCase::COUNT * LABELS],
            distance: vec![0.0; 2 * MAX_DISTANCE + 1],
            root: 0.0,
        }
    }

    fn pre_tokens(text: &str) -> Vec<PreToken> {
        let starts = text.split(' ').scan(0, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some(start..start + word.len())
        });
        starts.enumerate().map(|(at, span)| PreToken { span, token: at + 1 }).collect()
    }

    #[test]
    fn head_and_tags_have_the_highest_scores() {
        let decoder = decoder();
        let width = Decoder::readings(decoder.arc);
        let mut readings = vec![0.0; 4 * width];
        // "mills" depends on "the root", "the" on "mills".
        readings[width + 5] = 2.0;
        readings[2 * width + 7] = 2.0;
        readings[2 * width + PARTS_OF_SPEECH + RELATIONS + 2] = 1.0;
        readings[width + LABELS + RELATIONS] = 1.0;
        readings[2 * width + LABELS + RELATIONS + 1] = 3.0;
        readings[2 * width + LABELS + 14] = 1.0;
        readings[LABELS + RELATIONS + 2] = 1.0;
        let tags = decoder.decode("the mills", &pre_tokens("the mills"), &readings[..3 * width]);
        assert_eq!(tags[0].part_of_speech, PartOfSpeech::Determiner);
        assert_eq!((tags[0].head, tags[0].relation), (Some(1), Relation::Determiner));
        assert_eq!(tags[1].part_of_speech, PartOfSpeech::Noun);
        assert_eq!((tags[1].head, tags[1].relation), (None, Relation::Root));
        assert_eq!((tags[1].number, tags[1].mood), (Some(Number::Plural), None));
    }

    #[test]
    fn readings_of_too_few_tokens_give_no_tags() {
        let decoder = decoder();
        let readings = vec![0.0; 2 * Decoder::readings(decoder.arc)];
        assert!(decoder.decode("the mills", &pre_tokens("the mills"), &readings).is_empty());
    }

    #[test]
    fn distance_tells_heads_apart() {
        let mut decoder = decoder();
        decoder.root = -10.0;
        decoder.distance[MAX_DISTANCE + 1] = 1.0;
        let readings = vec![0.0; 5 * Decoder::readings(decoder.arc)];
        let tags = decoder.decode("a b c d", &pre_tokens("a b c d"), &readings);
        // Each word prefers the next one; the last one is left to the root.
        assert_eq!(tags.iter().map(|t| t.head).collect::<Vec<_>>(), [Some(1), Some(2), Some(3), None]);
    }
}
