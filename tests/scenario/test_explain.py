#!/usr/bin/python3
"""`lightrail explain`: what it says of a result is what the tables of the result say.

usage: test_explain.py LIGHTRAIL TRAINING

TRAINING: a small step with pipeline and expert parallelism, GPUs of unequal speed, two iterations. Everything
is computed here once more, from the tables and the members of groups as the scenario has them.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
from collections import defaultdict

import h5py
import numpy as np

LIGHTRAIL, TRAINING = sys.argv[1:3]


def call(*words):
    done = subprocess.run([LIGHTRAIL, *map(str, words)], text=True, capture_output=True, timeout=300,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run(folder, name, *options):
    """A result in which every GPU's collectives and operations are recorded."""
    text = pathlib.Path(TRAINING).read_text()
    old = '<output interval="100 us"/>'
    workload = '<workload kind="training"'
    assert old in text and workload in text
    text = text.replace(workload, workload + ' host="none"')  # links and not launches take the time
    (folder / "s.xml").write_text(
        text.replace(old, '<output interval="100 us"><table name="collectives" gpus="all"/>'
                          '<table name="ops" gpus="all"/></output>'))
    call("run", folder / "s.xml", "--out", folder / f"{name}.h5", "--progress", "none", *options)
    return folder / f"{name}.h5"


def table(file, name):
    return {column: values[:] for column, values in file[f"tables/{name}"].items()}


def the_step_adds_up(file, told):
    """Of every GPU and iteration to the picosecond; what is told is the last one."""
    steps, rows = table(file, "steps"), table(file, "exposed")
    uses = [text.decode() for text in file["tables/exposed/use"].attrs["labels"]]
    for gpu, iteration, start, end, compute in zip(*(steps[c] for c in (
            "gpu", "iteration", "t_start_ps", "t_end_ps", "t_compute_ps"))):
        mine = (rows["gpu"] == gpu) & (rows["iteration"] == iteration)
        assert rows["time_ps"][mine].sum() == end - start, (gpu, iteration)
        assert rows["time_ps"][mine & (rows["use"] == uses.index("compute"))].sum() == compute
    last = steps["iteration"].max()
    assert told["iteration"] == last == 1 and told["gpus"] == 16
    in_last = rows["iteration"] == last
    for part in told["parts"]:
        of_it = in_last & (rows["use"] == uses.index(part["use"]))
        if part["dimension"]:
            dimensions = [name.decode() for name in file["dimensions"][:]]
            of_it &= rows["dimension"] == dimensions.index(part["dimension"])
        if part["group"]:
            groups = [name.decode() for name in file["model/group_kinds/name"][:]]
            of_it &= rows["group"] == groups.index(part["group"])
        assert part["time_ps"] == rows["time_ps"][of_it].sum() > 0, part
    assert sum(part["time_ps"] for part in told["parts"]) == told["gpu_time_ps"]
    labels = [part["label"] for part in told["parts"]]
    assert {"compute", "ep", "pp", "pp bubble"} <= set(labels), labels
    # Two stages of eight GPUs; what all lose is what both lose.
    assert [role["gpus"] for role in told["roles"]] == [8, 8], told["roles"]
    for place, part in enumerate(told["parts"]):
        assert sum(role["parts_ps"][place] for role in told["roles"]) == part["time_ps"]
    for role in told["roles"]:
        assert sum(role["parts_ps"]) == role["gpu_time_ps"]
    # The eight ranks of ep are the GPUs of the same place in both servers.
    ranks = [rank for rank in told["ranks"] if rank["group"] == "ep"]
    assert [rank["index"] for rank in ranks] == list(range(8)) and {rank["gpus"] for rank in ranks} == {2}
    for rank in ranks:
        mine = in_last & (rows["gpu"] % 8 == rank["index"])
        assert sum(rank["parts_ps"]) == rank["gpu_time_ps"] == rows["time_ps"][mine].sum()
        assert rank["parts_ps"][labels.index("compute")] == rows["time_ps"][mine & (rows["use"] == 0)].sum()


def the_summary_says_the_same(file, told):
    summary = {name: values[:] for name, values in file["summary/exposed"].items()}
    last = summary["iteration"] == told["iteration"]
    assert sorted(summary["time_ps"][last]) == sorted(part["time_ps"] for part in told["parts"])


