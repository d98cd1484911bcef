#!/usr/bin/env python3
"""V-measure and ARI of scikit-learn's KMeans(n_init=10) at the true number of clusters, on our vectors.

  clusters.py --data DIR [--seeds 3]

DIR holds `clustering/banking77`, `clustering/clinc150`, `clustering/gsdmm`. The vectors are those of
`target/release/nightfold-evaluate embed`.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, v_measure_score

ROOT = pathlib.Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True, type=pathlib.Path)
parser.add_argument("--seeds", type=int, default=3)
parser.add_argument("--evaluate", default=ROOT / "target/release/nightfold-evaluate")
args = parser.parse_args()
clustering = args.data / "clustering"


def sets():
    with open(clustering / "banking77/banking_data_test.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    yield "banking77", [(r["text"], r["category"]) for r in rows]
    with open(clustering / "clinc150/data_full.json", encoding="utf-8") as file:
        yield "clinc150", [tuple(pair) for pair in json.load(file)["test"]]
    with open(clustering / "gsdmm/Tweet", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    yield "tweets", [(r["text"], r["cluster"]) for r in rows]


def embed(texts):
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "texts.jsonl"), pathlib.Path(folder, "vectors.npy")
        source.write_text("".join(json.dumps({"text": t}) + "\n" for t in texts), encoding="utf-8")
        subprocess.run([args.evaluate, "embed", source, target], check=True)
        return np.load(target)


for name, items in sets():
    labels = [label for _, label in items]
    vectors = embed([text for text, _ in items])
    for seed in range(args.seeds):
        found = KMeans(len(set(labels)), n_init=10, random_state=seed).fit(vectors).labels_
        v, ari = v_measure_score(labels, found), adjusted_rand_score(labels, found)
        print(f"{name:10} seed {seed}  V-measure {v:.4f}  ARI {ari:.4f}", flush=True)
