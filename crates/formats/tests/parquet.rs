//! Memories in Parquet files, and files that are cut, changed or crafted.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs::File,
    io::{Seek as _, Write as _},
    panic,
    sync::Arc,
};

use nightfold_formats::{
    jsonl::{JsonlError, MemoryLines},
    parquet::{ParquetError, RowLines},
};
use nightfold_memory::{Memory, config::InputConfig};
use parquet::{
    basic::Compression,
    data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type},
    file::{
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::parser::parse_message_type,
};
use serde_json::json;

const SCHEMA: &str = "message day {
    required binary id (STRING);
    required binary npc (STRING);
    required int64 at (TIMESTAMP(MICROS,true));
    required binary kind (STRING);
    required binary text (STRING);
    optional int64 importance;
    optional group tags (LIST) { repeated group list { required binary element (STRING); } }
    optional group emotion { required double valence; required double intensity; }
}";

fn texts(group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>, texts: [&str; 3]) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&texts.map(ByteArray::from), None, None).unwrap();
    column.close().unwrap();
}

/// Three memories: the first with all fields, the second with the required ones alone, the third with a wrong importance.
fn day(compression: Compression) -> Vec<u8> {
    let mut bytes = Vec::new();
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    let mut group = file.next_row_group().unwrap();
    texts(&mut group, ["m-1", "m-2", "m-3"]);
    texts(&mut group, ["Mara", "Mara", "Tom"]);
    let mut column = group.next_column().unwrap().unwrap();
    let times = [1_772_344_800_000_000, 1_772_344_860_000_000, 1_772_344_920_500_000];
    column.typed::<Int64Type>().write_batch(&times, None, None).unwrap();
    column.close().unwrap();
    texts(&mut group, ["event", "chat", "event"]);
    texts(&mut group, ["I fed the hens.", "Tom asked for bread.", "I woke up."]);
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&[3, 11], Some(&[1, 0, 1]), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let tags = ["work", "hens"].map(ByteArray::from);
    column.typed::<ByteArrayType>().write_batch(&tags, Some(&[2, 2, 0, 1]), Some(&[0, 1, 0, 0])).unwrap();
    column.close().unwrap();
    for value in [-0.25, 0.5] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&[value], Some(&[1, 0, 0]), None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
    bytes
}

fn opened(bytes: &[u8]) -> Result<RowLines, ParquetError> {
    let mut file: File = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    RowLines::open(file)
}

fn read(bytes: &[u8]) -> Result<Vec<Result<Memory, JsonlError>>, ParquetError> {
    let limits = InputConfig::default();
    Ok(MemoryLines::new("day.parquet", opened(bytes)?, &limits).collect())
}

#[test]
fn rows_are_memories_and_a_bad_one_is_named_by_its_number() {
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY] {
        let [first, second, third] = &read(&day(compression)).unwrap()[..] else { panic!("three rows") };
        let expected = json!({
            "id": "m-1", "npc": "Mara", "at": "2026-03-01T06:00:00Z", "kind": "event", "text": "I fed the hens.",
            "importance": 3, "tags": ["work", "hens"], "emotion": {"valence": -0.25, "intensity": 0.5}
        });
        assert_eq!(*first.as_ref().unwrap(), serde_json::from_value::<Memory>(expected).unwrap());
        let expected = json!({
            "id": "m-2", "npc": "Mara", "at": "2026-03-01T06:01:00Z", "kind": "chat", "text": "Tom asked for bread."
        });
        assert_eq!(*second.as_ref().unwrap(), serde_json::from_value::<Memory>(expected).unwrap());
        let error = third.as_ref().unwrap_err().to_string();
        assert!(error.starts_with("day.parquet:3: ") && error.contains("1 to 10"), "{error}");
    }
}

#[test]
fn cut_or_changed_file_is_an_error_or_other_memories_and_ends_nothing() {
    let silent = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let whole = day(Compression::SNAPPY);
    for end in 0..whole.len() {
        assert!(opened(&whole[..end]).is_err(), "cut at {end}");
    }
    for at in 0..whole.len() {
        for by in [1, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[at] ^= by;
            let _ = read(&changed).map(|rows| rows.len());
        }
    }
    panic::set_hook(silent);
}

#[test]
fn list_longer_than_the_file_can_stand_for_is_refused_before_room_is_made_for_it() {
    let mut bytes = Vec::new();
    let schema = Arc::new(parse_message_type("message day { repeated binary tags (STRING); }").unwrap());
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let (values, present) = (vec![ByteArray::from("a"); 100_000], vec![1; 100_000]);
    let repeats: Vec<i16> = (0..100_000).map(|n| i16::from(n > 0)).collect();
    column.typed::<ByteArrayType>().write_batch(&values, Some(&present), Some(&repeats)).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    file.close().unwrap();
    let refused = opened(&bytes);
    assert!(matches!(refused, Err(ParquetError::ManyValues { .. })), "{:?}", refused.err());
}
