#!/usr/bin/env python3
"""Sentences a second: ours, sentence-transformers and fastembed in turn on the same texts, and what of the processors' f32 rate that is.

  embedding.py TEXTS --model DIR [--fastembed MODEL.onnx] [--rounds 5]

TEXTS holds one text a line, no two the same. DIR is the unpacked all-MiniLM-L6-v2 (`model.safetensors`, `tokenizer.json`, ...).
MODEL.onnx is the model with an attention mask, as upstream has it under `onnx/`; without it fastembed is left out. Ours is
`cargo build --release -p nightfold-evaluate`, fastembed's peer `cargo build --release --manifest-path benches/peers/fastembed/Cargo.toml`.

Every round measures the f32 rate (matrices of the model's sizes, one thread and process for each core), then everyone once. Ours is
timed as a whole process, from start to the written file, the others from loaded model to vectors.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORES = len(os.sched_getaffinity(0))
MFLOP_A_TOKEN = 21.2
# Rows and columns of a layer's matrices, and how many of each there are.
SHAPES = [(384, 384, 4), (384, 1536, 1), (1536, 384, 1)]
ROWS = 512


def clocks():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), used.ru_utime + used.ru_stime


def told(start):
    wall, cpu = clocks()
    print(json.dumps({"wall": wall - start[0], "cpu": cpu - start[1]}))


def sentence_transformers(texts, model, out):
    """Worker: batches of 32 on all cores, as its documentation has it."""
    import numpy as np
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(CORES)
    model = SentenceTransformer(model, device="cpu")
    lines = pathlib.Path(texts).read_text().splitlines()
    encode = lambda part: model.encode(part, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
    encode(lines[:64])
    start = clocks()
    vectors = encode(lines)
    told(start)
    np.save(out, vectors)


def multiply(seconds):
    """Worker: GFLOP/s of one thread, from the moment that standard input ends."""
    import torch

    torch.set_num_threads(1)
    pairs = [(torch.rand(ROWS, k), torch.rand(k, n)) for k, n, count in SHAPES for _ in range(count)]
    flop = sum(2 * ROWS * k * n * count for k, n, count in SHAPES)
    outs = [torch.empty(ROWS, b.shape[1]) for _, b in pairs]
    done = lambda: [torch.mm(a, b, out=out) for (a, b), out in zip(pairs, outs)]
    done()
    sys.stdin.read()
    times, start = 0, clocks()
    while time.perf_counter() - start[0] < seconds:
        done()
        times += 1
    wall, cpu = clocks()
    print(json.dumps({"gflops": times * flop / (wall - start[0]) / 1e9, "cpu": times * flop / (cpu - start[1]) / 1e9}))


def rate():
    """GFLOP/s of all cores at once, on the wall and of a CPU second."""
    command = [sys.executable, __file__, "multiply", "2"]
    workers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(CORES)]
    time.sleep(4)
    for worker in workers:
        worker.stdin.close()
    answers = [json.loads(worker.stdout.read()) for worker in workers]
    for worker in workers:
        worker.wait()
    return sum(a["gflops"] for a in answers), statistics.mean(a["cpu"] for a in answers)


def whole(command):
    """Wall and CPU seconds of a process."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} failed ({child.returncode})")
    return {"wall": time.perf_counter() - start, "cpu": used.ru_utime + used.ru_stime}


def answer(command, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, env={**os.environ, **environment}, check=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts")
    parser.add_argument("--model", required=True)
    parser.add_argument("--fastembed")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ours", default=ROOT / "target/release/nightfold-evaluate")
    parser.add_argument("--fastembed-peer", default=ROOT / "benches/peers/fastembed/target/release/fastembed-peer")
    parser.add_argument("--runtime", help="the ONNX Runtime library for fastembed", default=next(
        iter(pathlib.Path.home().glob(".cache/nightfold/models/libonnxruntime-*.so")), None))
    args = parser.parse_args()

    import numpy as np
    from tokenizers import Tokenizer

    lines = pathlib.Path(args.texts).read_text().splitlines()
    if len(set(lines)) != len(lines):
        sys.exit("no two texts may be the same: ours embeds repeats once")
    tokenizer = Tokenizer.from_file(str(pathlib.Path(args.model) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    tokens = sum(len(e.ids) for e in tokenizer.encode_batch(lines))
    print(f"{len(lines)} texts of {tokens / len(lines):.1f} tokens, {CORES} cores")

    folder = tempfile.TemporaryDirectory()
    out = lambda name: os.path.join(folder.name, name)
    pathlib.Path(out("texts.jsonl")).write_text("".join(json.dumps({"text": line}) + "\n" for line in lines), encoding="utf-8")

    def ours():
        # A cache of its own, and so an empty one.
        here = out(f"ours{time.monotonic_ns()}")
        return whole([str(args.ours), "--vector-cache", f"{here}.db", "embed", out("texts.jsonl"), f"{here}.npy"])

    runs = {
        "ours": ours,
        "sentence-transformers": lambda: answer(
            [sys.executable, __file__, "sentence-transformers", args.texts, args.model, out("st.npy")]),
    }
    if args.fastembed:
        command = [str(args.fastembed_peer), args.fastembed, args.model, args.texts, out("fe.f32"), str(CORES), "32"]
        runs["fastembed"] = lambda: answer(command, ORT_DYLIB_PATH=str(args.runtime))
    rates, seconds = [], {name: [] for name in runs}
    for at in range(args.rounds):
        rates.append(rate())
        for name, run in runs.items():
            seconds[name].append(run())
        print(f"round {at + 1}: f32 {rates[-1][0]:.0f} GFLOP/s,",
              ", ".join(f"{name} {len(lines) / s[-1]['wall']:.0f}/s" for name, s in seconds.items()), flush=True)

    wall, cpu = (statistics.median(r[i] for r in rates) for i in (0, 1))
    print(f"\nf32: {wall:.0f} GFLOP/s on the wall, {cpu:.0f} a CPU second (medians of {args.rounds})\n")
    print("| | sentences/s | ours / it | of the f32 rate | sentences a CPU second | ours / it | of the f32 rate |")
    print("|---|---|---|---|---|---|---|")
    median = lambda name, what: statistics.median(s[what] for s in seconds[name])
    for name in runs:
        cells = []
        for what, most in (("wall", wall), ("cpu", cpu)):
            took = median(name, what)
            cells += [f"{len(lines) / took:.0f}", f"{took / median('ours', what):.2f}",
                      f"{tokens * MFLOP_A_TOKEN / 1e3 / took / most:.0%}"]
        print(f"| {name} |", " | ".join(cells), "|")

    mine = np.load(sorted(pathlib.Path(folder.name).glob("ours*.npy"))[0])
    theirs = {"sentence-transformers": np.load(out("st.npy"))}
    if args.fastembed:
        theirs["fastembed"] = np.fromfile(out("fe.f32"), dtype=np.float32).reshape(mine.shape)
    for name, vectors in theirs.items():
        print(f"least cosine to {name}: {(mine * vectors).sum(1).min():.7f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["sentence-transformers"]:
        sentence_transformers(*sys.argv[2:])
    elif sys.argv[1:2] == ["multiply"]:
        multiply(float(sys.argv[2]))
    else:
        main()
