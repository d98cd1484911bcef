#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nightfold_readers::rows(bytes));
