"""Renders the figures of a run into a folder."""

from pathlib import Path

import matplotlib

from . import style
from .breakdown import step_breakdown
from .link_uses import link_use_heatmap
from .time_uses import time_use_bars
from .timelines import timeline
from .traffic import traffic_by_dimension, traffic_matrix

FIGURES = {
    "timeline": timeline, "step_breakdown": step_breakdown, "time_use": time_use_bars,
    "link_use": link_use_heatmap,
    "traffic_matrix": traffic_matrix, "traffic_by_dimension": traffic_by_dimension,
}


def report(run, folder):
    """Writes one PNG a figure into `folder`, which is made. Returns the paths."""
    matplotlib.use("Agg")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in FIGURES.items():
        figure = draw(run)
        path = folder / f"{name}.png"
        figure.savefig(path, dpi=130)
        style.plt.close(figure)
        written.append(path)
    return written
