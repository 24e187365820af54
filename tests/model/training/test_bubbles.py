#!/usr/bin/python3
"""Pipelines idle as long as the publications of their schedules say, in whole steps of the simulator.

usage: test_bubbles.py LIGHTRAIL CONFIGS

F, I and W are the kernels of a chunk's forward pass, of its gradient of the input and of its weights, as the
run itself has them; B = I + W is the whole backward pass. Stages are equal, messages short beside passes. A
run idles (end of the last pass) - (kernels of a stage); in 1F1B the table `exposed` says so of the first
stage:

  1F1B      (p - 1)(F + B)               Narayanan et al., SC'21
  ZB-H1     (p - 1)(F + B - 2 W)         Qi et al., ICLR 2024; in DeepSeek-V3's table 2 as ZB1P
  DualPipe  (p/2 - 1)(F&B + B - 3 W)     DeepSeek-V3, arXiv 2412.19437, table 2, where F = I

F&B is the time of a forward and a backward pass of two directions that run together. Nothing is there to be
hidden, so it is F + B: kernels take turns, whoever overlaps. The table counts F = I. With passes of unequal
length the published order (deepseek-ai/DualPipe) idles less by min(F, (p/2 - 1)(I - F)) where F < I, more by
(p/2 - 1)(F - I) where F > I.
"""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

LIGHTRAIL, CONFIGS = sys.argv[1:3]
SCENARIO = """<scenario name="test">
  <cluster servers="1">
    <server gpus="{stages}" nics="0">
      <gpu catalogue="gpus/h100_sxm" memory="20 TB" point-sms="0" collective-memory="0"/>
      <nvswitch catalogue="nvswitches/nvswitch_gen3" port-rate="36 Tb/s"/>
      <link role="nvlink" catalogue="links/nvlink4" rate-per-link="206 GB/s"/>
    </server>
  </cluster>
  <fabric kind="none"/>
  <nccl catalogue="nccl/nccl_2_21"/>
  <network mtu="4 KiB" grain="16" nvlink-grain="64"/>
  <workload kind="training" pp="{stages}" schedule="{schedule}" sequence="{sequence}" global-batch="{micro_batches}">
    <model layers="{layers}" hidden="{hidden}" heads="32" ffn="{ffn}" vocabulary="128"/>
  </workload>
  <output interval="100 s"><table name="ops" gpus="all"/></output>
</scenario>"""
# name: sequence, hidden, ffn, layers of a stage. Products: F = I = W but for norms; attention: I = 2.5 F, no
# W.
MODELS = {"products": (2048, 8192, 65536, 8), "attention": (32768, 2048, 2048, 8)}
COMPUTE, MARKER = 0, 8


def passes_of(rows, names):
    """({marker: kernel time [ps] up to the next one}, end of the last pass [ps]) of one GPU's rows."""
    times, end, current = {}, 0, None
    for i in np.argsort(rows["op"]):
        if rows["kind"][i] == MARKER:
            current = names[rows["name"][i]].decode()
            if current == "gradients":
                break
            times[current] = 0
        elif rows["kind"][i] == COMPUTE and current:
            times[current] += int(rows["t_end_ps"][i] - rows["t_start_ps"][i])
            end = max(end, int(rows["t_end_ps"][i]))
    return times, end


def run(folder, schedule, stages, micro_batches, model):
    """Passes of a middle stage as passes_of() has them, how long the pipeline idles and how much of the first
    stage's time the table `exposed` calls bubble [ps]."""
    sequence, hidden, ffn, layers = MODELS[model]
    path = folder / "test.xml"
    path.write_text(SCENARIO.format(stages=stages, schedule=schedule, micro_batches=micro_batches,
                                    sequence=sequence, hidden=hidden, ffn=ffn, layers=layers * stages))
    done = subprocess.run([LIGHTRAIL, "run", path, "--out", folder / "test.h5", "--progress", "none",
                           "--catalogue", CONFIGS], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    with h5py.File(folder / "test.h5") as file:
        names = file["names"][:]
        ops = {name: column[:] for name, column in file["tables/ops"].items()}
        rows = {name: column[:] for name, column in file["tables/exposed"].items()}
        uses = [use.decode() for use in file["tables/exposed/use"].attrs["labels"]]
    bubble = rows["time_ps"][(rows["gpu"] == 0) & (rows["use"] == uses.index("bubble"))].sum()
    stage = [passes_of({n: c[ops["gpu"] == gpu] for n, c in ops.items()}, names) for gpu in range(stages)]
    times, _ = stage[1]
    return times, max(end for _, end in stage) - sum(times.values()), bubble


def published(schedule, p, F, I, W):
    B = I + W
    if schedule == "1f1b":
        return (p - 1) * (F + B)
    if schedule == "zb-h1":
        return (p - 1) * (F + B - 2 * W)
    both = F + B
    return (p // 2 - 1) * (both + B - 3 * W) - min(F, (p // 2 - 1) * (I - F))


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for model in MODELS:
            for p in (4, 8):
                for m in (2 * p, 2 * p + 6):
                    passes, *_ = run(folder, "zb-h1", p, m, model)
                    F, I, W = (passes[name] for name in ("forward 0", "input gradient 0",
                                                         "weight gradient 0"))
                    assert W < I and F < I, (F, I, W)
                    for schedule in ("1f1b", "zb-h1", "dualpipe"):
                        passes, idle, bubble = run(folder, schedule, p, m, model)
                        work, wanted = m * (F + I + W), published(schedule, p, F, I, W)
                        print(f"{model}, {p} stages, {m} micro-batches, {schedule}: {idle * 1e-9:.2f} ms, published {wanted * 1e-9:.2f} ms")
                        assert abs(sum(passes.values()) / work - 1) < 1e-5, (sum(passes.values()), work)
                        # What is more is messages on their way between stages.
                        assert 0 <= idle - wanted < 0.02 * wanted, (model, p, m, schedule)
                        # The first stage begins first and, in 1F1B, ends last: it waits for all of that.
                        if schedule == "1f1b":
                            assert abs(bubble / wanted - 1) < 0.02, (model, p, m, bubble, wanted)


if __name__ == "__main__":
    main()
