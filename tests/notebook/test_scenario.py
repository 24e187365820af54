"""Scenarios built in Python are those that one would write, and what the program does not know is refused."""

from pathlib import Path

import lightrail_post as post
import pytest

WRITTEN = Path(__file__).resolve().parents[1] / "mpi" / "scenarios" / "sweep.xml"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def built():
    """What tests/mpi/scenarios/sweep.xml says."""
    scenario = post.Scenario("built")
    scenario.variable(name="servers", value=2)
    scenario.variable(name="length", value="2 m")
    server = scenario.cluster(servers="${servers}").server(gpus=2, nics=2)
    server.gpu(catalogue="gpus/h100_sxm")
    server.nvswitch(catalogue="nvswitches/nvswitch_gen3")
    server.nic(catalogue="nics/connectx7_400g")
    server.link(role="nvlink", catalogue="links/nvlink4")
    server.link(role="pcie", catalogue="links/pcie_gen5_x16")
    fabric = scenario.fabric(kind="single-switch")
    fabric.switch(catalogue="switches/qm9700")
    fabric.link(role="host", catalogue="links/ndr_copper", length="${length}")
    scenario.workload(kind="collective", collective="all-reduce", from_="1 MB", to="4 MB", repeats=4)
    return scenario


def test_a_built_scenario_gives_what_a_written_one_gives():
    run = post.run(built(), servers=4)
    assert run.path == Path("built.h5") and Path("built.xml").exists()
    written = post.run(WRITTEN, out="written.h5", servers=4)
    assert run.info["hash"] == written.info["hash"]


def test_a_built_scenario_is_swept():
    study = post.sweep(built(), jobs=2, servers=[2, 3])
    assert study["servers"].tolist() == [2, 3] and set(study["status"]) == {"complete"}
    assert sorted(path.name for path in Path("built.sweep").glob("*.csv"))[0] == "built.csv"
    assert len(post.sweep(built(), servers=[4])) == 1  # another <sweep>, not a second one


def test_what_is_unknown_or_no_choice_is_refused_with_what_is_near():
    scenario = post.Scenario("x")
    with pytest.raises(AttributeError, match="no element 'clster' \\(did you mean 'cluster'\\?\\)"):
        scenario.clster()
    with pytest.raises(AttributeError, match="no element 'ethernet-swich' \\(did you mean 'ethernet-switch'\\?\\)"):
        scenario.add("ethernet-swich")
    with pytest.raises(ValueError, match="<server> has no attribute 'gpu' \\(did you mean 'gpus'\\?\\)"):
        scenario.cluster().server(gpu=2)
    with pytest.raises(ValueError, match="<run> attribute 'detail': 'train' is none of .*did you mean 'trains'"):
        scenario.run(detail="train")
    assert not hasattr(scenario, "nothing")


def test_attributes_are_set_and_taken_away():
    workload = post.Scenario("x").workload(kind="training", micro_batch=1, overlap_experts=True)
    workload.set(micro_batch=None, kind="${kind}")
    assert dict(workload._node.attrib) == {"kind": "${kind}", "overlap-experts": "on"}
    assert post.Scenario("x").fabric().ethernet_switch()._node.tag == "ethernet-switch"


def test_a_file_that_somebody_wrote_is_not_overwritten():
    Path("x.xml").write_text("<scenario/>")
    with pytest.raises(FileExistsError, match="x.xml is there"):
        post.Scenario("x").write()
    assert post.Scenario("x").write("y.xml").read_text().endswith('<scenario name="x" />\n')
    post.Scenario("x").write("y.xml")
