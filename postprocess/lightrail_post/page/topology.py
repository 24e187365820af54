"""The network by tier, its links coloured by use."""

import numpy as np
import pandas as pd

from .. import style
from ..link_uses import link_name, link_use, mean_use

MISSING = "the model has no links"
NO_USE = 'use was not recorded: <output><table name="link_use"/></output>'
MOST_NODES = 32  # of a row; above that servers, then pods, then blocks of them are one node
SERVER_ROWS = {"nvswitch": 0, "host": 0, "storage": 0, "gpu": 1, "nic": 2}
FIRST_SWITCHES = 3  # the row of leaves
CONTROL = ("controller", "rail-controller", "scheduler")  # no part of the network, although messages reach them
PLURALS = {"nvswitch": "NVSwitches", "host": "hosts", "gpu": "GPUs", "nic": "NICs", "switch": "switches",
           "ocs": "optical switches", "storage": "storage servers"}
TIERS = ("leaf", "spine", "core")


def plural(kind, count=2):
    return kind if count == 1 else PLURALS.get(kind, f"{kind}s")


def rows_of_components(run):
    """Array: row of each component, from the servers up; -1: what is not drawn, controllers and what has no
    link."""
    kinds = run.components["kind"]
    row = kinds.map(SERVER_ROWS).fillna(-1).astype(int).to_numpy()
    near, far = run.links["from"].to_numpy(), run.links["to"].to_numpy()
    is_control = kinds.isin(CONTROL).to_numpy()
    near, far = (ends[~(is_control[near] | is_control[far])] for ends in (near, far))
    level = FIRST_SWITCHES - 1
    reached = row >= 0
    while True:
        step = far[reached[near] & ~reached[far]]
        if not len(step):
            return row
        level += 1
        row[step], reached[step] = level, True


def _row_name(row, kind):
    tier = row - FIRST_SWITCHES
    name = TIERS[tier] if 0 <= tier < len(TIERS) else f"tier {tier + 1}"
    return plural(kind) if tier < 0 else f"{name} {plural(kind)}"


def _numbered(keys):
    """Equal keys -> 0, 1, 2 ... in the order of their first."""
    found = {}
    return np.array([found.setdefault(key, len(found)) for key in keys])


def _blocks(groups):
    """At most MOST_NODES of neighbours, of the same number each."""
    return groups // -(-(groups.max() + 1) // MOST_NODES)


def _of_neighbours(ids, groups, near, far, wanted):
    """Groups with the same neighbours that are `wanted` become one."""
    inside = np.full(wanted.size, -1)
    inside[ids] = groups
    chosen = (inside[near] >= 0) & (wanted[far] >= 0)
    sets = pd.Series(wanted[far[chosen]]).groupby(inside[near[chosen]]).agg(frozenset)
    return _numbered([sets.get(group, group) for group in groups])


def node_of_components(run, row):
    """Array: drawn node of each component, -1 where none; nodes of a row and kind are consecutive."""
    kind, atom = run.components["kind"].to_numpy(), run.components["atom"].to_numpy()
    near, far = run.links["from"].to_numpy(), run.links["to"].to_numpy()
    node, count = np.full(len(row), -1), 0
    leaf = np.where(row == FIRST_SWITCHES, np.arange(len(row)), -1)
    servers = np.flatnonzero((row >= 0) & (row < FIRST_SWITCHES))
    of_atom = np.full(atom.max() + 1, -1)
    if len(servers):
        by_server = _numbered(atom[servers])
        if by_server.max() >= MOST_NODES:
            by_server = _of_neighbours(servers, by_server, near, far, leaf)
        of_atom[atom[servers]] = _blocks(by_server)
    are_many = run.components["kind"].iloc[servers].value_counts().gt(MOST_NODES).any()
    for level in range(row.max() + 1):
        for one in dict.fromkeys(kind[row == level]):
            ids = np.flatnonzero((row == level) & (kind == one))
            groups = np.arange(len(ids))
            if are_many and level < FIRST_SWITCHES:
                groups = _numbered(of_atom[atom[ids]])
            elif len(ids) > MOST_NODES:
                groups = _of_neighbours(ids, groups, near, far, np.where(row == level - 1, node, -1))
            groups = _blocks(groups)
            node[ids], count = count + groups, count + groups.max() + 1
    return node


