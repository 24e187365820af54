"""What streams of recorded GPUs did: shares by role, single operations as far as they find room."""

import numpy as np
import pandas as pd

from .. import style
from ..operations import colour_keys, extent, finding, key_colours
from ..spans import added_up

MISSING = 'no operation was recorded: <output><table name="ops" gpus="all"/></output> (by default those of 8 GPUs)'
MOST_OPS = 500_000  # of a page, all its results together
GPUS_A_VIEW = 8
BINS = 600


def chosen_gpus(run, ops, most_ops):
    """GPUs whose operations the page has one by one, at most `most_ops`: the first of each role, then the
    others in order, as long as they find room; and the first of each role among them."""
    counts = ops["gpu"].value_counts().sort_index()
    first_of_role = {}
    for gpu in counts.index:
        first_of_role.setdefault(_role(run, gpu), gpu)
    chosen, room = [], most_ops
    for gpu in dict.fromkeys([*first_of_role.values(), *counts.index]):
        if counts[gpu] > room:
            break
        chosen.append(int(gpu))
        room -= counts[gpu]
    return chosen, [gpu for gpu in first_of_role.values() if gpu in chosen]


def _role(run, gpu):
    of_gpu = run.programs["program_of_gpu"]
    return str(run.programs["role"][of_gpu[gpu]]) if gpu < len(of_gpu) else "recorded"


def role_rows(run, ops, keys, edges):
    """[{name, role, shares: {key: array by bin}}]: of the GPUs of each role the mean share of the time in
    which a stream was in operations of a key."""
    gpus = np.unique(ops["gpu"])
    role_of = {gpu: _role(run, gpu) for gpu in gpus}
    counts = pd.Series(role_of).value_counts()
    streams = {}
    for gpu, stream in ops[["gpu", "stream"]].drop_duplicates().sort_values(["gpu", "stream"]).to_numpy():
        streams.setdefault((role_of[gpu], run.stream_name(gpu, stream)), []).append((gpu, stream))
    place = {one: i for i, ones in enumerate(streams.values()) for one in ones}
    most = int(ops["stream"].max()) + 1
    row_of = np.full((int(gpus.max()) + 1) * most, -1)
    for (gpu, stream), i in place.items():
        row_of[gpu * most + stream] = i
    code = row_of[ops["gpu"].to_numpy() * most + ops["stream"].to_numpy()] * len(keys.categories) + keys.codes
    order = np.argsort(code, kind="stable")
    bounds = np.searchsorted(code[order], np.arange(len(streams) * len(keys.categories) + 1))
    start, end = ops["t_start_ps"].to_numpy()[order], ops["t_end_ps"].to_numpy()[order]
    rows = []
    for i, (role, stream) in enumerate(streams):
        shares = {}
        for j, key in enumerate(keys.categories):
            low, high = bounds[i * len(keys.categories) + j:][:2]
            if high > low:
                shares[key] = added_up(start[low:high], end[low:high], edges) / np.diff(edges) / counts[role]
        rows.append({"name": f"{role}  {stream}" if len(counts) > 1 else stream, "role": role, "shares": shares})
    return rows


def _operations(run, ops, keys, names, origin):
    """Rows of GPUs and streams, and of all their operations arrays in that order."""
    ordered = np.lexsort((ops["t_start_ps"], ops["stream"], ops["gpu"]))
    ops, keys = ops.iloc[ordered], keys[ordered]
    codes, texts = pd.factorize(ops["name"].astype(object))
    of_row, first = np.unique(ops[["gpu", "stream"]].to_numpy(), axis=0, return_index=True)
    ends = [*first[1:], len(ops)]
    rows = [{"of": int(gpu), "name": f"{names.get(gpu, gpu)}  {run.stream_name(gpu, stream)}", "first": int(low),
             "end": int(high)} for (gpu, stream), low, high in zip(of_row, first, ends)]
    start = ops["t_start_ps"].to_numpy()
    return rows, {"start": start - origin, "length": ops["t_end_ps"].to_numpy() - start, "key": keys.codes,
                  "name": codes, "size": ops["size_bytes"].to_numpy(), "names": [str(text) for text in texts]}


def _views(chosen, first_of_role, names):
    """[{name, gpus}]: one GPU of each role side by side, then GPUs in order."""
    found = []
    if 1 < len(first_of_role) < len(chosen):
        found.append({"name": "the first GPU of each role", "gpus": first_of_role[:2 * GPUS_A_VIEW]})
    ordered = sorted(chosen)
    for at in range(0, len(ordered), GPUS_A_VIEW):
        some = ordered[at:at + GPUS_A_VIEW]
        found.append({"name": f"{names.get(some[0], some[0])} to {names.get(some[-1], some[-1])}"
                      if len(some) > 1 else str(names.get(some[0], some[0])), "gpus": some})
    return found


def section(run, most_ops=MOST_OPS):
    ops = run.tables["ops"] if "ops" in run.tables else pd.DataFrame()
    if ops.empty:
        return {"missing": MISSING}
    iteration = ops["iteration"].max()
    ops = ops[((ops["iteration"] == iteration) & (ops["t_end_ps"] > ops["t_start_ps"])).to_numpy()]
    if ops.empty:
        return {"missing": MISSING}
    gpus, names, keys = np.unique(ops["gpu"]).tolist(), run.endpoint_names(), colour_keys(ops, run)
    origin, end = (int(t) for t in extent(run, gpus, iteration, ops))
    chosen, first_of_role = chosen_gpus(run, ops, most_ops)
    is_chosen = ops["gpu"].isin(chosen).to_numpy()
    rows, operations = _operations(run, ops[is_chosen], keys[is_chosen], names, origin)
    edges = np.linspace(origin, end, BINS + 1)
    roles = role_rows(run, ops, keys, edges)
    colours = key_colours(keys, run)
    order = [*colours, *(key for key in keys.categories if key not in colours)]
    left_out = "" if is_chosen.all() else (
        f"single operations of {len(chosen):,} of {len(gpus):,} recorded GPUs are in this page ({is_chosen.sum():,} "
        f"of {len(ops):,}); of the others only their share in the means by role")
    return {
        "title": finding(run, gpus, iteration, ops, None),
        "detail": f"iteration {iteration}, streams of recorded GPUs; zoomed in, single operations",
        "left_out": left_out, "length": end - origin,
        "keys": [{"name": key.replace("_", " "), "colour": colours.get(key, style.REST)} for key in keys.categories],
        "order": [list(keys.categories).index(key) for key in order],
        "roles": [{"name": row["name"], "of": row["role"], "shares": [
            [list(keys.categories).index(key), np.rint(255 * np.clip(share, 0, 1)).astype(np.uint8)]
            for key, share in row["shares"].items()]} for row in roles],
        "roles_name": f"means over {len(gpus):,} GPUs" if len(gpus) > 1 else "shares",
        "rows": rows, "operations": operations, "views": _views(chosen, first_of_role, names),
    }
