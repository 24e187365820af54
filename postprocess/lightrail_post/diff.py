"""Exact comparison of two result files.

h5diff calls datasets of different shape "not comparable" and reports success; this does not.
"""

import h5py
import numpy as np

WITHOUT = ("run", "profile")  # what depends on how a run was carried out


def differences(path_a, path_b, without=WITHOUT):
    """Texts, one a difference: objects, shapes, types, values, attributes. Empty: the results are equal."""
    found = []
    with h5py.File(path_a, "r") as a, h5py.File(path_b, "r") as b:
        _compare(a, b, "/", without, found)
    return found


def _compare(a, b, path, without, found):
    for name in sorted(set(a.attrs) | set(b.attrs)):
        if name not in a.attrs or name not in b.attrs:
            found.append(f"{path}@{name}: only in one file")
        elif not np.array_equal(a.attrs[name], b.attrs[name]):
            found.append(f"{path}@{name}: {a.attrs[name]!r} and {b.attrs[name]!r}")
    if isinstance(a, h5py.Dataset) or isinstance(b, h5py.Dataset):
        _compare_data(a, b, path, found)
        return
    for name in sorted(set(a) | set(b)):
        below = f"{path.rstrip('/')}/{name}"
        if below.strip("/") in without:
            continue
        if name not in a or name not in b:
            found.append(f"{below}: only in one file")
        else:
            _compare(a[name], b[name], below, without, found)


def _compare_data(a, b, path, found):
    if not (isinstance(a, h5py.Dataset) and isinstance(b, h5py.Dataset)):
        found.append(f"{path}: a dataset in one file, a group in the other")
    elif a.shape != b.shape or a.dtype != b.dtype:
        found.append(f"{path}: {a.shape} {a.dtype} and {b.shape} {b.dtype}")
    else:
        va, vb = a[()], b[()]
        equal = (va == vb) | ((va != va) & (vb != vb))
        if not np.all(equal):
            first = int(np.argmin(equal))
            found.append(f"{path}: {np.size(equal) - np.count_nonzero(equal)} values differ, first at {first}: "
                         f"{va[first]!r} and {vb[first]!r}")
