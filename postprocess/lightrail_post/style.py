"""One look for all figures: colours that colour-blind readers tell apart (Okabe and Ito), units, titles."""

import matplotlib.pyplot as plt
import numpy as np

COMPUTE, EXPOSED, IDLE, REST = "#0072B2", "#D55E00", "#DDDDDD", "#F4F4F4"
# By kind of operation; collectives take the colour of their parallel dimension.
KIND_COLOURS = {
    "compute": COMPUTE, "host": "#CCCCCC", "collective": "#E69F00", "send": "#009E73", "recv": "#56B4E9",
    "storage_read": "#CC79A7", "storage_write": "#CC79A7", "host_copy": "#F0E442", "marker": "#000000",
}
DIMENSION_COLOURS = ["#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"]


def dimension_colour(run, name):
    """Of a parallel dimension by its place in the run; of what is none, that after the last one."""
    place = run.dimensions.index(name) if name in run.dimensions else len(run.dimensions)
    return DIMENSION_COLOURS[place % len(DIMENSION_COLOURS)]


def new_figure(width, height):
    figure, axes = plt.subplots(figsize=(width, height), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def set_title(axes, finding, detail=""):
    """The finding in bold; below it what is shown."""
    axes.set_title(finding, loc="left", fontsize=12, fontweight="bold", pad=22 if detail else 6)
    axes.annotate(detail, (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points", fontsize=9,
                  color="#444444", va="bottom", annotation_clip=False)


def time_unit(span_ps):
    """(divisor, unit) that give numbers of one to four digits."""
    for divisor, unit in ((1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns")):
        if span_ps >= divisor:
            return divisor, unit
    return 1.0, "ps"


def format_time(ps):
    divisor, unit = time_unit(abs(ps))
    return f"{ps / divisor:.3g} {unit}" if abs(ps) < 1e3 * divisor else f"{ps / divisor:,.0f} {unit}"


def byte_unit(size):
    for divisor, unit in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= divisor:
            return divisor, unit
    return 1.0, "B"


def format_bytes(size):
    divisor, unit = byte_unit(size)
    return f"{size / divisor:.3g} {unit}"


def format_energy(joules):
    for divisor, unit in ((1e9, "GJ"), (1e6, "MJ"), (1e3, "kJ")):
        if joules >= divisor:
            return f"{joules / divisor:.4g} {unit}"
    return f"{joules:.4g} J"


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole and np.isfinite(whole) else "0 %"


def nothing(text):
    """A figure that says why there is nothing to draw."""
    figure, axes = new_figure(8, 2)
    axes.axis("off")
    axes.text(0.5, 0.5, text, ha="center", va="center", fontsize=11)
    return figure
