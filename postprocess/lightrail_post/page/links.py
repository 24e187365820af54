"""Use of named links over time, and what met on them."""

import numpy as np
import pandas as pd

from .. import style
from ..link_uses import interval_edges, link_classes, link_name, link_use, links_finding, mean_use
from ..meetings import meetings, place_of_links

MISSING = 'no use of links was recorded: <output><table name="link_use"/></output>, which is on by default'
NO_MEETINGS = ("what met on a link is not known: neither collectives nor operations were recorded "
               '(<table name="collectives" gpus="all"/>, <table name="ops" gpus="all"/>)')
NO_TRAFFIC = 'whose traffic a link carried needs <output><table name="link_traffic"/></output>'
MOST_COLUMNS = 240
NAMED_ROWS, BLOCKS = 40, 20  # of a class of links
MOST_CLASSES = 12
PARTS = 1000  # of a share: it is kept as a whole number of tenths of a per cent


def _columns(run, use):
    """(edges [ps], use) with at most MOST_COLUMNS intervals: neighbours are put together by their length."""
    edges = interval_edges(run, use.shape[1])
    each = -(-use.shape[1] // MOST_COLUMNS)
    starts = np.arange(0, use.shape[1], each)
    busy = np.add.reduceat(use.to_numpy() * np.diff(edges), starts, axis=1)
    kept = np.append(edges[starts], edges[-1])
    return kept, pd.DataFrame(busy / np.diff(kept), index=use.index)


def _rows_of(run, name, frame):
    """[(row for the page, link ids)] of a class, the busiest first: single links, then blocks of links of
    similar use."""
    def row(ids):
        text = link_name(run, ids[0])
        return {"name": text if len(ids) == 1 else f"{len(ids)} links, the busiest {text}", "class": name,
                "links": len(ids)}

    single = [[link] for link in frame.index[:NAMED_ROWS]]
    rest = frame.index[NAMED_ROWS:]
    blocks = [block for block in np.array_split(rest, min(BLOCKS, len(rest)))] if len(rest) else []
    return [(row(ids), list(ids)) for ids in [*single, *blocks]]


def _tell_apart(run, rows):
    """Cables side by side by their port."""
    names = [row["name"] for row, _ in rows]
    for row, ids in rows:
        if names.count(row["name"]) > 1:
            row["name"] += f", port {run.links.loc[ids[0], 'from_port']}"


def _carried(run, rows, edges):
    """Whose traffic: labels, and arrays place (row x columns + column), label and bytes, ordered by place.
    None without the table link_traffic. Rows of one link alone."""
    table = run.tables["link_traffic"] if "link_traffic" in run.tables else pd.DataFrame()
    if table.empty:
        return None
    row_of = pd.Series({ids[0]: i for i, (_, ids) in enumerate(rows) if len(ids) == 1})
    table = table[table["link"].isin(row_of.index)]
    group = table["group"].to_numpy()
    names = np.array([*run.group_kinds, "no group"], dtype=object)
    label = names[np.where(group >= 0, group, len(run.group_kinds))] + ", " + \
        table["traffic"].astype(object).str.replace("_", " ").to_numpy()
    column = np.searchsorted(edges, table["interval"].to_numpy() * run.info["interval_ps"], side="right") - 1
    codes, labels = pd.factorize(label)
    sums = pd.DataFrame({"place": row_of.loc[table["link"]].to_numpy() * (len(edges) - 1) + column, "label": codes,
                         "bytes": table["size_bytes"].to_numpy()}).groupby(["place", "label"]).sum().reset_index()
    return {"labels": list(labels), **{name: sums[name].to_numpy() for name in ("place", "label", "bytes")}}


def _shares(array):
    return np.rint(PARTS * np.clip(array, 0, 1)).astype(np.uint16)


def section(run):
    whole = link_use(run)
    if whole.empty:
        return {"missing": MISSING}
    edges, use = _columns(run, whole)
    classes = link_classes(run, whole)
    rows = [row for name, frame in classes[:MOST_CLASSES] for row in _rows_of(run, name, frame)]
    values = np.array([use.loc[ids].max(axis=0).to_numpy() for _, ids in rows])
    mean = mean_use(run, whole)
    places = place_of_links(run, [ids[0] for _, ids in rows])
    kinds, met = meetings(run, places, edges)
    _tell_apart(run, rows)
    order = list(met)
    for (row, ids), place in zip(rows, places):
        row["place"], row["use"] = order.index(place), float(mean[ids[0]])
    each = -(-whole.shape[1] // MOST_COLUMNS)
    together = f", {each} recording intervals a column" if each > 1 else ""
    left_out = len(classes) - MOST_CLASSES
    return {
        "title": links_finding(run, whole),
        "detail": f"{len(whole):,} directed links that carried data; by what they join the {NAMED_ROWS} busiest by "
                  f"name, others in blocks of similar use as their busiest{together}"
                  + (f"; {left_out} kinds of links are left out" if left_out > 0 else ""),
        "edges": edges, "rows": [row for row, _ in rows], "values": _shares(values), "parts": PARTS,
        "kinds": kinds, "met": [_shares(met[place]) for place in order],
        "where": ["" if place else "all recorded GPUs" for place in order],
        "no_meetings": "" if kinds else NO_MEETINGS,
        "carried": _carried(run, rows, edges), "no_carried": NO_TRAFFIC,
        "interval": style.format_time(run.info["interval_ps"]),
    }
