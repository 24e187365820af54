"""Figure of the study scenarios/sweeps/fold.xml: folded steps against whole ones."""

from .style import new_figure, nothing, set_title

CASES = {(0, 0): ("dense", "#0072B2", "-"), (0, 0.02): ("dense, drawn times", "#0072B2", "--"),
         (8, 0): ("experts", "#D55E00", "-"), (8, 0.02): ("experts, drawn times", "#D55E00", "--")}


def fold_errors(table):
    """Of every folded step of the study, `error` [%] and `gain` (how many times fewer events) against the
    whole one, by experts, jitter, gpus and fold; the DataFrame of studies.read_study() -> DataFrame."""
    keys = ["experts", "jitter", "gpus"]
    whole = table[table["fold"] == 1].set_index(keys)
    folded = table[table["fold"] > 1].copy()
    rows = whole.reindex(folded.set_index(keys).index)
    folded["error"] = 100 * (folded["step_s"].values / rows["step_s"].values - 1)
    folded["gain"] = rows["events"].values / folded["events"].values
    return folded.dropna(subset=["error"])[[*keys, "fold", "error", "gain"]].reset_index(drop=True)


def fold(table):
    """Error of folded steps over the number of GPUs, a line for each model, variation and fold; the study's
    DataFrame (studies.read_study()) -> Figure, whose title is computed from the rows."""
    errors = fold_errors(table) if not table.empty else table
    if errors.empty:
        return nothing("no study of folded steps")
    figure, axes = new_figure(8.5, 4.4)
    for case, rows in errors.groupby(["experts", "jitter", "fold"]):
        label, colour, line = CASES[case[:2]]
        last = rows.sort_values("gpus")
        axes.plot(last["gpus"], last["error"], line, color=colour, marker="os^v"[int(case[2]).bit_length() % 4],
                  label=f"{label}, fold {case[2]:g} ({last['gain'].iloc[-1]:.1f} times fewer events)")
    axes.axhline(0, color="#999999", linewidth=0.8)
    ticks = sorted(errors["gpus"].unique())
    axes.set(xscale="log", xlabel="GPUs", ylabel="folded step against the whole one [%]")
    axes.set_xticks(ticks, [f"{gpus:,}" for gpus in ticks])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=8)
    worst = errors.loc[errors["error"].abs().idxmax()]
    set_title(axes, f"A folded step is {worst['error']:+.2f} % off the whole one at most, at "
                    f"{worst['gpus']:,.0f} GPUs", f"{len(errors)} folded steps; PP 2, at 10,240 GPUs TP 8 and PP 4; micro-batches of 512 tokens")
    return figure
