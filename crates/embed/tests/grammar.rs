//! Tests of the grammar that the real model reads.

use nightfold_embed::{MiniLm, MiniLmOptions, ModelOptions, Models};
use nightfold_memory::{
    Embedder, Grammar,
    grammar::{Number, Person, Relation, Tense, VerbForm, Word},
};

fn read(texts: &[&str]) -> Vec<Option<Grammar>> {
    let files =
        Models::new(ModelOptions::from_env()).provide(&|_| {}).unwrap_or_else(|error| panic!("{error}"));
    let model = MiniLm::open(&files, MiniLmOptions::default()).expect("the model opens");
    model.embed(texts).expect("embeds").grammar
}

/// Returns the words of a text with their parts of speech, as "swept/VERB".
fn tags(text: &str, grammar: &Grammar) -> String {
    let tag = |word: &Word| format!("{}/{}", word.written(text), word.part_of_speech().tag());
    grammar.words().iter().map(tag).collect::<Vec<_>>().join(" ")
}

/// Returns the relation of a word and its head, as "obj swept".
fn relation(text: &str, grammar: &Grammar, written: &str) -> String {
    let word = grammar.words().iter().find(|word| word.written(text) == written).expect("a word");
    let head = word.head().map_or("", |head| grammar.words()[head].written(text));
    format!("{} {head}", word.relation().tag())
}

#[test]
fn words_have_parts_of_speech() {
    let expected = [
        (
            "I swept the common room before opening.",
            "I/PRON swept/VERB the/DET common/ADJ room/NOUN before/SCONJ opening/VERB ./PUNCT",
        ),
        (
            "Wren told me Odo has the fever.",
            "Wren/PROPN told/VERB me/PRON Odo/PROPN has/VERB the/DET fever/NOUN ./PUNCT",
        ),
        (
            "The bridge at Stonewater has fallen.",
            "The/DET bridge/NOUN at/ADP Stonewater/PROPN has/AUX fallen/VERB ./PUNCT",
        ),
    ];
    let texts = expected.map(|(text, _)| text);
    for ((text, expected), grammar) in expected.iter().zip(read(&texts)) {
        assert_eq!(tags(text, &grammar.expect("a grammar")), *expected);
    }
}

#[test]
fn words_depend_on_their_heads() {
    let text = "Elsbeth gave Odo a dose. Captain Holt was asleep at the gate.";
    let grammar = read(&[text]).remove(0).expect("a grammar");
    for (word, expected) in [
        ("Elsbeth", "nsubj gave"),
        ("gave", "root "),
        ("dose", "obj gave"),
        ("a", "det dose"),
        ("gate", "obl asleep"),
    ] {
        assert_eq!(relation(text, &grammar, word), expected, "{word}");
    }
    let roots = grammar.words().iter().filter(|word| word.relation() == Relation::Root).count();
    assert_eq!(roots, 2, "one for each sentence");
}

#[test]
fn words_have_features() {
    let text = "She owes me three kegs, and I paid.";
    let grammar = read(&[text]).remove(0).expect("a grammar");
    let of = |written: &str| {
        grammar.words().iter().find(|word| word.written(text) == written).expect("a word").tags()
    };
    assert_eq!((of("She").person, of("She").number), (Some(Person::Third), Some(Number::Singular)));
    assert_eq!(of("kegs").number, Some(Number::Plural));
    assert_eq!((of("owes").tense, of("owes").verb_form), (Some(Tense::Present), Some(VerbForm::Finite)));
    assert_eq!((of("paid").tense, of("I").person), (Some(Tense::Past), Some(Person::First)));
}

#[test]
fn what_the_tokenizer_splits_is_one_word() {
    let text = "Mara paid 1,000 florins to the e-mail merchant.";
    let grammar = read(&[text]).remove(0).expect("a grammar");
    let words: Vec<&str> = grammar.words().iter().map(|word| word.written(text)).collect();
    assert_eq!(words, ["Mara", "paid", "1,000", "florins", "to", "the", "e-mail", "merchant", "."]);
}

#[test]
fn any_text_has_a_grammar_within_its_bounds() {
    let long = "The miller saw a wolf. ".repeat(200);
    let texts = [
        "",
        "   ",
        "\u{0}\u{200b}",
        "\u{1f98a}\u{1f98a} fox",
        "\u{fb01}\u{130}\u{1f1}\u{e9}e\u{301}",
        "[SEP] [CLS] [MASK] [PAD]",
        "\u{4e00}\u{4e01}\u{ac00}\u{ac01} mixed \u{5e9}\u{5dc}\u{5d5}\u{5dd}",
        ")))((( !!! ???",
        &long,
        &"x".repeat(5_000),
    ];
    for (text, grammar) in texts.iter().zip(read(&texts)) {
        let Some(grammar) = grammar else {
            assert!(!text.contains(|c: char| c.is_alphanumeric()), "{text}");
            continue;
        };
        for word in grammar.words() {
            assert!(!word.written(text).is_empty(), "{:?} of {text:.40}", word.span());
        }
    }
}
