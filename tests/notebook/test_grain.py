"""The study of train sizes: errors against packet level, by message and of the distribution, and the gain."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post.grain import grain_study, grain_table


def a_run(grain, ends, step, events, wall_s, name="grain_toy", kind="recv"):
    """A run whose operations start at 0."""
    count = len(ends)
    ops = pd.DataFrame({"component": 0, "iteration": 0, "op": range(count), "kind": kind, "t_start_ps": 0,
                        "t_end_ps": ends})
    collectives = pd.DataFrame({"component": range(count), "group": 1, "collective": "all_to_all",
                                "t_start_ps": 0, "t_end_ps": ends})
    scenario = f'<scenario name="{name}"><fabric routing="static"/><network grain="{grain}"/></scenario>'
    return SimpleNamespace(path=Path(f"{name}-{grain}.h5"), scenario_xml=scenario,
                           tables={"ops": ops, "collectives": collectives},
                           info={"events": events, "wall_s": wall_s}, summary={"step_time_ps": step})


PACKET = a_run(1, [1000, 2000, 4000], 5000, 8000, 6.0)


def test_errors_are_against_packet_level_and_the_fastest_repetition_counts():
    # Each: 10 %, 0 %, 5 %. The median of all stays 2000, the step changes by 2 %.
    table = grain_table([PACKET, a_run(16, [1100, 2000, 4200], 5100, 1000, 3.0),
                         a_run(16, [1100, 2000, 4200], 5100, 1000, 1.5)])
    row = table.loc["toy, static", 16]
    assert row["each_median_pct"] == pytest.approx(5)
    assert row["of_median_pct"] == 0
    assert row["step_pct"] == pytest.approx(2)
    assert (row["fewer_events"], row["faster"]) == (8, 4)


def test_messages_that_swap_their_places_differ_each_but_not_together():
    row = grain_table([PACKET, a_run(16, [2000, 1000, 4000], 5000, 1000, 1.0)]).loc["toy, static", 16]
    assert row["each_median_pct"] == pytest.approx(50)
    assert (row["of_median_pct"], row["of_p99_pct"]) == (0, 0)


def test_a_run_without_receives_is_judged_by_its_all_to_alls():
    runs = [a_run(g, [1000, 2000, end], 5000, 10, 1.0, kind="compute") for g, end in ((1, 4000), (8, 5000))]
    assert grain_table(runs).loc["toy, static", 8]["each_p99_pct"] == pytest.approx(24.5)  # 25 x 0.98


def test_a_study_without_packet_level_or_with_other_messages_is_refused():
    with pytest.raises(ValueError, match="'toy, static' has no run of grain 1"):
        grain_table([a_run(16, [1], 1, 1, 1.0)])
    with pytest.raises(ValueError, match="2 completion times, 3 at packet level"):
        grain_table([PACKET, a_run(16, [1, 2], 1, 1, 1.0)])


def test_the_figure_says_what_the_default_grain_costs_and_brings():
    figure, _ = grain_study([PACKET, a_run(16, [1100, 2000, 4200], 5100, 1000, 1.5)])
    assert figure._suptitle.get_text().startswith("Trains of 16 packets: step times within 2 %, 8 to 8 times fewer events")
    assert [axes.get_xlabel() for axes in figure.axes] == ["packets in a train (4 KiB each)"] * 3
    plt.close("all")
