"""Pairs of turns of openly licensed talk (Topical-Chat), of which almost none answers a question of another one: unrelated.

Half of the conversations are for training, the other half for measuring alone: the half is that of a hash of the conversation's id.
From each come turns that follow each other and turns that are near each other in meaning.
"""
import argparse
import json
import pathlib
import random

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

from prepare import share

HALVES = ("train", "measure")
FILES = ("valid_freq.jsonl", "valid_rare.jsonl")
NAMES = ("Ada", "Bram", "Cora", "Dunstan", "Elif", "Femi", "Gita", "Harlan", "Ines", "Jory", "Kwame", "Lotte", "Mara", "Niels", "Odile", "Pavel", "Rosa", "Sven",
         "Tilda", "Vera", "Yusuf", "Zora", "Captain Brandt", "Player1", "xX_Slayer_Xx", "Old Tom", "the baker", "a stranger")
# Shorter turns say nothing; longer ones are cut.
LEAST_CHARS, MOST_CHARS = 12, 260
# Cosine of turns that are near each other and do not say the same.
NEAR = (0.3, 0.93)


def named(turn, text):
    """Turn as it is judged: with its speaker, to whom three of four conversations give a name."""
    name = NAMES[share(turn["run"] + turn["actors"][0], len(NAMES))]
    return f"{name}: {text}" if share(turn["run"] + "named", 4) else text


def conversations(folder, half):
    """Turns of each conversation of a half, in their order, each once."""
    found = {}
    for name in FILES:
        with open(pathlib.Path(folder) / name, encoding="utf-8") as lines:
            for line in lines:
                turn = json.loads(line)
                # Both speakers remember each turn: one of them is enough.
                if turn["npc"].endswith("-1") and HALVES[share(turn["run"], 2)] == half and len(turn["text"]) > LEAST_CHARS:
                    turns = found.setdefault(turn["run"], [])
                    text = named(turn, " ".join(turn["text"].split())[:MOST_CHARS])
                    if text not in turns:
                        turns.append(text)
    return found


def vectors(texts, model, size=64):
    """Unit vectors of texts."""
    tokenizer, encoder = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model).eval()
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    found = np.zeros((len(texts), encoder.config.hidden_size), dtype=np.float32)
    with torch.no_grad():
        for start in range(0, len(order), size):
            batch = order[start:start + size]
            tokens = tokenizer([texts[i] for i in batch], padding=True, truncation=True, max_length=64, return_tensors="pt")
            mask = tokens["attention_mask"].unsqueeze(-1)
            mean = (encoder(**tokens).last_hidden_state * mask).sum(1) / mask.sum(1)
            found[batch] = torch.nn.functional.normalize(mean, dim=1).numpy()
    return found


def pairs_of(turns, near, rng, most):
    """Pairs of one conversation: neighbours, the nearest, and some of the near ones."""
    likeness = near @ near.T
    close = sorted(((likeness[i, j], i, j) for i in range(len(turns)) for j in range(i + 1, len(turns)) if NEAR[0] <= likeness[i, j] < NEAR[1]), reverse=True)
    chosen = [(i, j) for _, i, j in close[:most]] + [(i, j) for _, i, j in rng.sample(close[most:], min(most, len(close[most:])))]
    follow = [(i, i + 1) for i in range(len(turns) - 1) if likeness[i, i + 1] < NEAR[1]]
    chosen += rng.sample(follow, min(most, len(follow)))
    return [(turns[i], turns[j]) for i, j in dict.fromkeys(chosen)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("data", help="folder of Topical-Chat")
    parser.add_argument("--model", required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--half", choices=HALVES, default="train")
    parser.add_argument("--most", type=int, default=4, help="pairs of each kind and conversation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tsv", action="store_true", help="table of the evaluation instead of JSON lines")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    rng = random.Random(arguments.seed)
    talks = conversations(arguments.data, arguments.half)
    texts = list(dict.fromkeys(text for turns in talks.values() for text in turns))
    near = dict(zip(texts, vectors(texts, arguments.model)))
    count = 0
    with open(arguments.out, "w", encoding="utf-8") as out:
        for turns in talks.values():
            for older, newer in pairs_of(turns, np.array([near[text] for text in turns]), rng, arguments.most):
                row = {"older": older, "newer": newer, "label": "unrelated", "family": "talk"}
                out.write("\t".join(("talk", "mined", "unrelated", older, newer)) + "\n" if arguments.tsv else json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
    print(count, "pairs of", len(talks), "conversations")


if __name__ == "__main__":
    main()
