//! Embedding of the lines of a file with fastembed; prints wall time and CPU time in seconds.
//!
//! `fastembed-peer MODEL.onnx FOLDER TEXTS OUT.f32 THREADS BATCH`, with `ORT_DYLIB_PATH` naming ONNX Runtime.
//! FOLDER holds the tokenizer's files; OUT.f32 receives the vectors, row after row.

use std::{env, error::Error, fs, path::Path, time::Instant};

use fastembed::{InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [model, folder, texts, out, threads, batch] = args.as_slice() else {
        return Err("usage: fastembed-peer MODEL.onnx FOLDER TEXTS OUT.f32 THREADS BATCH".into());
    };
    let file = |name: &str| fs::read(Path::new(folder).join(name));
    let tokenizer = TokenizerFiles {
        tokenizer_file: file("tokenizer.json")?,
        config_file: file("config.json")?,
        special_tokens_map_file: file("special_tokens_map.json")?,
        tokenizer_config_file: file("tokenizer_config.json")?,
    };
    let model = UserDefinedEmbeddingModel::new(fs::read(model)?, tokenizer).with_pooling(Pooling::Mean);
    let options = InitOptionsUserDefined::new().with_intra_threads(threads.parse()?);
    let mut model = TextEmbedding::try_new_from_user_defined(model, options)?;
    let texts: Vec<String> = fs::read_to_string(texts)?.lines().map(str::to_owned).collect();
    let batch = Some(batch.parse()?);
    model.embed(&texts[..texts.len().min(64)], batch)?;

    let (start, used) = (Instant::now(), processor_seconds()?);
    let vectors = model.embed(&texts, batch)?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), processor_seconds()? - used);
    fs::write(out, vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>())?;
    println!("{{\"wall\": {wall}, \"cpu\": {cpu}}}");
    Ok(())
}

/// Returns the CPU time of this process; Linux counts it in hundredths of a second.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let told = fs::read_to_string("/proc/self/stat")?;
    // The name, in brackets, may hold spaces; user and system time are the 12th and 13th field after it.
    let (_, fields) = told.rsplit_once(')').ok_or("no process name")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
}
