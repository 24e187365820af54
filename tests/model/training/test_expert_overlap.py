#!/usr/bin/python3
"""Exchanges of experts' tokens that overlap cost their time once in a step, not once a micro-batch.

usage: test_expert_overlap.py LIGHTRAIL CONFIGS

A step of m micro-batches and L layers has 4 L m exchanges of X each, all of them exposed without overlap:
4 L m X. With overlap-experts="on" the first forward pass and the last backward pass have nobody to run beside,
2 L exchanges each; every other one lies beside kernels of another micro-batch that take longer than it
(hidden 4096, feed-forward 8192, over an NVLink that is fast). So 4 L X are left, whatever m is. Collectives
take no multiprocessors and no memory bandwidth here, so kernels are as fast beside them, and the step is
shorter by what is hidden.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

LIGHTRAIL, CONFIGS = sys.argv[1:3]
LAYERS = 3
SCENARIO = """<scenario name="test">
  <cluster servers="1">
    <server gpus="4" nics="0">
      <gpu catalogue="gpus/h100_sxm" point-sms="0" collective-sms="0" collective-memory="0"/>
      <nvswitch catalogue="nvswitches/nvswitch_gen3"/>
      <link role="nvlink" catalogue="links/nvlink4"/>
    </server>
  </cluster>
  <fabric kind="none"/>
  <nccl catalogue="nccl/nccl_2_21"/>
  <network mtu="4 KiB" grain="16" nvlink-grain="64"/>
  <workload kind="training" ep="4" sequence="4096" global-batch="{batch}" overlap-experts="{overlap}" host="none"
            gradients="bf16">
    <model layers="{layers}" hidden="4096" heads="32" kv-heads="8" ffn="8192" gated="on" vocabulary="32000" experts="8"
           active-experts="2"/>
  </workload>
</scenario>"""


def run(folder, micro_batches, overlap):
    """(step, exposed time of the exchanges) [ps]"""
    path = folder / "test.xml"
    path.write_text(SCENARIO.format(batch=4 * micro_batches, overlap=overlap, layers=LAYERS))
    done = subprocess.run([LIGHTRAIL, "run", path, "--out", folder / "test.h5", "--progress", "none", "--catalogue",
                           CONFIGS, "--summary", folder / "test.json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((folder / "test.json").read_text())
    exposed = sum(row["time_ps"] for row in summary["exposed"] if row["dimension"] == "ep") / 4  # of four GPUs
    return summary["step_time_ps"], exposed


def close(value, expected, share):
    assert abs(value - expected) <= share * expected, f"{value:.6g} for {expected:.6g}"


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for micro_batches in (2, 4, 7):
        step, exposed = run(folder, micro_batches, "off")
        overlapped, left = run(folder, micro_batches, "on")
        one = exposed / (4 * LAYERS * micro_batches)
        print(f"{micro_batches} micro-batches: an exchange takes {one * 1e-6:.1f} us; exposed {exposed * 1e-9:.3f} -> "
              f"{left * 1e-9:.3f} ms, step {step * 1e-9:.3f} -> {overlapped * 1e-9:.3f} ms")
        close(left, 4 * LAYERS * one, 0.01)
        close(step - overlapped, exposed - left, 0.01)
