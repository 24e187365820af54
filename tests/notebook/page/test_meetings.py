"""What recorded GPUs communicated while a link was busy."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from lightrail_post import meetings
from lightrail_post.meetings import ANYWHERE, communications, place_of_links


def a_run(collectives=(), ops=()):
    """GPUs 0 and 1 in server 0, GPU 2 in server 1, GPU 3 in server 2; a switch, atom 3."""
    return SimpleNamespace(
        dimensions=["tp", "pp"], group_kinds=["world", "tp"],
        tables={"collectives": pd.DataFrame(collectives, columns=["gpu", "collective", "group", "size_bytes", "t_start_ps",
                                                                  "t_end_ps"]),
                "ops": pd.DataFrame(ops, columns=["gpu", "kind", "dimension", "t_start_ps", "t_end_ps"])},
        components=pd.DataFrame({"kind": ["gpu"] * 4 + ["switch"], "atom": [0, 0, 1, 2, 3]}),
        links=pd.DataFrame({"from": [0, 2, 4], "to": [1, 4, 4]}),
        endpoint_atoms=lambda: pd.Series([0, 0, 1, 2]))


def test_links_belong_to_the_servers_at_their_ends():
    assert place_of_links(a_run(), [0, 1, 2]) == [{0}, {1}, ANYWHERE]


def test_a_link_meets_what_the_gpus_of_its_server_were_in():
    """GPU 0 from 0 to 4, GPU 1 from 2 to 6: of [0, 8) six are covered; GPU 2 is elsewhere."""
    run = a_run([(0, "all_gather", 1, 1000, 0, 4), (1, "all_gather", 1, 1000, 2, 6)], [(2, "send", 1, 4, 8)])
    kinds, met = meetings.meetings(run, [frozenset({0}), frozenset({1}), ANYWHERE], np.array([0, 8, 16]))
    assert kinds == ["all_gather tp, 1 kB", "message pp"]
    assert met[frozenset({0})].tolist() == [[6 / 8, 0], [0, 0]]
    assert met[frozenset({1})].tolist() == [[0, 0], [4 / 8, 0]]
    assert met[ANYWHERE].tolist() == [[6 / 8, 0], [4 / 8, 0]]


def test_a_server_without_recorded_gpus_has_what_all_were_in():
    run = a_run([(0, "all_gather", 1, 1000, 0, 4)])
    kinds, met = meetings.meetings(run, [frozenset({2})], np.array([0, 8]))
    assert met[frozenset({2})].tolist() == [[0.5]]


def test_kernels_are_no_communication():
    assert communications(a_run(ops=[(0, "compute", -1, 0, 5)])).empty


def test_nothing_recorded_has_no_kinds():
    kinds, met = meetings.meetings(a_run(), [ANYWHERE], np.array([0, 8]))
    assert kinds == [] and met[ANYWHERE].shape == (0, 1)


def test_kinds_that_took_little_time_become_one(monkeypatch):
    monkeypatch.setattr(meetings, "MOST_KINDS", 1)
    rows = communications(a_run([(0, "all_gather", 1, 1000, 0, 9), (0, "all_gather", 1, 2000, 0, 2),
                                 (0, "all_reduce", 1, 1000, 0, 1)]))
    assert list(rows["what"]) == ["all_gather tp, 1 kB", "other communication", "other communication"]


def test_spans_of_a_real_step_are_all_there(run):
    rows, ops = communications(run), run.tables["ops"]
    assert len(rows) == len(run.tables["collectives"]) + ops["kind"].isin(["send", "recv"]).sum()
    assert (rows["t_end_ps"] - rows["t_start_ps"]).sum() == pytest.approx(
        (run.tables["collectives"]["t_end_ps"] - run.tables["collectives"]["t_start_ps"]).sum()
        + (ops["t_end_ps"] - ops["t_start_ps"])[ops["kind"].isin(["send", "recv"])].sum())
