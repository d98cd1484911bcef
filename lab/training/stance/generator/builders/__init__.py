"""Builders of pairs: each makes one kind of pair of one label.

A builder takes a `Maker` and returns the older text, the newer text (both without capital and full
stop) and the category of the pair; or `None`, or `None` in place of a text, where the schema or the
wordings drawn do not allow the kind of pair. The numbers are weights.
"""

from . import contradiction, same, unrelated

BUILDERS = {"same": same.BUILDERS, "contradiction": contradiction.BUILDERS, "unrelated": unrelated.BUILDERS}
