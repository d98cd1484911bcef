use super::*;

/// Grammar of "Odo has the fever".
fn fever() -> Grammar {
    let has = WordTags {
        number: Some(Number::Singular),
        person: Some(Person::Third),
        tense: Some(Tense::Present),
        verb_form: Some(VerbForm::Finite),
        mood: Some(Mood::Indicative),
        ..WordTags::new(PartOfSpeech::Verb, Relation::Root, None)
    };
    let words = [
        (0..3, WordTags::new(PartOfSpeech::ProperNoun, Relation::Subject, Some(1))),
        (4..7, has),
        (8..11, WordTags::new(PartOfSpeech::Determiner, Relation::Determiner, Some(3))),
        (12..17, WordTags::new(PartOfSpeech::Noun, Relation::Object, Some(1))),
    ];
    Grammar::new(words.map(|(span, tags)| Word::new(span, tags).unwrap())).unwrap()
}

#[test]
fn word_keeps_all_its_tags_in_twelve_bytes() {
    assert_eq!(size_of::<Word>(), 12);
    for &part_of_speech in PartOfSpeech::ALL {
        for &relation in Relation::ALL {
            let tags = WordTags {
                number: Some(Number::Plural),
                person: Some(Person::First),
                tense: Some(Tense::Past),
                verb_form: Some(VerbForm::Gerund),
                mood: Some(Mood::Subjunctive),
                ..WordTags::new(part_of_speech, relation, Some(254))
            };
            assert_eq!(Word::new(3..9, tags).unwrap().tags(), tags);
        }
    }
    let bare = WordTags::new(PartOfSpeech::Other, Relation::Root, None);
    assert_eq!(Word::new(0..1, bare).unwrap().tags(), bare);
}

#[test]
fn tags_are_found_by_their_names() {
    assert_eq!(PartOfSpeech::from_tag("PROPN"), Some(PartOfSpeech::ProperNoun));
    assert_eq!(Relation::from_tag("nsubj"), Some(Relation::Subject));
    assert_eq!(Relation::from_tag("nsubj:pass"), None);
    assert!(Relation::ALL.iter().all(|r| Relation::from_tag(r.tag()) == Some(*r)));
}

#[test]
fn words_are_found_by_head_and_by_byte() {
    let grammar = fever();
    assert_eq!(grammar.dependents(1).map(|(at, _)| at).collect::<Vec<_>>(), [0, 3]);
    assert_eq!(grammar.ancestors(2).collect::<Vec<_>>(), [3, 1]);
    assert_eq!([0, 3, 4, 16, 17].map(|byte| grammar.at(byte)), [Some(0), None, Some(1), Some(3), None]);
    assert_eq!(grammar.words()[3].written("Odo has the fever"), "fever");
    assert_eq!(grammar.words()[3].written("Odo"), "", "another text causes no panic");
}

#[test]
fn grammar_survives_bytes_and_json() {
    let grammar = fever();
    let bytes = grammar.to_bytes();
    assert_eq!(bytes.len(), 6 * 4);
    assert_eq!(Grammar::from_bytes(&bytes).unwrap(), grammar);
    let json = serde_json::to_string(&grammar).unwrap();
    assert_eq!(serde_json::from_str::<Grammar>(&json).unwrap(), grammar);
    let far = Word::new(70_000..200_000, WordTags::new(PartOfSpeech::Other, Relation::Root, None)).unwrap();
    let far = Grammar::new([far]).unwrap();
    assert_eq!(Grammar::from_bytes(&far.to_bytes()).unwrap(), far);
    assert_eq!(Grammar::from_bytes(&[]).unwrap(), Grammar::default());
}

#[test]
fn damaged_bytes_are_refused() {
    let bytes = fever().to_bytes();
    for length in (0..bytes.len()).filter(|length| length % 6 != 0) {
        assert_eq!(Grammar::from_bytes(&bytes[..length]), Err(GrammarError::Short), "{length}");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut other = bytes.clone();
            other[at] ^= 1 << bit;
            // Whatever is read is a whole grammar.
            if let Ok(read) = Grammar::from_bytes(&other) {
                assert_eq!(Grammar::new(read.words().to_vec()).unwrap(), read);
            }
        }
    }
    assert_eq!(Grammar::from_bytes(&[0xff; 12]), Err(GrammarError::Short));
    let endless = [[0x00, 0x01, 0xff, 0x00, 0x00, 0x00]; 300].concat();
    assert_eq!(Grammar::from_bytes(&endless), Err(GrammarError::TooManyWords(256)));
}

#[test]
fn heads_form_trees() {
    let word = |at: usize, head| {
        Word::new(at..at + 1, WordTags::new(PartOfSpeech::Noun, Relation::Conjunct, head)).unwrap()
    };
    let built = |heads: &[Option<usize>]| {
        Grammar::new(heads.iter().enumerate().map(|(at, &head)| word(at, head)).collect::<Vec<_>>())
    };
    assert!(built(&[Some(1), None, Some(1)]).is_ok());
    assert!(built(&[None, None]).is_ok(), "two sentences");
    assert_eq!(built(&[Some(1), Some(0)]), Err(GrammarError::Cycle(0)));
    assert_eq!(built(&[None, Some(2), Some(3), Some(1)]), Err(GrammarError::Cycle(1)));
    assert_eq!(built(&[Some(0)]), Err(GrammarError::Head { word: 0, head: 0, words: 1 }));
    assert_eq!(built(&[Some(1)]), Err(GrammarError::Head { word: 0, head: 1, words: 1 }));
}

#[test]
fn words_are_in_order() {
    let word = |span| Word::new(span, WordTags::new(PartOfSpeech::Noun, Relation::Root, None)).unwrap();
    assert_eq!(Grammar::new([word(3..4), word(0..1)]), Err(GrammarError::Order(1)));
    assert_eq!(Grammar::new([word(0..4), word(3..5)]), Err(GrammarError::Order(1)));
    assert_eq!(Grammar::new([word(2..2)]), Err(GrammarError::Order(0)));
}
