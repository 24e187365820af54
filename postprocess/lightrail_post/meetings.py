"""What recorded GPUs communicated while a link was busy: the collectives and messages that met there.

Tables do not say which way a message took. As `lightrail explain` does, a link is given what the recorded
GPUs of the servers at its ends were in meanwhile; a link of the fabric, or of servers without a recorded GPU,
what all recorded GPUs were in.
"""

import numpy as np
import pandas as pd

from . import style
from .spans import covered

ANYWHERE: frozenset[int] = frozenset()
MOST_KINDS = 24


def communications(run):
    """DataFrame of recorded collectives, sends and receives: gpu, what ("all_reduce tp, 33.6 MB", "message
    pp"), t_start_ps, t_end_ps. The kinds that took most time by themselves, others as "other communication"."""
    found = []
    if "collectives" in run.tables and len(run.tables["collectives"]):
        rows = run.tables["collectives"]
        kinds, place = np.unique(rows[["collective", "group", "size_bytes"]].assign(
            collective=pd.Categorical(rows["collective"]).codes).to_numpy(), axis=0, return_inverse=True)
        types, groups = pd.Categorical(rows["collective"]).categories, run.group_kinds
        names = [f"{types[kind]} {groups[group] if 0 <= group < len(groups) else group}, {style.format_bytes(size)}"
                 for kind, group, size in kinds]
        found.append(_rows(rows, names, place.ravel()))
    ops = run.tables["ops"] if "ops" in run.tables else pd.DataFrame()
    if len(ops):
        rows = ops[ops["kind"].isin(["send", "recv"])]
        names = [*(f"message {name}" for name in run.dimensions), "message"]
        place = np.where(rows["dimension"] >= 0, rows["dimension"], len(run.dimensions))
        found.append(_rows(rows, names, place))
    if not found:
        return pd.DataFrame({"gpu": [], "what": pd.Categorical([]), "t_start_ps": [], "t_end_ps": []})
    names = list(dict.fromkeys(name for rows in found for name in rows["what"].cat.categories))
    rows = pd.concat([rows.assign(what=rows["what"].cat.set_categories(names)) for rows in found],
                     ignore_index=True)
    return _fewer(rows.assign(what=rows["what"].cat.remove_unused_categories()))


def _rows(rows, names, place):
    """With `what` by its place in names, some of which may be equal."""
    codes, distinct = pd.factorize(np.array(names, dtype=object))
    return pd.DataFrame({"gpu": rows["gpu"].to_numpy(),
                         "what": pd.Categorical.from_codes(codes[place], distinct),
                         "t_start_ps": rows["t_start_ps"].to_numpy(), "t_end_ps": rows["t_end_ps"].to_numpy()})


def _fewer(rows):
    time = (rows["t_end_ps"] - rows["t_start_ps"]).groupby(rows["what"], observed=False).sum()
    kept = time.sort_values(ascending=False, kind="stable").index[:MOST_KINDS].tolist()
    if len(time) <= MOST_KINDS:
        return rows
    codes = np.array([kept.index(name) if name in kept else MOST_KINDS for name in rows["what"].cat.categories])
    return rows.assign(what=pd.Categorical.from_codes(codes[rows["what"].cat.codes],
                                                      [*kept, "other communication"]))


def place_of_links(run, links):
    """List: of each directed link the recorded servers (atoms) at its ends, ANYWHERE where there is none."""
    atom = run.components["atom"].to_numpy()
    with_gpu = set(run.components.loc[run.components["kind"] == "gpu", "atom"])
    ends = run.links.loc[links]
    return [frozenset({a, b} & with_gpu) for a, b in zip(atom[ends["from"]], atom[ends["to"]])]


def meetings(run, places, edges_ps):
    """(kinds, {place: array kinds x intervals}): share of each interval in which a recorded GPU of the place
    was in a communication of the kind. A place without a recorded GPU has what ANYWHERE has."""
    rows = communications(run)
    atoms = run.endpoint_atoms().reindex(rows["gpu"]).to_numpy()
    recorded, what = set(atoms), rows["what"].cat.codes.to_numpy()
    start, end = rows["t_start_ps"].to_numpy(), rows["t_end_ps"].to_numpy()
    kinds, length = list(rows["what"].cat.categories), np.diff(edges_ps)

    def shares(place):
        of_place = np.isin(atoms, list(place)) if place else np.ones(len(rows), dtype=bool)
        return np.array([covered(start[chosen], end[chosen], edges_ps) / length
                         for chosen in (of_place & (what == kind) for kind in range(len(kinds)))]
                        ).reshape(len(kinds), len(length))

    found = {}
    for place in dict.fromkeys(places):
        here = frozenset(place & recorded)
        found[place] = shares(here) if here or ANYWHERE not in found else found[ANYWHERE]
        if not here:
            found[ANYWHERE] = found[place]
    return kinds, found
