#!/usr/bin/env python3
"""Compresses the files of a wheel again, as small as DEFLATE can: python .ci/repack_wheel.py WHEEL

The files, their order, times and permissions stay as they are, so the hashes in RECORD stay true. Needs the package
deflate, which is libdeflate: its level 12 is a thirtieth smaller than level 9 of zlib.
"""

import sys
import zipfile
import zlib
from pathlib import Path

import deflate

LEVEL = 12


class Compressor:
    """An object for `zipfile`: what `zlib.compressobj` returns, but of libdeflate, which compresses a file at once."""

    def __init__(self):
        self.content = bytearray()

    def compress(self, content):
        self.content += content
        return b""

    def flush(self):
        packed = bytes(deflate.deflate_compress(bytes(self.content), LEVEL))
        assert zlib.decompress(packed, -zlib.MAX_WBITS) == self.content
        return packed


def repack(wheel):
    """Replaces a wheel by the same one, smaller. Returns the sizes before and after, in bytes."""
    before = wheel.stat().st_size
    partial = wheel.with_suffix(".partial")
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            content = source.read(entry)
            with target.open(entry, "w") as file:
                # `zipfile` has no other way to choose a compressor.
                if entry.compress_type == zipfile.ZIP_DEFLATED:
                    file._compressor = Compressor()
                file.write(content)
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(partial) as target:
        assert target.testzip() is None
        assert [source.read(name) for name in source.namelist()] == [target.read(name) for name in target.namelist()]
    partial.replace(wheel)
    return before, wheel.stat().st_size


if __name__ == "__main__":
    print("{}: {:,} bytes, repacked {:,}".format(sys.argv[1], *repack(Path(sys.argv[1]))))
