"""What a page's scripts read is what was written."""

import base64
import gzip
import json
import struct

import numpy as np
import pytest

from lightrail_post.page.pack import packed


def unpacked(text):
    """As core.js does it."""
    raw = gzip.decompress(base64.b64decode(text))
    length = struct.unpack("<I", raw[:4])[0]
    first = -(-(4 + length) // 8) * 8

    def array(value):
        if "array" not in value:
            return value
        name, at, count = value["array"]
        return np.frombuffer(raw, np.dtype(f"<{name}"), count, first + at)

    return json.loads(raw[4:4 + length], object_hook=array)


@pytest.mark.parametrize("values, name", [([0, 255], "u1"), ([256, 0], "u2"), ([65536], "u4"), ([2**53, -1], "f8"),
                                          ([-1], "f8"), ([0.5, 0.25], "f4"), ([], "f4")])
def test_numbers_come_back_in_the_smallest_type_that_holds_them(values, name):
    found = unpacked(packed({"a": [np.array(values)], "text": "µs → x"}))
    assert found["text"] == "µs → x"
    assert found["a"][0].tolist() == values and found["a"][0].dtype == np.dtype(f"<{name}")


def test_arrays_begin_at_multiples_of_eight_bytes():
    found = unpacked(packed([np.array([1, 2, 3]), np.array([2**40]), np.array([7])]))
    assert [part.tolist() for part in found] == [[1, 2, 3], [2**40], [7]]


def test_a_number_that_a_page_would_round_is_refused():
    with pytest.raises(ValueError, match="not exact"):
        packed(np.array([2**53 + 1]))


def test_the_same_data_give_the_same_text():
    assert packed({"a": np.arange(9)}) == packed({"a": np.arange(9)})
