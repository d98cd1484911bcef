"""Mean of several trainings' weights (Wortsman et al. 2022, "Model soups"): steadier than each where all began from one."""
import argparse

import torch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", nargs="+", help="what train.py wrote")
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    states = [torch.load(path, map_location="cpu") for path in arguments.weights]
    whole = {name for name, value in states[0].items() if not value.is_floating_point()}
    mean = {name: value if name in whole else sum(state[name] for state in states) / len(states) for name, value in states[0].items()}
    torch.save(mean, arguments.out)


if __name__ == "__main__":
    main()
