"""Figure of the study of PXN: gains are of points that differ in nothing else, titles from the rows."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

from lightrail_post import pxn, studies
from lightrail_post.__main__ import main


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def row(step_s, **varied):
    return {**varied, "status": "complete", "step_time_ps": int(step_s * 1e12)}


def all_to_alls():
    return [row(s, servers=4, size=size, routing=routing, spine=spine, pxn=on)
            for size in ("4KiB", "256MiB") for routing in ("ecmp", "adaptive") for spine in (1, 4)
            for on, s in (("off", 1 + 0.5 * (spine == 4)), ("on", 1))]


def test_gains_compare_points_that_differ_in_pxn_alone(tmp_path):
    pd.DataFrame(all_to_alls() + [row(9, servers=30, size="4KiB", routing="ecmp", spine=1, pxn="off")]).to_csv(
        tmp_path / "t.csv", index=False)
    gains = pxn.pxn_gains(studies.read_study(tmp_path, "t"))
    assert len(gains) == 8 and set(gains["servers"]) == {4}
    assert gains[gains["spine"] == 4]["longer_pct"].tolist() == pytest.approx([50] * 4)


def test_the_picture_is_written_with_the_finding_of_its_rows(tmp_path):
    pd.DataFrame(all_to_alls()).to_csv(tmp_path / "pxn_all_to_all.csv", index=False)
    figure = pxn.pxn_all_to_all(studies.read_study(tmp_path, "pxn_all_to_all"))
    assert figure.axes[0].get_title(loc="left") == "4 servers: 0 to 50 % longer without PXN"
    assert len(figure.axes[0].lines) == 4
    assert main(["pxn", str(tmp_path), "--out", str(tmp_path / "made" / "pxn.png")]) == 0
    assert (tmp_path / "made" / "pxn.png").stat().st_size > 10_000


def test_no_table_is_no_error(tmp_path):
    assert "no study of" in pxn.pxn_all_to_all(studies.read_study(tmp_path, "a")).axes[0].texts[0].get_text()


def steps(gradients="bf16", with_pxn=0.9):
    """Of a layer 1 s, with PXN 0.9 s, and 2 s of the rest; half of it is exposed, with PXN a quarter."""
    return [row((2 + layers) if on == "off" else (2 + with_pxn * layers), tp=2, etp=etp, gradients=gradients,
                overlap=overlap, routing="ecmp", spine=1.5, layers=layers, pxn=on,
                exposed_communication_fraction=0.5 if on == "off" else 0.25)
            for etp in (0, 1) for overlap in ("off", "on") for layers in (2, 4) for on in ("off", "on")]


def test_steps_of_few_layers_are_continued(tmp_path):
    unpaired = row(9, tp=1, etp=1, gradients="bf16", overlap="off", routing="ecmp", spine=1.5, layers=2, pxn="on",
                   exposed_communication_fraction=0.1)
    pd.DataFrame([*steps(), unpaired]).to_csv(tmp_path / "t.csv", index=False)
    found = pxn.pxn_steps(studies.read_study(tmp_path, "t"))
    assert len(found) == 4 and set(found["tp"]) == {2}
    assert found["off_s"].tolist() == pytest.approx([34] * 4)
    assert found["on_s"].tolist() == pytest.approx([2 + 0.9 * 32] * 4)
    assert found["shorter_pct"].tolist() == pytest.approx([100 * 3.2 / 34] * 4)
    assert found["exposed_pct"].tolist() == pytest.approx([25] * 4)
    assert found["exposed_without_pct"].tolist() == pytest.approx([50] * 4)


def test_the_picture_of_steps_has_the_finding_of_its_rows(tmp_path):
    pd.DataFrame(steps() + steps("fp32", with_pxn=0.5)).to_csv(tmp_path / "pxn_step.csv", index=False)
    both = pxn.pxn_steps(studies.read_study(tmp_path, "pxn_step")).groupby("gradients")["shorter_pct"].mean()
    assert both.to_dict() == pytest.approx({"bf16": 100 * 3.2 / 34, "fp32": 100 * 16 / 34})
    figure = pxn.pxn_step(studies.read_study(tmp_path, "pxn_step"))
    assert figure.axes[0].get_title(loc="left") == "Without overlap PXN takes off up to 9 %"
    assert len(figure.axes) == 4 and [len(axes.patches) for axes in figure.axes] == [3, 3, 3, 3]
    assert main(["pxn", str(tmp_path), "--steps", "--out", str(tmp_path / "step.png")]) == 0
    assert (tmp_path / "step.png").stat().st_size > 10_000
    assert "no study of" in pxn.pxn_step(studies.read_study(tmp_path, "none")).axes[0].texts[0].get_text()
