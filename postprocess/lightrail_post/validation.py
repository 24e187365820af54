"""How far is the simulator from published measurements? The rows that tools/validate writes, a panel a
target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

COLUMNS = ["target", "row", "published", "simulated", "unit", "error_pct", "bound_pct", "ok"]
WITHIN, BEYOND = "#0072B2", "#D55E00"
COLUMN_COUNT = 6


def read_validation(path: str | Path) -> pd.DataFrame:
    """DataFrame of tools/validate's file, in the order of targets: a row a published figure; errors and
    bounds in per cent."""
    table = pd.read_csv(path)
    missing = [name for name in COLUMNS if name not in table]
    if missing or table.empty:
        raise ValueError(f"{path}: " + (f"no column {', '.join(missing)}" if missing else "no rows"))
    return table.iloc[sorted(range(len(table)),
                             key=lambda i: _place(table["target"].iloc[i]))].reset_index(drop=True)


def _place(target):
    """T2 comes before T10."""
    letters = target.rstrip("0123456789")
    return letters, int(target[len(letters):] or 0)


def validation_table(table: pd.DataFrame) -> pd.DataFrame:
    """DataFrame by target: rows, those beyond their bound, mean (geometric) and worst error [%]."""
    def summary(rows):
        ratio = (1 + rows["error_pct"] / 100).clip(lower=1e-3)
        return pd.Series({"rows": len(rows), "beyond": int((~rows["ok"]).sum()),
                          "mean_pct": 100 * (np.exp(np.log(ratio).abs().mean()) - 1),
                          "worst_pct": rows["error_pct"].abs().max()})
    found = table.groupby("target", sort=False)[["error_pct", "ok"]].apply(summary)
    return found.astype({"rows": int, "beyond": int})


def _panel(axes, name, rows):
    place = np.arange(1, len(rows) + 1)
    bound, limit = rows["bound_pct"], max(10,
                                          1.15 * max(rows["error_pct"].abs().max(), rows["bound_pct"].max()))
    axes.bar(place, 2 * bound, bottom=-bound, width=1, color="#E8EEF4", linewidth=0)
    axes.axhline(0, color="#888888", linewidth=0.8)
    axes.scatter(place, rows["error_pct"], s=14 if len(rows) < 60 else 3,
                 color=np.where(rows["ok"], WITHIN, BEYOND), zorder=3)
    axes.set_xlim(0.5, len(rows) + 0.5)
    axes.set_ylim(-limit, limit)
    axes.set_xticks([])
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    beyond = int((~rows["ok"]).sum())
    axes.set_title(f"{name}: {len(rows)} {'row' if len(rows) == 1 else 'rows'}"
                   + (f", {beyond} beyond" if beyond else ""), loc="left", fontsize=9)


def validation_panels(table: pd.DataFrame) -> Figure:
    """Figure: the error of every row of every target, its bound shaded, rows beyond it in another colour."""
    names = list(dict.fromkeys(table["target"]))
    lines = -(-len(names) // COLUMN_COUNT)
    figure, panels = plt.subplots(lines, COLUMN_COUNT, figsize=(15, 1.9 * lines + 1), layout="constrained",
                                  squeeze=False)
    for axes, name in zip(panels.flat, names):
        _panel(axes, name, table[table["target"] == name])
    for axes in panels.flat[len(names):]:
        axes.set_visible(False)
    for axes in panels[:, 0]:
        axes.set_ylabel("error [%]", fontsize=9)
    within = int(table["ok"].sum())
    figure.suptitle(f"Simulated against published: {within} of {len(table)} rows of {len(names)} targets within their bounds (shaded)",
                    x=0.01, ha="left", fontsize=13, fontweight="bold")
    return figure


def published_markdown(table):
    """Rows of read_validation() as a page has them: published, simulated, error."""
    def number(value, unit):
        return f"{value:.4g} {unit}" if unit != "1" else f"{value:.2f}"
    lines = ["| | published | simulated | error |", "|---|---|---|---|"]
    lines += [f"| {row['row']} | {number(row['published'], row['unit'])} | {number(row['simulated'], row['unit'])} | "
              f"{row['error_pct']:+.0f} % |" for _, row in table.iterrows()]
    return "\n".join(lines)


def published_bars(table):
    """Figure: published and simulated values side by side, a panel a target and unit, in the order of the
    rows. Rows without a unit (ratios) are left out."""
    shown = table[table["unit"] != "1"]
    panels = list(dict.fromkeys(zip(shown["target"], shown["unit"])))
    if not panels:
        raise ValueError("no row with a unit to draw")
    heights = [int(((shown["target"] == t) & (shown["unit"] == u)).sum()) + 1.2 for t, u in panels]
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(11, 0.5 * sum(heights) + 0.6), layout="constrained",
                                    squeeze=False, gridspec_kw={"height_ratios": heights})
    for axes, (target, unit) in zip(all_axes[:, 0], panels):
        rows = shown[(shown["target"] == target) & (shown["unit"] == unit)]
        place = np.arange(len(rows))[::-1]
        axes.barh(place + 0.19, rows["published"], 0.36, color="#999999", label="published")
        axes.barh(place - 0.19, rows["simulated"], 0.36, color=WITHIN, label="simulated")
        axes.set_yticks(place, rows["row"], fontsize=8)
        axes.set_xlabel(unit, fontsize=9)
        axes.set_title(target, loc="left", fontsize=10, fontweight="bold")
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(axis="x", labelsize=8)
    all_axes[0, 0].legend(frameon=False, fontsize=8, loc="lower right")
    return figure
