"""Tiers from the table of links, and few enough nodes to be drawn."""

import numpy as np
import pytest

from lightrail_post.page import topology


def test_tiers_are_told_by_the_way_from_the_servers(run):
    data = topology.section(run)
    assert [tier["names"] for tier in data["tiers"]] == [
        ["2 NVSwitches", "2 hosts"], ["16 GPUs"], ["16 NICs"], ["8 leaf switches"], ["4 spine switches"]]


def test_every_link_is_in_one_line(run):
    data = topology.section(run)
    assert sum(edge["cables"] for edge in data["edges"]) == len(run.links) // 2
    busiest = max(edge["busiest"] for edge in data["edges"])
    assert busiest == pytest.approx(run.tables["link_use"].groupby("link")["t_busy_ps"].sum().max()
                                    / run.info["sim_end_ps"])


def test_many_devices_become_one_node_by_server_then_by_their_leaves(run, monkeypatch):
    row = topology.rows_of_components(run)
    gpus = (run.components["kind"] == "gpu").to_numpy()

    def nodes_of_gpus(most):
        monkeypatch.setattr(topology, "MOST_NODES", most)
        return topology.node_of_components(run, row)[gpus]

    assert len(set(nodes_of_gpus(16))) == 16
    by_server = nodes_of_gpus(15)
    assert len(set(by_server)) == 2 and (np.diff(run.components["atom"][gpus]) == np.diff(by_server)).all()
    assert len(set(nodes_of_gpus(1))) == 1  # both servers are on the same leaves


def test_blocks_have_the_same_number_each(monkeypatch):
    monkeypatch.setattr(topology, "MOST_NODES", 32)
    assert np.bincount(topology._blocks(np.arange(40))).tolist() == [2] * 20


def test_controllers_are_no_switches(run):
    """Although they have links of their own."""
    run.components = run.components.copy()
    run.components.loc[run.components["name"] == "spine0", "kind"] = "controller"
    data = topology.section(run)
    assert [tier["names"] for tier in data["tiers"]][-1] == ["3 spine switches"]


def test_what_has_no_link_is_not_drawn(run):
    run.components = run.components.copy()
    run.components.loc[len(run.components)] = {"id": len(run.components), "kind": "scheduler", "name": "s", "atom": 0,
                                               "spec": 0, "number": 0}
    row = topology.rows_of_components(run)
    assert row[-1] == -1 and topology.node_of_components(run, row)[-1] == -1
