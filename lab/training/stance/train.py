"""Fine-tunes the encoder of all-MiniLM-L6-v2 as a cross-encoder of two texts: entailment, neutral, contradiction.

Two phases: natural language inference first, then pairs of memories with some of the first beside them, so that neither is
forgotten. Token embeddings stay as they are, so that they need not be shipped again.
"""
import argparse
import json
import random
import time

import torch
from transformers import AutoModel, AutoTokenizer

import prepare

LABELS = ["entailment", "neutral", "contradiction", "not_entailment"]
MAX_TOKENS = 96


class Stance(torch.nn.Module):
    """Encoder, and a linear layer over the first token and the mean of all."""

    def __init__(self, model):
        super().__init__()
        # No dropout within: one or two passes do not overfit, and plain attention is twice as fast on processors.
        self.encoder = AutoModel.from_pretrained(
            model, attn_implementation="eager", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        self.dropout = torch.nn.Dropout(0.1)
        self.head = torch.nn.Linear(2 * self.encoder.config.hidden_size, 3)

    def forward(self, **tokens):
        hidden = self.encoder(**tokens).last_hidden_state
        mask = tokens["attention_mask"].unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * mask).sum(1) / mask.sum(1)
        return self.head(self.dropout(torch.cat([hidden[:, 0], mean], 1))).float()


def loss_of(logits, labels, weights, smooth):
    """Mean loss of a batch; label 3 says only that it is no entailment."""
    log_p = torch.log_softmax(logits, 1)
    three = labels < 3
    nll = -log_p.gather(1, labels.clamp(max=2).unsqueeze(1)).squeeze(1) * (1 - smooth) - smooth * log_p.mean(1)
    other = -torch.log1p(-log_p[:, 0].exp().clamp(max=0.9999))
    return (torch.where(three, nll, other) * weights).sum() / weights.sum()


def batches(rows, size, rng):
    """Batches of texts of like length, in random order."""
    order = list(range(len(rows)))
    rng.shuffle(order)
    found = []
    for start in range(0, len(order), size * 50):
        chunk = sorted(order[start:start + size * 50], key=lambda i: len(rows[i][0]) + len(rows[i][1]))
        found += [chunk[i:i + size] for i in range(0, len(chunk), size)]
    rng.shuffle(found)
    return found


def train(net, tokenizer, rows, arguments, rate, epochs, rng, report):
    """Trains for so many passes over the rows."""
    parameters = [p for p in net.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01, fused=True)
    total = max(1, int(len(rows) * epochs / arguments.batch))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / (0.06 * total + 1)) * max(0.01, 1 - step / total))
    net.train()
    started, step, running = time.time(), 0, None
    while step < total:
        for batch in batches(rows, arguments.batch, rng):
            texts = [prepare.written_out(rows[i][0]) for i in batch], [prepare.written_out(rows[i][1]) for i in batch]
            tokens = tokenizer(*texts, padding=True, pad_to_multiple_of=8, truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
            labels = torch.tensor([LABELS.index(rows[i][2]) for i in batch])
            weights = torch.tensor([rows[i][4] for i in batch])
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = net(**tokens)
            loss = loss_of(logits, labels, weights, arguments.smoothing)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            running = loss.item() if running is None else 0.99 * running + 0.01 * loss.item()
            if step % 100 == 0:
                print(f"{report} {step}/{total} loss {running:.4f} {step * arguments.batch / (time.time() - started):.0f} pairs/s", flush=True)
            if step >= total:
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--nli", required=True, help="folder of the sets of natural language inference")
    parser.add_argument("--by-hand", nargs="*", default=[], help="FILE or FILE:MOST, files of pairs written by hand and how many are taken of each")
    parser.add_argument("--generated", nargs="*", default=[], help="FILE:MOST, files of generated pairs and how many are taken of each")
    parser.add_argument("--out", required=True)
    parser.add_argument("--start", help="weights to go on from, with pairs of memories")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--epochs", type=float, nargs=2, default=[1.0, 2.0])
    parser.add_argument("--rates", type=float, nargs=2, default=[1.2e-4, 6e-5])
    parser.add_argument("--replay", type=int, default=25000, help="pairs of the first phase that the second one sees")
    parser.add_argument("--hand-weight", type=int, default=4, help="how often the second phase sees a pair written by hand")
    parser.add_argument("--smoothing", type=float, default=0.05, help="label smoothing: it presses high probabilities together")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    torch.manual_seed(arguments.seed)
    torch.set_num_threads(2)
    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    net = Stance(arguments.model)
    for parameter in net.encoder.embeddings.parameters():
        parameter.requires_grad_(False)
    net.encoder.embeddings.token_type_embeddings.weight.requires_grad_(True)
    general = [(*row, 1.0) for row in prepare.inference(arguments.nli)]
    print(len(general), "pairs of inference", flush=True)
    if arguments.start:
        net.load_state_dict(torch.load(arguments.start))
    else:
        train(net, tokenizer, general, arguments, arguments.rates[0], arguments.epochs[0], rng, "inference")
        torch.save(net.state_dict(), arguments.out + ".phase1.pt")
    own = []
    for path, _, most in (spec.partition(":") for spec in arguments.by_hand):
        some = [(*row, 1.0) for row in prepare.by_hand(path)]
        own += rng.sample(some, min(int(most), len(some))) if most else some
    own *= arguments.hand_weight
    made = []
    for path, _, most in (spec.rpartition(":") for spec in arguments.generated):
        some = [(*row, 1.0) for row in prepare.generated(path)]
        rng.shuffle(some)
        made += some[:int(most)]
    if own or made:
        rng.shuffle(general)
        rows = own + made + general[:arguments.replay]
        print(len(own), "by hand,", len(made), "generated,", len(rows), "in all", flush=True)
        train(net, tokenizer, rows, arguments, arguments.rates[1], arguments.epochs[1], rng, "memories")
    torch.save(net.state_dict(), arguments.out)
    print("saved", arguments.out)


if __name__ == "__main__":
    main()
