//! Tiny entailment classifier: it counts the words of the second text that occur in the first, and compares
//! their negations.

use prost::Message;

use super::{
    IR_VERSION, OPERATOR_SET,
    graph::{Attribute, GraphBuilder, Name},
    proto::{Dimension, ModelProto, OperatorSetIdProto},
    weights::Weight,
};

/// Deviation of a model from one that works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quirk {
    None,
    /// The model has an attention mask as an additional input.
    Masked,
    /// The second output of the model is NaN.
    NotANumber,
    /// The model has two outputs.
    Two,
    /// The input of tokens has another name.
    Renamed,
    /// The model has one output per token.
    Unsaid,
}

/// Returns the model's bytes; `not` is the token number of the negation.
pub(crate) fn tiny_nli(not: i64, quirk: Quirk) -> Vec<u8> {
    let mut g = GraphBuilder::new("tiny-nli");
    let ids_name = if quirk == Quirk::Renamed { "tokens" } else { "input_ids" };
    let ids = g.input(ids_name, &["batch", "sequence"]);
    if quirk == Quirk::Masked {
        g.input("attention_mask", &["batch", "sequence"]);
    }
    let types = g.input("token_type_ids", &["batch", "sequence"]);
    let (across, along) = (g.integers("axis_1", &[1]), g.integers("axis_2", &[2]));
    let float = [Attribute::Int("to", 1)];
    let keep = [Attribute::Int("keepdims", 1)];
    let one = g.scalar("one", 1.0);

    let of_second = g.node("Cast", "of_second", &[&types], &float);
    let of_first = g.node("Sub", "of_first", &[&one, &of_second], &[]);
    // Rows are tokens, columns too: equal ones, of which the row is in the first text and the column in the second.
    let rows = g.node("Unsqueeze", "rows", &[&ids, &along], &[]);
    let columns = g.node("Unsqueeze", "columns", &[&ids, &across], &[]);
    let equal = g.node("Equal", "equal", &[&rows, &columns], &[]);
    let equal = g.node("Cast", "equal_as_number", &[&equal], &float);
    let first_rows = g.node("Unsqueeze", "first_rows", &[&of_first, &along], &[]);
    let second_columns = g.node("Unsqueeze", "second_columns", &[&of_second, &across], &[]);
    let between = g.node("Mul", "between", &[&first_rows, &second_columns], &[]);
    let met = g.node("Mul", "met", &[&equal, &between], &[]);
    let found = g.node(
        "ReduceMax",
        "found",
        &[&met],
        &[Attribute::Ints("axes", &[1]), Attribute::Int("keepdims", 0)],
    );
    let found = g.node("ReduceSum", "found_in_all", &[&found, &across], &keep);
    let second = g.node("ReduceSum", "second_in_all", &[&of_second, &across], &keep);
    let share = g.node("Div", "share", &[&found, &second], &[]);

    let deny = g.integers("not", &[not]);
    let denies = g.node("Equal", "denies", &[&ids, &deny], &[]);
    let denies = g.node("Cast", "denies_as_number", &[&denies], &float);
    let mut denials = |of: &Name, name: &str| {
        let some = g.node("Mul", &format!("{name}_denies"), &[&denies, of], &[]);
        g.node("ReduceSum", &format!("{name}_denials"), &[&some, &across], &keep)
    };
    let (a, b) = (denials(&of_first, "first"), denials(&of_second, "second"));
    let apart = g.node("Sub", "denials_apart", &[&a, &b], &[]);
    let denied = g.node("Abs", "denied", &[&apart], &[]);

    let two = g.scalar("two", 2.0);
    let cost = g.node("Mul", "cost", &[&denied, &two], &[]);
    let entails = g.node("Sub", "entails", &[&share, &cost], &[]);
    let zero = g.scalar("zero", if quirk == Quirk::NotANumber { f32::NAN } else { 0.0 });
    let nothing = g.node("Mul", "nothing", &[&share, &zero], &[]);
    let middle = g.scalar("middle", 0.75);
    let neutral = g.node("Add", "neutral", &[&nothing, &middle], &[]);
    let contradicts = g.node("Mul", "contradicts", &[&denied, &share], &[]);
    let mut numbers = vec![&entails, &neutral, &contradicts];
    numbers.truncate(if quirk == Quirk::Two { 2 } else { 3 });
    let logits = if quirk == Quirk::Unsaid {
        g.node("Identity", "logits", &[&of_second], &[])
    } else {
        g.node("Concat", "logits", &numbers, &[Attribute::Int("axis", 1)])
    };
    let size = match quirk {
        Quirk::Unsaid => Dimension::Name("sequence".to_owned()),
        Quirk::Two => Dimension::Size(2),
        _ => Dimension::Size(3),
    };
    g.output(&logits, [Dimension::Name("batch".to_owned()), size]);
    model(g)
}

/// Returns a model with the same three outputs for every pair.
pub(crate) fn stubborn(numbers: [f32; 3]) -> Vec<u8> {
    let mut g = GraphBuilder::new("stubborn");
    let ids = g.input("input_ids", &["batch", "sequence"]);
    let across = g.integers("axis_1", &[1]);
    let as_number = g.node("Cast", "as_number", &[&ids], &[Attribute::Int("to", 1)]);
    let sum = g.node("ReduceSum", "sum", &[&as_number, &across], &[Attribute::Int("keepdims", 1)]);
    let zero = g.scalar("zero", 0.0);
    let nothing = g.node("Mul", "nothing", &[&sum, &zero], &[]);
    let row = g.floats("row", &Weight { shape: vec![1, 3], values: numbers.to_vec() });
    let logits = g.node("Add", "logits", &[&nothing, &row], &[]);
    g.output(&logits, [Dimension::Name("batch".to_owned()), Dimension::Size(3)]);
    model(g)
}

fn model(graph: GraphBuilder) -> Vec<u8> {
    let version = OperatorSetIdProto { domain: Some(String::new()), version: Some(OPERATOR_SET) };
    ModelProto {
        ir_version: Some(IR_VERSION),
        opset_import: vec![version],
        producer_name: Some("nightfold".to_owned()),
        doc_string: Some("A toy, for tests.".to_owned()),
        graph: Some(graph.finish()),
    }
    .encode_to_vec()
}
