#!/usr/bin/env python3
"""CPU time of a day's themes from given vectors: scikit-learn and ours in turn, on the same days, one thread each.

  themes.py --vectors FILE.npy [--memories 50] [--days 90] [--rounds 3]

FILE.npy is what `nightfold-evaluate embed` wrote. Ours is `cargo build --release -p nightfold-benches --example themes`.
Both find K in 3..=7 by silhouette from 10 starts each and give the mean pairwise cosine of every cluster.
"""
import argparse
import os
import pathlib
import resource
import statistics
import subprocess

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402
from sklearn.metrics import silhouette_score  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument("--vectors", required=True)
parser.add_argument("--memories", type=int, default=50)
parser.add_argument("--days", type=int, default=90)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--ours", default=ROOT / "target/release/examples/themes")
args = parser.parse_args()

vectors = np.load(args.vectors)


def cpu(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def peer_day(x):
    best = None
    for k in range(3, 8):
        labels = KMeans(n_clusters=k, n_init=10, random_state=42).fit(x).labels_
        score = silhouette_score(x, labels, metric="cosine")
        if best is None or score > best[0]:
            best = (score, labels)
    labels, cohesion = best[1], []
    for c in range(labels.max() + 1):
        y = x[labels == c]
        n = len(y)
        if n > 1:
            cohesion.append(float(((y @ y.T).sum() - n) / (n * (n - 1))))
    return labels.max() + 1, np.mean(cohesion)


def peer():
    start = cpu(resource.RUSAGE_SELF)
    for day in range(args.days):
        rows = [(day * args.memories + i) % len(vectors) for i in range(args.memories)]
        peer_day(vectors[rows])
    return (cpu(resource.RUSAGE_SELF) - start) / args.days


def ours(days):
    start = cpu(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [args.ours, args.vectors, str(args.memories), str(days)], check=True, stdout=subprocess.DEVNULL
    )
    return cpu(resource.RUSAGE_CHILDREN) - start


# Ours is so short that starting up and reading the file would count: it runs many more days, and those of a run
# without any are taken off.
many = args.days * 20
ratios, theirs, mine = [], [], []
for _ in range(args.rounds):
    theirs.append(peer())
    mine.append((ours(many) - ours(0)) / many)
    ratios.append(theirs[-1] / mine[-1])
print(f"{args.memories} memories a day, CPU ms a day, median of {args.rounds} rounds in turn")
print(f"  scikit-learn {1e3 * statistics.median(theirs):8.3f}")
print(f"  ours         {1e3 * statistics.median(mine):8.3f}")
print(f"  ratio        {statistics.median(ratios):8.1f}  ({min(ratios):.1f} to {max(ratios):.1f})")