def _names(run, node, row):
    """[{name, detail, row, count}] of nodes."""
    nodes = []
    for _, parts in run.components.assign(row=row)[node >= 0].groupby(node[node >= 0]):
        kind, names = parts["kind"].iloc[0], parts["name"]
        one = len(parts) == 1
        nodes.append({"name": names.iloc[0] if one else f"{len(parts)} {plural(kind)}",
                      "detail": "" if one else f"{names.iloc[0]} to {names.iloc[-1]}", "count": len(parts),
                      "row": int(parts["row"].iloc[0]), "kind": kind, "atom": int(parts["atom"].iloc[0])})
    return nodes


def _tier(level, nodes):
    """["4 NVSwitches", "4 hosts"] of a row."""
    counts = {}
    for one in nodes:
        if one["row"] == level:
            counts[one["kind"]] = counts.get(one["kind"], 0) + one["count"]
    return [f"{count:,} {_row_name(level, kind)}" if count > 1 else f"1 {kind}" for kind, count in counts.items()]


def _edges(run, node, mean):
    """[{a, b, class, cables, mean, busiest, link}]: all links between two nodes, both directions."""
    a, b = node[run.links["from"]], node[run.links["to"]]
    table = pd.DataFrame({"a": np.minimum(a, b), "b": np.maximum(a, b), "class": run.links["class"],
                          "link": run.links.index, "use": mean})
    table = table[(table["a"] >= 0) & (table["a"] != table["b"])]
    edges = []
    for (low, high, name), links in table.groupby(["a", "b", "class"], sort=True):
        busiest = links["use"].idxmax()
        edges.append({"a": int(low), "b": int(high), "class": name, "cables": -(-len(links) // 2),
                      "mean": float(links["use"].mean()), "busiest": float(links["use"].max()),
                      "link": link_name(run, busiest)})
    return edges


def _finding(run, mean, is_recorded):
    if not is_recorded:
        return f"{len(run.links) // 2:,} cables join {len(run.components):,} devices"
    by_end = (run.links["from_kind"] + " → " + run.links["to_kind"]).to_numpy()
    table = mean.groupby(by_end).agg(["mean", "max"]).sort_values("mean")
    name, row = table.index[-1], table.iloc[-1]
    return (f"Most used are links {name}: {100 * row['mean']:.0f} % of the time on average, the busiest "
            f"{100 * row['max']:.0f} %")


def section(run):
    if run.links.empty:
        return {"missing": MISSING}
    row = rows_of_components(run)
    node = node_of_components(run, row)
    use = link_use(run)
    mean = pd.Series(0.0, index=run.links.index)
    if not use.empty:
        mean.loc[use.index] = mean_use(run, use)
    nodes = _names(run, node, row)
    tiers = [{"row": int(level), "names": _tier(level, nodes)} for level in sorted(set(row)) if level >= 0]
    is_grouped = any(n["count"] > 1 for n in nodes)
    return {"title": _finding(run, mean, not use.empty),
            "detail": "a line is all links between two nodes, coloured by the use of its busiest direction over the run"
                      + ("; devices of servers, pods or blocks with the same neighbours are one node" if is_grouped
                         else ""),
            "tiers": tiers, "nodes": nodes, "edges": _edges(run, node, mean), "no_use": NO_USE if use.empty else "",
            "total": f"{style.format_bytes(run.tables['link_use']['size_bytes'].sum())} over all links"
                     if not use.empty else ""}