def the_slowest_collectives_are_the_slowest(file, told):
    """Groups: ep are eight neighbours, dp and others as their name's members say; by brute force."""
    rows = table(file, "collectives")
    groups = [name.decode() for name in file["model/group_kinds/name"][:]]
    ep = groups.index("ep")
    instances = defaultdict(list)  # (first member, place) -> (start, gpu, end)
    for gpu in range(16):
        mine = np.flatnonzero((rows["gpu"] == gpu) & (rows["group"] == ep))
        for place, row in enumerate(mine[np.argsort(rows["t_start_ps"][mine])]):
            instances[gpu // 8 * 8, place].append((rows["t_start_ps"][row], gpu, rows["t_end_ps"][row]))
    expected = sorted((-(max(end for _, _, end in rows) - min(rows)[0]), min(rows)[0], first, place)
                      for (first, place), rows in instances.items())
    told = [c for c in told if c["group"] == "ep"]
    assert told
    found = [(-(c["t_end_ps"] - c["t_start_ps"]), c["t_start_ps"], c["first_member"], c["place"])
             for c in told]
    assert found == expected[:len(found)], (found, expected[:len(found)])
    for c in told:
        members = sorted(instances[c["first_member"], c["place"]])
        latest = members[-1][0]
        assert c["recorded"] == c["members"] == len(members) == 8
        assert c["last"] == f"gpu{min(gpu for start, gpu, _ in members if start == latest)}"
        assert c["late_ps"] == latest - members[0][0]
        assert c["after_others_ps"] == latest - members[-2][0]
    # GPU 3 is slow, by more than the spread of the others.
    assert [c["last"] for c in told if c["first_member"] == 0].count("gpu3") > 0, told


def the_busiest_links_are_the_busiest(file, told):
    rows = table(file, "link_use")
    busy = np.bincount(rows["link"], rows["t_busy_ps"])
    order = sorted(range(len(busy)), key=lambda link: (-busy[link], link))[:10]
    assert [link["link"] for link in told["links"]] == order
    names = [name.decode() for name in file["model/components/name"][:]]
    ends = [(names[file["model/links/from"][link]], names[file["model/links/to"][link]]) for link in order]
    assert [link["name"] for link in told["links"]] == [f"{a} -> {b}" for a, b in ends]
    end = file["run"].attrs["sim_end_ps"]
    for link in told["links"]:
        assert abs(link["share"] - busy[link["link"]] / end) < 1e-12
        assert link["share"] <= link["peak_share"] + 1e-12
        assert all(0 < met["share"] <= 1 for met in link["met"])
    # Gradients and parameters move most.
    assert any(met["what"] == "reduce_scatter dp" for link in told["links"] for met in link["met"]), told["links"]
    assert sum(kind["links"] for kind in told["link_kinds"]) == np.count_nonzero(np.bincount(rows["link"]))


def what_limits_when(file, told):
    """The busiest link of each interval, and that dimensions are those of the groups; by brute force."""
    rows, length = table(file, "link_use"), file["run"].attrs["interval_ps"]
    end = file["run"].attrs["sim_end_ps"]
    best = {}
    for link, interval, busy in zip(rows["link"], rows["interval"], rows["t_busy_ps"]):
        best[interval] = min(best.get(interval, (0, 0)), (-busy, link))
    assert told["limits"] == sorted(told["limits"], key=lambda span: span["peak_start_ps"])
    assert 0 < len(told["limits"]) <= 10
    for span in told["limits"]:
        inside = [i for i in best if span["peak_start_ps"] <= i * length < span["peak_end_ps"]]
        assert {best[i][1] for i in inside} == {span["link"]}
        assert sum(-best[i][0] for i in inside) == span["busy_ps"]
        assert all(5 * -best[i][0] >= min(length, end - i * length) for i in inside)
    shortest = min(span["busy_ps"] for span in told["limits"])
    assert max(-busy for busy, _ in best.values()) <= max(span["busy_ps"] for span in told["limits"])
    assert len(told["limits"]) == 10 or shortest > 0
    met = {(met["what"], met["dimension"]) for span in told["limits"] + told["links"] for met in span["met"]}
    assert {("all_to_all ep", "ep"), ("message pp", "pp")} <= met, met


def differences_add_up(before, after):
    told = json.loads(call("explain", before, after, "--json"))
    change = sum(part["change_ps"] for part in told["parts"])
    means = [told[step]["gpu_time_ps"] / told[step]["gpus"] for step in ("step_before", "step_after")]
    assert abs(change - (means[1] - means[0])) < 1, (change, means)
    assert change != 0
    assert told["inputs"] == [{"what": "seed", "before": "1", "after": "2"}], told["inputs"]
    same = json.loads(call("explain", before, before, "--json"))
    assert same["inputs"] == [] and all(part["change_ps"] == 0 for part in same["parts"])
    text = call("explain", before, after)
    assert "what differs in the input\n  seed: 1 -> 2\n" in text, text


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    result = run(folder, "a")
    explained = json.loads(call("explain", result, "--json"))
    with h5py.File(result) as file:
        the_step_adds_up(file, explained["step"])
        the_summary_says_the_same(file, explained["step"])
        the_slowest_collectives_are_the_slowest(file, explained["collectives"])
        the_busiest_links_are_the_busiest(file, explained)
        what_limits_when(file, explained)
    text = call("explain", result)
    for wanted in ("step 1 of 16 GPUs: ", "pp bubble", "by role [% of its time]", "busiest links", "which link limits when",
                   "slowest collectives", "what it rests on"):
        assert wanted in text, (wanted, text)
    differences_add_up(result, run(folder, "b", "--seed", "2"))
