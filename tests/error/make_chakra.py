"""Chakra traces for cases, whole and damaged. Every function takes (folder, lightrail), some an argument."""
import json


def _varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def _field(number, value):
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _attribute(name, value):
    """A number, a text, or a list of truth values."""
    if isinstance(value, int):
        return _field(1, name.encode()) + _field(9, value)
    if isinstance(value, str):
        return _field(1, name.encode()) + _field(29, value.encode())
    return _field(1, name.encode()) + _field(28, b"".join(_field(1, v) for v in value))


def _chakra(number=2, kind=7, after=(1,), micros=5, **attributes):
    """A kernel, then one node of a kind, in the wire format of a Chakra trace."""
    named = lambda name, value: _field(10, _attribute(name, value))
    messages = [_field(1, b"0.0.4"), _field(1, 1) + _field(2, b"k") + _field(3, 4) + _field(7, micros),
                _field(1, number) + _field(2, b"c") + _field(3, kind) + b"".join(_field(5, a) for a in after)
                + b"".join(named(k, v) for k, v in attributes.items())]
    return b"".join(_varint(len(m)) + m for m in messages)


ALL_REDUCE = {"comm_type": 0, "comm_size": 4096}


def _chakra_files(folder, second):
    (folder / "x.0.et").write_bytes(_chakra(**ALL_REDUCE))
    (folder / "x.1.et").write_bytes(second)


def chakra_pair(folder, _):
    _chakra_files(folder, _chakra(**ALL_REDUCE))


def chakra_node(folder, _, node):
    """Rank 1's last node by JSON: its parts as _chakra() takes them."""
    _chakra_files(folder, _chakra(**json.loads(node)))


def chakra_one_name(folder, _):
    chakra_pair(folder, None)
    (folder / "x.1.et").rename(folder / "x.one.et")


def chakra_ends_in_length(folder, _):
    _chakra_files(folder, _chakra(**ALL_REDUCE) + b"\x80")


def chakra_garbled(folder, _):
    _chakra_files(folder, _chakra(**ALL_REDUCE) + b"\x04\xff\xff\xff\xff")


def chakra_groups_list(folder, _):
    chakra_pair(folder, None)
    (folder / "groups.json").write_text("[0, 1]")


def chakra_unordered(folder, _):
    """More nodes that nothing orders than a program has streams."""
    nodes = [_field(1, i) + _field(2, b"m") + _field(3, 1) for i in range(2, 66_000)]
    _chakra_files(folder, _chakra(**ALL_REDUCE) + b"".join(_varint(len(n)) + n for n in nodes[1:]))


def chakra_cut(folder, _):
    _chakra_files(folder, _chakra(**ALL_REDUCE)[:-4])


def chakra_not_chakra(folder, _):
    _chakra_files(folder, b"\xff" * 16)


def chakra_empty(folder, _):
    _chakra_files(folder, b"")
