use super::*;
use crate::{ModelOptions, Models};
use ort::value::TensorRef;

fn files() -> ModelFiles {
    Models::new(ModelOptions::from_env()).provide(&|_| {}).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn heads_leave_every_bit_of_the_vectors_as_it_is() {
    let files = files();
    let model = MiniLm::open(&files, MiniLmOptions::default()).unwrap();
    let environment = runtime::environment(&files.runtime).unwrap();
    let mut encoder = runtime::session(&environment, &std::fs::read(&files.model).unwrap()).unwrap();
    let sentence = "Joss will not pay the 14 silver for Tom's broken axle, and Odo has the fever.";
    let texts: Vec<String> =
        (0..=sentence.len()).map(|length| sentence.get(..length).unwrap().to_owned()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let embedded = model.embed(&texts).unwrap();
    for (tokens, row) in model.tokenizer.tokens(&texts).unwrap().iter().zip(embedded.vectors.rows()) {
        let input = TensorRef::from_array_view(([1, tokens.ids.len()], &*tokens.ids)).unwrap();
        let outputs = encoder.run(ort::inputs![input]).unwrap();
        let mut expected = [0.0; DIMENSIONS];
        pool::mean_unit(outputs[0].try_extract_tensor::<f32>().unwrap().1, &mut expected);
        assert!(
            expected.iter().zip(row).all(|(a, b)| a.to_bits() == b.to_bits()),
            "{} tokens",
            tokens.ids.len()
        );
    }
}

#[test]
fn computed_tokens_are_those_of_distinct_texts_and_products_have_a_rate() {
    let files = files();
    let model = MiniLm::open(&files, MiniLmOptions::default()).unwrap();
    let texts = ["The mill burned down", "The mill burned down", "Fire"];
    model.embed(&texts).unwrap();
    // Each text has a token before and one after its words.
    assert_eq!(model.computed_tokens(), 6 + 3);
    let rate = product_rate(&files, NonZero::<usize>::MIN).unwrap();
    assert!(rate.is_finite() && rate > 0.0, "{rate}");
}
