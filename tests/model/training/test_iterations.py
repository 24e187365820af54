#!/usr/bin/python3
"""Where the load of experts drifts over the iterations of a run, each iteration is the step that begins at
its micro-batch.

usage: test_iterations.py LIGHTRAIL CONFIGS

A step of two micro-batches whose kernels and exchanges of experts go by the gate. Iteration i of one run is
held against a run of its own with first-micro-batch = 2 i: the same bytes, and the same times of all
operations to the picosecond.
"""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

LIGHTRAIL, CONFIGS = sys.argv[1:3]
SCENARIO = """<scenario name="test">
  <cluster servers="1"><server catalogue="servers/dgx_h100"/></cluster>
  <nccl catalogue="nccl/nccl_2_21" algorithm="ring" fold-rings="on"/>
  <network mtu="4 KiB" grain="16" nvlink-grain="256"/>
  {workload}
  <output interval="100 s"><table name="ops" gpus="all"/></output>
</scenario>"""
TRAINING = """<workload kind="training" host="none" global-batch="16" sequence="512" ep="8" uneven-experts="on" capacity-factor="1.5" iterations="{iterations}">
    <model layers="2" hidden="512" heads="8" kv-heads="4" ffn="1024" vocabulary="1000" experts="8" active-experts="2"/>
    <gate zipf="1.2" seed="3" drift="0.3" {gate}/>
  </workload>"""


def command(folder, *words):
    done = subprocess.run([LIGHTRAIL, *map(str, words), "--catalogue", CONFIGS], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def run(folder, workload):
    """(steps, ops) as dictionaries of arrays."""
    path = folder / "test.xml"
    path.write_text(SCENARIO.format(workload=workload))
    command(folder, "run", path, "--out", folder / "test.h5", "--progress", "none")
    with h5py.File(folder / "test.h5") as file:
        return [{name: column[:] for name, column in file["tables"][table].items()}
                for table in ("steps", "ops")]


def of(table, iteration):
    """Rows of an iteration, in one order."""
    kept = {name: column[table["iteration"] == iteration] for name, column in table.items()}
    order = np.lexsort([kept[name] for name in ("op", "stream", "gpu") if name in kept])
    return {name: column[order] for name, column in kept.items()}


def times(rows):
    return rows["t_end_ps"] - rows["t_start_ps"]


def each_iteration_is_its_own_step(folder):
    steps, ops = run(folder, TRAINING.format(iterations=3, gate='over-iterations="on"'))
    durations = []
    for i in range(3):
        alone_steps, alone_ops = run(folder,
                                     TRAINING.format(iterations=1, gate=f'first-micro-batch="{2 * i}"'))
        begin = of(steps, i)["t_start_ps"]
        assert len(set(begin)) == 1, begin  # rings are folded: no GPU is ahead of the others
        here, there = of(ops, i), of(alone_ops, 0)
        for column in ("gpu", "stream", "op", "kind", "dimension", "size_bytes"):
            assert (here[column] == there[column]).all(), (i, column)
        for column in ("t_start_ps", "t_end_ps"):
            assert (here[column] - begin[0] == there[column]).all(), (i, column)
        durations.append([int(s["t_end_ps"].max() - s["t_start_ps"].min())
                          for s in (of(steps, i), of(alone_steps, 0))])
        assert durations[-1][0] == durations[-1][1], durations
    assert len({a for a, _ in durations}) == 3, durations  # the load has moved
    print("steps of", ", ".join(f"{a} ps" for a, _ in durations))


def a_trace_has_every_iteration(folder):
    expected = run(folder, TRAINING.format(iterations=3, gate='over-iterations="on"'))[1]
    command(folder, "trace", "generate", folder / "test.xml", "--out", folder / "trace.h5")
    replayed = run(folder, '<workload kind="trace" file="trace.h5"/>')[1]
    for i in range(3):
        a, b = of(expected, i), of(replayed, i)
        for column in ("gpu", "stream", "op", "size_bytes", "t_start_ps", "t_end_ps"):
            assert (a[column] == b[column]).all(), (i, column)


def otherwise_iterations_are_alike(folder):
    _, ops = run(folder, TRAINING.format(iterations=2, gate=""))
    first, second = of(ops, 0), of(ops, 1)
    assert (times(first) == times(second)).all() and (first["size_bytes"] == second["size_bytes"]).all()


def main():
    for test in (each_iteration_is_its_own_step, a_trace_has_every_iteration, otherwise_iterations_are_alike):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
        print(test.__name__)


if __name__ == "__main__":
    main()
