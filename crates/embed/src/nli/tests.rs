use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::{
    ModelOptions, Models,
    onnx::tiny_nli::{Quirk, stubborn, tiny_nli},
};

/// Words in the vocabulary of the tiny model's tokenizer; every other word is the unknown word.
const WORDS: &str = "[UNK] [CLS] [SEP] not the a an of to is are was has have been i my and at in on by . , ' open closed \
     gate east west town bridge fallen stonewater joss owes tom silver 14 15 for new axle miller mended repaired wheel mill \
     burned burnt down fire destroyed took swept common room heron salt price market risen dear healer brewed willow bark \
     tea fever wolf seen near hollowfen at dusk north road guard changed shut stands locked";

fn number_of(word: &str) -> i64 {
    (0..).zip(WORDS.split_whitespace()).find(|(_, known)| *known == word).unwrap().0
}

fn tokenizer() -> Value {
    let mut vocabulary = serde_json::Map::new();
    for word in WORDS.split_whitespace() {
        let number = vocabulary.len();
        vocabulary.entry(word).or_insert_with(|| number.into());
    }
    let mark = |name: &str, of: u8| json!({"SpecialToken": {"id": name, "type_id": of}});
    let text = |name: &str, of: u8| json!({"Sequence": {"id": name, "type_id": of}});
    let special = |name: &str| json!({"id": name, "ids": [number_of(name)], "tokens": [name]});
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [mark("[CLS]", 0), text("A", 0), mark("[SEP]", 0)],
            "pair": [mark("[CLS]", 0), text("A", 0), mark("[SEP]", 0), text("B", 1), mark("[SEP]", 1)],
            "special_tokens": {"[CLS]": special("[CLS]"), "[SEP]": special("[SEP]")},
        },
        "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    })
}

fn config() -> Value {
    json!({"id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"}, "max_position_embeddings": 66})
}

fn folder(model: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model.onnx"), model).unwrap();
    fs::write(folder.path().join("tokenizer.json"), tokenizer().to_string()).unwrap();
    fs::write(folder.path().join("config.json"), config().to_string()).unwrap();
    folder
}

fn quirky(quirk: Quirk) -> TempDir {
    folder(&tiny_nli(number_of("not"), quirk))
}

fn runtime_library() -> PathBuf {
    Models::new(ModelOptions::from_env()).provide(&|_| {}).unwrap_or_else(|error| panic!("{error}")).runtime
}

fn open(folder: &TempDir, options: NliOptions) -> Result<NliJudge, NliError> {
    NliJudge::open(folder.path(), &runtime_library(), options)
}

fn pair<'a>(older: &'a str, newer: &'a str) -> StancePair<'a> {
    StancePair { older, newer, cosine: 0.9 }
}

