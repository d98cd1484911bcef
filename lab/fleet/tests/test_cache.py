"""Vectors that all who open a store share."""

from __future__ import annotations

import nightfold
import numpy as np
from postgres_server import PostgresServer

TEXTS = ["I swept the common room.", "Tom owes me 14 silver.", "The north bridge is closed."]


def test_text_that_another_process_embedded_is_taken_from_the_store(postgres: PostgresServer, store: str) -> None:
    schema = store.rpartition("=")[2]
    first = np.asarray(nightfold.Embedder(threads=1, cache=nightfold.Store(store)).embed(TEXTS))
    assert postgres.sql(f"SELECT count(*) FROM {schema}.cached_record") == ["3"]
    # One record is where nobody finds it.
    postgres.sql(f"UPDATE {schema}.cached_record SET key = decode(repeat('ab', 32), 'hex') WHERE seq = 1")
    again = np.asarray(nightfold.Embedder(threads=1, cache=nightfold.Store(store)).embed(TEXTS))
    assert (first == again).all()
    # Its text was embedded again, and the others were not: they would have been kept again too.
    assert postgres.sql(f"SELECT count(*) FROM {schema}.cached_record") == ["4"]
