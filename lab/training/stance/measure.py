"""Figures of trained weights on sets of labelled pairs: contradictions found and how many of the findings are right, by probability."""
import argparse
from collections import defaultdict

import numpy as np
import torch
from transformers import AutoTokenizer

import prepare
from train import MAX_TOKENS, Stance

THRESHOLDS = (0.5, 0.7, 0.9, 0.95)


def probabilities(net, tokenizer, pairs, size=64):
    """Probabilities of entailment, neutral and contradiction of each pair."""
    net.eval()
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(pairs[i][1]))
    found = np.zeros((len(pairs), 3))
    with torch.no_grad():
        for start in range(0, len(order), size):
            batch = order[start:start + size]
            texts = [prepare.written_out(pairs[i][0]) for i in batch], [prepare.written_out(pairs[i][1]) for i in batch]
            tokens = tokenizer(*texts, padding=True, truncation=True, max_length=MAX_TOKENS,
                               return_tensors="pt")
            found[batch] = torch.softmax(net(**tokens), 1).numpy()
    return found


def rows_of(path):
    """Family, stance, older and newer statement of each pair of a file."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                family, _, stance, older, newer = line.rstrip("\n").split("\t")
                yield family, stance, older, newer


def share(chosen):
    """Part of a whole that is true, as text."""
    return f"{np.mean(chosen):.3f}" if len(chosen) else "-"


def figures(found, stances):
    """Line of figures: contradictions found / right, unrelated taken for one at each probability, accuracy, *same* found."""
    contradiction, unrelated = stances == "contradiction", stances == "unrelated"
    cells = []
    for threshold in THRESHOLDS:
        taken = found[:, 2] >= threshold
        cells.append(f">={threshold}: {share(taken[contradiction])} / {share(contradiction[taken])}, false {share(taken[unrelated])}")
    right = np.array(["same", "unrelated", "contradiction"])[found.argmax(1)] == stances
    return "; ".join(cells) + f"; accuracy {share(right)}, same found {share(found[stances == 'same'][:, 0] >= 0.5)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", help="what train.py or restore.py wrote")
    parser.add_argument("sets", nargs="+", help="files of pairs as in lab/evaluate/data/stance")
    parser.add_argument("--model", required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--families", action="store_true", help="figures of each family too")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    net = Stance(arguments.model)
    net.load_state_dict(torch.load(arguments.weights))
    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    for path in arguments.sets:
        rows = list(rows_of(path))
        found = probabilities(net, tokenizer, [row[2:] for row in rows])
        stances = np.array([row[1] for row in rows])
        print(f"{path.rsplit('/', 1)[-1]} ({len(rows)}): {figures(found, stances)}", flush=True)
        if arguments.families:
            families = defaultdict(list)
            for place, row in enumerate(rows):
                families[row[0]].append(place)
            for family, places in sorted(families.items()):
                print(f"  {family} ({len(places)}): {figures(found[places], stances[places])}")


if __name__ == "__main__":
    main()
