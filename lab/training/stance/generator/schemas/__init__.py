"""Situations of the game world, a file of them for each theme (`model.py` says what its keys mean)."""

import pathlib
import tomllib

from .model import groups, schema, wordings

# In this order, since pairs are drawn by lot.
THEMES = """property things health ties work promises knowledge places power stores modern happenings""".split()


def _read(theme):
    with open(pathlib.Path(__file__).with_name(f"{theme}.toml"), "rb") as file:
        return [schema(**entry) for entry in tomllib.load(file)["schema"]]


SCHEMAS = tuple(entry for theme in THEMES for entry in _read(theme))

__all__ = ["SCHEMAS", "groups", "wordings"]
