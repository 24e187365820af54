"""Times that spans of time cover."""

import numpy as np


def covered(start, end, edges):
    """How long at least one of the spans lasts in each bin between the edges, in the unit of the times."""
    if len(start) == 0:
        return np.zeros(len(edges) - 1)
    order = np.argsort(start, kind="stable")
    start, end = np.asarray(start)[order], np.maximum.accumulate(np.asarray(end)[order])
    start = np.maximum(start, np.concatenate([start[:1], end[:-1]]))  # what an earlier span covers is its
    # Time covered before each edge: spans that ended, and the one that lasts.
    total = np.concatenate([[0], np.cumsum(np.maximum(end - start, 0))])
    begun = np.searchsorted(start, edges, side="right")
    beyond = np.maximum(end[np.maximum(begun - 1, 0)] - edges, 0) * (begun > 0)
    return np.diff(total[begun] - beyond)


def added_up(start, end, edges):
    """How long the spans last in each bin between the edges, two at a time twice as long."""
    total = np.zeros(len(edges))
    for times, sign in ((np.sort(start), 1), (np.sort(end), -1)):
        before = np.searchsorted(times, edges, side="right")
        total += sign * (before * edges - np.concatenate([[0], np.cumsum(times)])[before])
    return np.diff(total)
