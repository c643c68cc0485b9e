"""Malformed batches are errors, or are read; none ends the process."""

import os
from collections import Counter

import pytest

from robots_policy import BatchError, InputError, decide_batch

# It needs CPython 3.11.
pa = pytest.importorskip("pyarrow")

# .ci/python runs this number; a longer run sets it.
CASES = int(os.environ.get("MALFORMED_CASES", "4000"))


def test_malformed_batches_are_errors():
    from malformed_arrays import batches

    outcomes = Counter()
    for batch, changes in batches(seed=7, count=CASES):
        try:
            decisions = decide_batch(batch)
        except (BatchError, InputError) as error:
            assert changes and str(error), changes
            outcomes["refused"] += 1
        else:
            pa.record_batch(decisions).validate(full=True)
            outcomes["changed" if changes else "as it was"] += 1
        # The schema and the array are each released once, also after an error.
        assert batch.releases == 2, changes
    print(dict(outcomes))
    assert outcomes["as it was"] > CASES / 10
    assert outcomes["refused"] > CASES / 4
