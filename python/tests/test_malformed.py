"""Malformed batches are errors, or are read; none ends the process."""

import ctypes
import mmap
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


@pytest.mark.parametrize("stated", [0, 1])
def test_no_child_is_read_that_is_not_stated(stated):
    """The schema has two columns, and the array states fewer: the memory behind its pointers cannot be read."""
    from malformed_arrays import Array, Batch

    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    page = mmap.PAGESIZE
    anonymous = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    memory = libc.mmap(None, 2 * page, mmap.PROT_READ | mmap.PROT_WRITE, anonymous, -1, 0)
    assert libc.mprotect(memory + page, page, 0) == 0

    batch = Batch(pa.RecordBatch.from_pydict({"url": ["https://example.com/"], "html": [b"<p>"]}))
    size = stated * ctypes.sizeof(ctypes.c_void_p)
    pointers = memory + page - size
    ctypes.memmove(pointers, batch.array.children, size)
    batch.array.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(Array)))
    batch.array.n_children = stated
    with pytest.raises(BatchError, match="column . is missing in a batch"):
        decide_batch(batch)
