#!/usr/bin/env python3
"""A night of many NPCs from a file to its result: what a Python user would write, and ours, in turn on the same file.

  nights.py FILE.jsonl --model DIR [--rounds 5]

FILE.jsonl holds memories (npc, at, text); DIR is the unpacked all-MiniLM-L6-v2. Each is a process of its own, timed from its
start to its end on the wall and of all processors:

  plain     sentence-transformers embeds every memory; for each NPC and day scikit-learn's KMeans with K chosen by
            silhouette (3 to 7), and the mean pairwise cosine of each cluster
  careful   the same of each NPC-day's distinct texts alone
  cold      `nightfold sleep FILE --by-day --plan PLAN` with an empty vector cache
  warm      the same again, with the vectors at hand
  bf16      the same with `--set embed.engine=bf16` and a vector cache of its own, cold (`--bf16`)

All have as many threads as there are cores. The versions are printed first. Ours does more than the peers do: budgets, fates, syntheses, insights, and a plan on the disk.
"""
import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def peer(path, model, distinct):
    import numpy as np
    import torch
    from sentence_transformers import SentenceTransformer
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    torch.set_num_threads(len(os.sched_getaffinity(0)))
    model = SentenceTransformer(model, device="cpu")
    days = collections.defaultdict(list)
    with open(path, encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            memory = json.loads(line)
            days[memory["npc"], str(memory.get("at", memory.get("timestamp")))[:10]].append(memory["text"])
    if distinct:
        days = {key: [t for t in dict.fromkeys(texts) if t.strip()] for key, texts in days.items()}
    texts = [text for key in sorted(days) for text in days[key]]
    vectors = model.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)
    begin = 0
    for key in sorted(days):
        x = vectors[begin : begin + len(days[key])]
        begin += len(x)
        different = len(np.unique(x, axis=0))
        best = None
        for k in range(3, min(7, different - 1) + 1):
            labels = KMeans(n_clusters=k, n_init=10, random_state=42).fit_predict(x)
            if len(set(labels)) > 1:
                score = silhouette_score(x, labels, metric="cosine")
                best = max(best or (score, labels), (score, labels), key=lambda found: found[0])
        for c in set(best[1]) if best else ():
            y = x[best[1] == c]
            if len(y) > 1:
                float(((y @ y.T).sum() - len(y)) / (len(y) * (len(y) - 1)))
    print(len(texts))


def versions(nightfold):
    from importlib.metadata import version

    theirs = [f"{name} {version(name)}" for name in ["sentence-transformers", "torch", "scikit-learn"]]
    ours = subprocess.run([nightfold, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return f"{len(os.sched_getaffinity(0))} threads; " + ", ".join([*theirs, ours])


def timed(command, env=None):
    begun, before = time.perf_counter(), os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=env)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - begun, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--model", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nightfold", default=ROOT / "target/release/nightfold")
    parser.add_argument("--bf16", action="store_true", help="run the engine bf16 too; it needs a processor with AMX")
    parser.add_argument("--peer", choices=["plain", "careful"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        return peer(args.file, args.model, args.peer == "careful")

    print(versions(args.nightfold), flush=True)
    taken = collections.defaultdict(list)
    as_peer = [sys.executable, __file__, args.file, "--model", args.model, "--peer"]
    for number in range(args.rounds):
        with tempfile.TemporaryDirectory() as folder:
            ours = [args.nightfold, "sleep", args.file, "--by-day"]
            ours += ["--plan", f"{folder}/plan.json", "--vector-cache"]
            exact = [*ours, f"{folder}/vectors.db"]
            commands = [
                ("plain", [*as_peer, "plain"]),
                ("cold", exact),
                ("careful", [*as_peer, "careful"]),
                ("warm", exact),
            ]
            if args.bf16:
                commands.append(("bf16", [*ours, f"{folder}/vectors16.db", "--set", "embed.engine=bf16"]))
            for name, command in commands:
                wall, cpu = timed(command)
                taken[name].append((wall, cpu))
                print(f"round {number + 1} {name:8} {wall:7.2f} s {cpu:7.2f} s CPU", file=sys.stderr, flush=True)

    median = {name: [statistics.median(column) for column in zip(*rounds)] for name, rounds in taken.items()}
    print(f"| {args.file.split('/')[-1]}, median of {args.rounds} | s | CPU s |\n|---|---|---|")
    for name, (wall, cpu) in median.items():
        print(f"| {name} | {wall:.2f} | {cpu:.2f} |")
    for ours, theirs in [(ours, theirs) for ours in ["cold", "warm", "bf16"] for theirs in ["plain", "careful"]]:
        if ours not in taken:
            continue
        ratios = [a[0] / b[0] for a, b in zip(taken[theirs], taken[ours])]
        spread = f"{min(ratios):.1f} to {max(ratios):.1f}"
        print(f"| {theirs} / {ours} | **{median[theirs][0] / median[ours][0]:.1f}** ({spread}) | "
              f"{median[theirs][1] / median[ours][1]:.1f} |")


if __name__ == "__main__":
    main()
