"""Data of a page as text: JSON, and behind it arrays as they lie in memory, compressed together.

Layout before compression: length of the JSON [bytes, 4, little-endian], the JSON, then the arrays, each from
a multiple of 8 bytes on. In the JSON an array is {"array": [type, offset, count]}, where offset 0 is the first
multiple of 8 behind the JSON.
"""

import base64
import gzip
import json
import struct

import numpy as np

TYPES = (("u1", np.uint8), ("u2", np.uint16), ("u4", np.uint32))
LARGEST = 2**53  # up to which a page's numbers are exact


def _compact(array):
    """(type, array) of the smallest type that holds the values; of fractions single precision."""
    if array.dtype.kind == "f":
        return "f4", array.astype("<f4")
    if array.size and max(abs(int(array.min())), abs(int(array.max()))) > LARGEST:
        raise ValueError(f"a page cannot hold {array.max()}: above 2^53 its numbers are not exact")
    for name, of_type in TYPES:
        if not array.size or (array.min() >= 0 and array.max() <= np.iinfo(of_type).max):
            return name, array.astype(np.dtype(of_type).newbyteorder("<"))
    return "f8", array.astype("<f8")


def _without_arrays(data, chunks, offset):
    """`data` with arrays replaced; appends their bytes to chunks."""
    if isinstance(data, np.ndarray):
        name, compact = _compact(data.ravel())
        raw = compact.tobytes()
        chunks.append(raw + bytes(-len(raw) % 8))
        here, offset[0] = offset[0], offset[0] + len(chunks[-1])
        return {"array": [name, here, int(compact.size)]}
    if isinstance(data, dict):
        return {str(key): _without_arrays(value, chunks, offset) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_without_arrays(value, chunks, offset) for value in data]
    return data.item() if isinstance(data, np.generic) else data


def packed(data):
    """Text (base64) of nested dictionaries, lists, texts, numbers and arrays. ValueError: no number."""
    chunks = []
    text = json.dumps(_without_arrays(data, chunks, [0]), allow_nan=False, separators=(",", ":")).encode()
    head = struct.pack("<I", len(text)) + text
    return squeezed(head + bytes(-len(head) % 8) + b"".join(chunks))


def squeezed(raw):
    """gzip in base64, the same for the same bytes: without a time in it."""
    return base64.b64encode(gzip.compress(raw, compresslevel=6, mtime=0)).decode("ascii")
