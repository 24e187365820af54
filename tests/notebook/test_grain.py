"""The study of trains: errors of a cell against packet level, and which bounds they exceed."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post.__main__ import main
from lightrail_post.grain import counts, grain_study, grain_table, markdown, read_markdown

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/grain.md"


def a_run(file, ends, step, events=100, kind="recv"):
    """A run whose operations start at 0."""
    count = len(ends)
    ops = pd.DataFrame({"kind": [kind] * count, "t_start_ps": 0, "t_end_ps": ends})
    messages = pd.DataFrame({"t_start_ps": 5, "t_end_ps": ends})
    return SimpleNamespace(path=Path(f"{file}.h5"), tables={"ops": ops, "messages": messages},
                           info={"events": events}, summary={"step_time_ps": step})


PACKETS = a_run("incast_1.packets", [1000, 2000, 4000], 5000, 800)


def test_errors_are_of_the_distribution_and_bounds_that_are_exceeded_are_named():
    # The median changes by 4 %, the 99th percentile (0.02 of the median, 0.98 of the longest) by 0.04 %.
    row = grain_table([PACKETS, a_run("incast_1.trains", [1000, 2080, 4000], 5100)]).loc["incast 1"]
    assert row["step_pct"] == pytest.approx(2)
    assert row["median_pct"] == pytest.approx(4)
    assert row["p99_pct"] == pytest.approx(100 * 0.02 * 80 / 3960)
    assert row["fewer_events"] == 8
    assert row["beyond"] == "step time, median message time"


def test_messages_that_swap_their_places_are_no_error():
    row = grain_table([PACKETS, a_run("incast_1.trains", [2000, 1000, 4000], 5000)]).loc["incast 1"]
    assert (row["step_pct"], row["median_pct"], row["p99_pct"], row["beyond"]) == (0, 0, 0, "")


def test_a_run_without_receives_is_judged_by_the_ends_of_its_messages():
    runs = [a_run(f"x.{k}", [1000, end, 9000], 9000, kind="compute") for k, end in (("packets", 2000), ("trains", 3000))]
    assert grain_table(runs).loc["x"]["median_pct"] == pytest.approx(50)


def test_a_cell_without_packet_level_or_with_other_messages_is_refused():
    with pytest.raises(ValueError, match="there is no incast_1.packets.h5 to compare with"):
        grain_table([a_run("incast_1.trains", [1], 1)])
    with pytest.raises(ValueError, match="2 message times, 3 at packet level"):
        grain_table([PACKETS, a_run("incast_1.trains", [1, 2], 1)])
    with pytest.raises(ValueError, match="no file is called CELL.trains.h5"):
        grain_table([PACKETS])


def test_pairs_of_a_seed_are_compared_and_their_interval_of_confidence_is_given():
    runs = [a_run(f"x.{kind}.{seed}", [end], step)
            for kind, seed, end, step in (("packets", 1, 900, 980), ("packets", 2, 1100, 1020),
                                          ("trains", 1, 1100, 1020), ("trains", 2, 900, 990))]
    row = grain_table(runs).loc["x"]
    # 1020 / 980 and 990 / 1020; t = 12.706 of two values, whose standard error is half their difference.
    first, second = 100 * (1020 / 980 - 1), 100 * (990 / 1020 - 1)
    assert row["step_pct"] == pytest.approx((first + second) / 2)
    assert row["step_ci_pct"] == pytest.approx(12.706 * (first - second) / 2)
    assert row["spread_pct"] == pytest.approx(2.828, abs=1e-3)  # 20 sqrt(2) of 1,000
    assert "| 2.83 % |" in markdown(grain_table(runs))


@pytest.mark.parametrize(("steps", "beyond", "undecided"), [
    ((1015, 1016, 1014, 1015), "step time", ""),  # 1.5 %, +- 0.13
    ((1011, 1014, 1008, 1010), "", "step time"),  # 1.08 %, +- 0.40
    ((1002, 1003, 1001, 1002), "", ""),
    ((985, 984, 986, 985), "step time", ""),  # faster is an error too
])
def test_a_bound_is_exceeded_by_an_interval_and_undecided_within_it(steps, beyond, undecided):
    runs = [a_run(f"x.{kind}.{seed}", [100], step if kind == "trains" else 1000)
            for seed, step in enumerate(steps) for kind in ("packets", "trains")]
    row = grain_table(runs).loc["x"]
    assert (row["beyond"], row["undecided"]) == (beyond, undecided)
    assert ("undecided: step time" in markdown(grain_table(runs))) == (undecided != "")
    figure, _ = grain_study(runs)
    count = f"{int(beyond != '')} of 1 cells beyond a bound" + (", 1 undecided" if undecided else "")
    assert figure._suptitle.get_text().endswith(count)
    plt.close("all")


def test_a_seed_without_packet_level_is_refused():
    with pytest.raises(ValueError, match="there is no x.packets.2.h5 to compare with"):
        grain_table([a_run(f"x.{name}", [1], 1) for name in ("packets.1", "trains.1", "trains.2")])


def test_the_figure_and_the_table_say_how_many_cells_keep_their_bounds():
    figure, table = grain_study([PACKETS, a_run("incast_1.trains", [1000, 2000, 4000], 5100)])
    assert figure._suptitle.get_text().endswith("1 of 1 cells beyond a bound")
    assert "| incast 1 | 1 | +2.00 % | +0.00 % | +0.00 % |  | 8.0 | step time |" in markdown(table)
    plt.close("all")


# Step +1.5 %, +- 0.13: beyond. Median +3.1 %, +- 0.33: undecided.
def test_a_cell_that_is_beyond_one_bound_and_undecided_at_another_is_counted_once():
    steps, medians = (1015, 1016, 1014, 1015), (1030, 1033, 1028, 1033)
    runs = [a_run(f"x.{kind}.{seed}", [end if kind == "trains" else 1000], step if kind == "trains" else 1000)
            for seed, (step, end) in enumerate(zip(steps, medians)) for kind in ("packets", "trains")]
    figure, table = grain_study(runs)
    row = table.loc["x"]
    assert (row["beyond"], row["undecided"]) == ("step time", "median message time")
    assert counts(table) == (1, 0)
    assert figure._suptitle.get_text().endswith("1 of 1 cells beyond a bound")
    plt.close("all")


def test_a_table_is_read_back_with_its_two_decimals():
    runs = [a_run(f"{cell}.{kind}.{seed}", [100], step if kind == "trains" else 1000) for cell, steps in
            (("beyond", (1015, 1016)), ("within", (1000, 1001)), ("open", (1011, 1014))) for seed, step in enumerate(steps)
            for kind in ("packets", "trains")]
    for table in (grain_table(runs), grain_table([PACKETS, a_run("incast_1.trains", [1000, 2080, 4000], 5100)])):
        text = "# Words\n\n" + markdown(table) + "\n\nmore | words\n"
        pd.testing.assert_frame_equal(read_markdown(text), table, check_dtype=False, rtol=0, atol=0.051)
        assert markdown(read_markdown(text)) == markdown(table)


def test_a_document_without_a_table_or_beside_another_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no table of cells"):
        read_markdown("| cell |\n|---|\n| x |\n")
    with pytest.raises(ValueError, match="a document stands alone"):
        main(["grain", str(DOCUMENT), str(DOCUMENT), "--out", str(tmp_path / "x.png")])


def test_the_document_s_words_agree_with_its_table(tmp_path, capsys):
    table = read_markdown(DOCUMENT.read_text())
    beyond, undecided = counts(table)
    assert (f"Of {len(table)} cells {len(table) - beyond - undecided} keep all bounds, {beyond} exceed one for certain "
            f"and {undecided} are undecided still") in " ".join(DOCUMENT.read_text().split())
    main(["grain", str(DOCUMENT), "--out", str(tmp_path / "figures/grain.png")])
    assert (tmp_path / "figures/grain.png").stat().st_size > 0
    assert "permutation static" in capsys.readouterr().out
    plt.close("all")
