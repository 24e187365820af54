"""What is counted over time beside operations: bytes that come in at GPUs, use of links by class."""

import numpy as np

from .link_uses import interval_edges, link_use

LINKS_PROCESS = 1 << 30  # beside the GPUs, whose process is their endpoint id
MOST_STEPS = 1000


def received_rate(messages, edges_ps):
    """Bytes a second that came in, between those times; of each message evenly from its first byte to its
    last."""
    start = messages["t_start_ps"].to_numpy(np.float64)
    end = np.maximum(messages["t_end_ps"].to_numpy(np.float64), start + 1)
    size = messages["size_bytes"].to_numpy(np.float64)
    rate = size / (end - start)
    # Bytes up to a time: of those begun what they would have sent by now, less that of those ended.
    total = np.zeros(len(edges_ps))
    for times, sign in ((start, 1), (end, -1)):
        order = np.argsort(times, kind="stable")
        slopes = np.concatenate([[0], np.cumsum(rate[order])])
        offsets = np.concatenate([[0], np.cumsum(rate[order] * times[order])])
        before = np.searchsorted(times[order], edges_ps, side="right")
        total += sign * (slopes[before] * edges_ps - offsets[before])
    return np.maximum(np.diff(total), 0) / np.diff(edges_ps) * 1e12


def _event(process, name, at_ps, values):
    return {"ph": "C", "name": name, "pid": int(process), "ts": at_ps / 1e6,
            "args": {key: round(float(value), 3) for key, value in values.items()}}


def counters(run, gpus=None, span_ps=None):
    """Counter events. A GPU: payload that comes in [GB/s]; a class of links: mean and largest use [%]."""
    messages = run.tables["messages"]
    if gpus is not None:
        messages = messages[messages["to"].isin(gpus)]
    if not messages.empty:
        low, high = span_ps or (messages["t_start_ps"].min(), messages["t_end_ps"].max())
        edges = np.linspace(low, max(high, low + 1), MOST_STEPS + 1)
        for gpu, mine in messages.groupby("to"):
            rates = received_rate(mine, edges) * 1e-9
            changed = np.flatnonzero(np.diff(np.concatenate([[-1.0], rates])))
            for i in changed:
                yield _event(gpu, "receives [GB/s]", edges[i], {"GB/s": rates[i]})
    use = link_use(run)
    if use.empty:
        return
    edges = interval_edges(run, use.shape[1])
    links = run.links.loc[use.index]
    label = (links["from_kind"] + " → " + links["to_kind"] + ", " + links["class"]).to_numpy()
    for name, part in use.groupby(label):
        for i in range(use.shape[1]):
            if span_ps is None or span_ps[0] <= edges[i + 1] and edges[i] <= span_ps[1]:
                yield _event(LINKS_PROCESS, f"{name} [%]", edges[i],
                             {"mean": 100 * part[i].mean(), "largest": 100 * part[i].max()})
