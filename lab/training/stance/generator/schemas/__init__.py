"""Situations of the game world, grouped by theme."""

from . import happenings, health, knowledge, modern, places, power, promises, property, stores, things, ties, work
from .model import groups, wordings

THEMES = (property, things, health, ties, work, promises, knowledge, places, power, stores, modern, happenings)
SCHEMAS = tuple(schema for theme in THEMES for schema in theme.SCHEMAS)

__all__ = ["SCHEMAS", "groups", "wordings"]