fn kinds(judge: &NliJudge, pairs: &[StancePair<'_>]) -> Vec<&'static str> {
    let reply = judge.judge(pairs, 0);
    assert_eq!(reply.tokens, 0);
    reply
        .verdicts
        .iter()
        .map(|v| v.as_ref().map_or_else(JudgeError::kind, |v| v.stance(0.5, 0.5).as_str()))
        .collect()
}

const PAIRS: [(&str, &str, &str); 6] = [
    ("The gate is open", "the GATE is open.", "same"),
    ("The gate is open", "The gate is not open", "contradiction"),
    ("The gate is not open", "The gate is not open", "same"),
    ("The gate is open", "Salt has risen at the market", "unrelated"),
    // The one says more than the other: that follows one way only.
    ("The miller mended the wheel of the mill at dusk", "The miller mended the wheel", "unrelated"),
    ("", "", "same"),
];

fn pairs() -> Vec<StancePair<'static>> {
    PAIRS.iter().map(|(a, b, _)| pair(a, b)).collect()
}

#[test]
fn answer_counts_if_both_orders_agree() {
    for quirk in [Quirk::None, Quirk::Masked] {
        let judge = open(&quirky(quirk), NliOptions::default()).unwrap();
        assert_eq!(kinds(&judge, &pairs()), PAIRS.map(|(.., stance)| stance), "{quirk:?}");
        let turned: Vec<_> = PAIRS.iter().map(|(a, b, _)| pair(b, a)).collect();
        assert_eq!(kinds(&judge, &turned), PAIRS.map(|(.., stance)| stance), "the order does not matter");
        assert_eq!(judge.judge(&[], 0).verdicts.len(), 0);
        assert!(judge.name().starts_with("nli:"), "{}", judge.name());
    }
}

#[test]
fn answer_depends_neither_on_other_pairs_nor_on_threads() {
    let folder = quirky(Quirk::None);
    let many: Vec<StancePair<'_>> = (0..40).flat_map(|_| pairs()).collect();
    let alone = open(&folder, NliOptions::default()).unwrap();
    let expected: Vec<&str> = many.iter().flat_map(|pair| kinds(&alone, &[*pair])).collect();
    assert_eq!(expected[..6], PAIRS.map(|(.., stance)| stance));
    for sessions in [1, 2, 3] {
        let judge =
            open(&folder, NliOptions { sessions: NonZero::new(sessions).unwrap(), ..NliOptions::default() })
                .unwrap();
        assert_eq!(kinds(&judge, &many), expected, "{sessions} sessions");
        for size in [1, 7, 100] {
            let parts: Vec<&str> = many.chunks(size).flat_map(|part| kinds(&judge, part)).collect();
            assert_eq!(parts, expected, "{sessions} sessions, {size} at once");
        }
        let together = std::thread::scope(|scope| {
            let calls: Vec<_> = (0..3).map(|_| scope.spawn(|| kinds(&judge, &many))).collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(together.iter().all(|one| *one == expected));
    }
}

#[test]
fn padding_and_truncation_of_the_tokenizer_are_disabled() {
    let folder = quirky(Quirk::None);
    let mut file = tokenizer();
    file["padding"] = json!({"strategy": {"Fixed": 40}, "direction": "Right", "pad_to_multiple_of": null,
        "pad_id": 0, "pad_type_id": 1, "pad_token": "[UNK]"});
    file["truncation"] =
        json!({"max_length": 8, "strategy": "LongestFirst", "stride": 0, "direction": "Right"});
    fs::write(folder.path().join("tokenizer.json"), file.to_string()).unwrap();
    let judge = open(&folder, NliOptions::default()).unwrap();
    assert_eq!(kinds(&judge, &pairs()), PAIRS.map(|(.., stance)| stance));
}

#[test]
fn overlong_pair_is_not_judged_by_its_beginning() {
    let folder = quirky(Quirk::None);
    let judge = open(&folder, NliOptions { max_tokens: 16, ..NliOptions::default() }).unwrap();
    let long = "the gate is open and ".repeat(3);
    let reply = judge.judge(&[pair("the gate", &long), pair("the gate", "the gate")], 0);
    let told = reply.verdicts[0].as_ref().unwrap_err().to_string();
    assert_eq!(told, "the pair has 20 tokens; the judge reads at most 16");
    assert_eq!(
        *reply.verdicts[1].as_ref().unwrap(),
        Verdict::certain(Stance::Same),
        "a failure is of one pair"
    );
    // The file says that the model has places for 66, two of which it does not use.
    let roomy = open(&folder, NliOptions { max_tokens: 4096, ..NliOptions::default() }).unwrap();
    assert_eq!((judge.max_tokens(), roomy.max_tokens()), (16, 64));
    assert_eq!(kinds(&roomy, &[pair("the gate", &"x ".repeat(500_000))]), ["too-long"]);
}

#[test]
fn non_finite_output_is_an_error() {
    for model in [tiny_nli(3, Quirk::NotANumber), stubborn([f32::INFINITY, 0.0, 1.0])] {
        let judge = open(&folder(&model), NliOptions::default()).unwrap();
        assert_eq!(kinds(&judge, &pairs()[..2]), ["no-judgement", "no-judgement"]);
    }
    let judge = open(&quirky(Quirk::Unsaid), NliOptions::default()).unwrap();
    let told = judge.judge(&pairs()[..1], 0).verdicts.remove(0).unwrap_err().to_string();
    assert!(told.ends_with("expected are 3 finite numbers"), "{told}");
}

#[test]
fn labels_determine_the_meaning_of_outputs() {
    let folder = folder(&stubborn([0.1, 0.2, 3.0]));
    let stances = ["contradiction", "neutral", "entailment"].map(|third| {
        let rest: Vec<&str> =
            ["entailment", "neutral", "contradiction"].into_iter().filter(|label| *label != third).collect();
        let config = json!({"id2label": {"0": rest[0], "1": rest[1], "2": third}});
        fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
        kinds(&open(&folder, NliOptions::default()).unwrap(), &pairs()[..1])[0]
    });
    assert_eq!(stances, ["contradiction", "unrelated", "same"]);
}

#[test]
fn missing_or_wrong_file_is_named_with_what_is_allowed() {
    let told = |folder: &TempDir| chain(&open(folder, NliOptions::default()).unwrap_err());
    for file in ["model.onnx", "tokenizer.json", "config.json"] {
        let folder = quirky(Quirk::None);
        fs::remove_file(folder.path().join(file)).unwrap();
        let told = told(&folder);
        assert!(told.contains(&format!("there is no {file} in ")), "{told}");
        fs::create_dir(folder.path().join(file)).unwrap();
        assert!(self::chain(&open(&folder, NliOptions::default()).unwrap_err()).contains("there is no "));
    }
    for (file, text, words) in [
        ("model.onnx", "no model", "ONNX Runtime cannot use the model"),
        ("tokenizer.json", "{}", "cannot be used"),
        ("config.json", "{}", "missing field `id2label`"),
        ("config.json", r#"{"id2label":{"0":"yes","1":"no"}}"#, "\"0: yes\", \"1: no\""),
    ] {
        let folder = quirky(Quirk::None);
        fs::write(folder.path().join(file), text).unwrap();
        let told = told(&folder);
        assert!(told.contains(words) && told.contains(file), "{told}");
    }
    for (quirk, words) in [(Quirk::Two, "logits: "), (Quirk::Renamed, "tokens: ")] {
        let told = told(&quirky(quirk));
        assert!(told.contains(words) && told.contains("expected is int64"), "{told}");
    }
    let nowhere = NliJudge::open("/nowhere".as_ref(), &runtime_library(), NliOptions::default()).unwrap_err();
    assert!(matches!(nowhere, NliError::Folder { .. }), "{nowhere}");
}

#[test]
fn overlarge_model_is_refused_even_with_external_weights() {
    let folder = quirky(Quirk::None);
    let size = fs::metadata(folder.path().join("model.onnx")).unwrap().len();
    let of = |max_bytes| open(&folder, NliOptions { max_bytes, ..NliOptions::default() });
    assert!(of(size).is_ok());
    let told = of(size - 1).unwrap_err().to_string();
    assert!(told.contains(&format!("is {size} bytes large; at most {}", size - 1)), "{told}");
    fs::write(folder.path().join("model.onnx_data"), [0; 10]).unwrap();
    assert!(matches!(of(size + 9), Err(NliError::TooLarge { given, .. }) if given == size + 10));
    assert!(of(size + 10).is_ok());
}

fn chain(error: &dyn std::error::Error) -> String {
    let source = error.source().map(|source| format!(": {}", chain(source))).unwrap_or_default();
    format!("{error}{source}")
}

/// Tests of the whole program use the tiny model in `tests/data/tiny-nli`. After an intended change,
/// `NIGHTFOLD_ACCEPT=1 cargo test -p nightfold-embed nli` rewrites its files.
#[test]
fn stored_test_folder_contains_the_tiny_model() {
    let kept = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/tiny-nli");
    let pretty = |value: Value| format!("{value:#}\n").into_bytes();
    let files = [
        ("model.onnx", tiny_nli(number_of("not"), Quirk::None)),
        ("tokenizer.json", pretty(tokenizer())),
        ("config.json", pretty(config())),
    ];
    for (name, bytes) in files {
        let path = kept.join(name);
        if std::env::var_os("NIGHTFOLD_ACCEPT").is_some() {
            fs::create_dir_all(&kept).unwrap();
            fs::write(&path, &bytes).unwrap();
        }
        let found = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(found == bytes, "{} is not what is written now; see above to accept it", path.display());
    }
}
