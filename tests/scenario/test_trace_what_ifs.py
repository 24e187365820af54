#!/usr/bin/python3
"""What-ifs on a captured trace, each against what can be worked out by hand.

usage: test_trace_what_ifs.py LIGHTRAIL CONFIGS

Four ranks in two groups of two, each six times: a product of 100 us, an all-reduce of 32 MB, a copy of 60 us,
and a CPU that takes 700 us between launches. So the capture is bound by its CPUs.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import h5py

LIGHTRAIL, CONFIGS = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
TIMES, GAP_US, PRODUCT_US, COPY_US, BYTES = 6, 700, 100, 60, 32_000_000
SCENARIO = """<scenario name="what_if">
  <variable name="gpus" value="all"/>
  <variable name="gpu" value="h100_sxm"/>
  <variable name="host_scale" value="1"/>
  <variable name="rate" value="400 Gb/s"/>
  <variable name="algorithm" value="auto"/>
  <cluster servers="2">
    <server catalogue="servers/dgx_h100" gpus="2" nics="2"><gpu catalogue="gpus/${gpu}"/></server>
  </cluster>
  <fabric kind="rail-optimised" tiers="2">
    <switch catalogue="switches/qm9700"/>
    <link role="host" catalogue="links/ndr_copper" rate="${rate}"/>
    <link role="trunk" catalogue="links/ndr_dr4" length="30 m" rate="${rate}"/>
  </fabric>
  <nccl catalogue="nccl/nccl_2_21" algorithm="${algorithm}"/>
  <workload kind="trace" format="kineto" files="rank*.json" gpus="${gpus}" host-scale="${host_scale}">
    <recorded-on><gpu catalogue="gpus/h100_sxm"/></recorded-on>
  </workload>
  <output><table name="ops" gpus="all"/><table name="collectives" gpus="all"/></output>
</scenario>"""


def trace(rank):
    events, cpu, gpu = [], 1000.0, 0.0
    group = {"Group size": 2, "Process Group Name": str(1 + rank // 2), "Process Group Description": "tp",
             "Process Group Ranks": str([rank // 2 * 2, rank // 2 * 2 + 1])}

    def launch(name, duration, stream, **args):
        nonlocal cpu, gpu
        correlation = len(events) + 1
        start = max(cpu + 5, gpu)
        gpu = start + duration
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": cpu,
                       "dur": 4, "args": {"correlation": correlation}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start, "dur": duration,
                       "args": {"correlation": correlation, "stream": stream, "device": 0, **args}})
        cpu += GAP_US

    for _ in range(TIMES):
        launch("sm90_xmma_gemm_bf16", PRODUCT_US, 7)
        launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 400, 7,
               **{"Collective name": "allreduce", "dtype": "BFloat16", "In msg nelems": BYTES // 2,
                  "Out msg nelems": BYTES // 2, **group})
        launch("vectorized_elementwise_kernel", COPY_US, 7)
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 4},
            "traceEvents": events}


def labels(column):
    return [label.decode() if isinstance(label, bytes) else label for label in column.attrs["labels"]]


class Result:
    """Step, sum of the kernels and of the collectives of the first rank [us], and the collectives' algorithm."""

    def __init__(self, folder, name, **settings):
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        out = folder / f"{name}.h5"
        done = subprocess.run([LIGHTRAIL, "run", folder / "s.xml", "--out", out, "--progress", "none", "--catalogue",
                               CONFIGS, "--summary", folder / f"{name}.json", *words], capture_output=True, text=True,
                              timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        self.step = json.loads((folder / f"{name}.json").read_text())["step_time_ps"] * 1e-6
        with h5py.File(out) as file:
            table = file["tables/collectives"]
            first = table["gpu"][:] == table["gpu"][:].min()
            self.collectives = (table["t_end_ps"][:] - table["t_start_ps"][:])[first].sum() * 1e-6
            assert first.sum() == TIMES
            self.algorithm = labels(table["algorithm"])[table["algorithm"][0]]
            ops = file["tables/ops"]
            mine = (ops["gpu"][:] == ops["gpu"][:].min()) & (ops["kind"][:] == labels(ops["kind"]).index("compute"))
            self.kernels = sorted((ops["t_end_ps"][:] - ops["t_start_ps"][:])[mine] * 1e-6)
            assert len(self.kernels) == 2 * TIMES, len(self.kernels)


def close(what, value, wanted, share):
    print(f"{what}: {value:.4g} (worked out: {wanted:.4g})")
    assert abs(value - wanted) <= share * abs(wanted), f"{what}: {value:.6g} for {wanted:.6g}"


def roofs(gpu):
    """(products, memory) of a catalogue entry, per second."""
    units = {"TFLOP/s": 1e12, "PFLOP/s": 1e15, "GB/s": 1e9, "TB/s": 1e12}
    root = ET.parse(pathlib.Path(CONFIGS) / "gpus" / f"{gpu}.xml").getroot()
    number = lambda text: float(text.split()[0]) * units[text.split()[1]]
    product = next(g for g in root.findall("gemm") if g.get("dtype", "bf16") == "bf16")
    return (number(product.get("peak")) * float(product.get("efficiency")),
            number(root.get("memory-bandwidth")) * float(root.find("memory-kernel").get("efficiency")))


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "s.xml").write_text(SCENARIO)
    for rank in range(4):
        (folder / f"rank{rank}.json").write_text(json.dumps(trace(rank)))

    captured = Result(folder, "captured")
    launches = 3 * TIMES - 1
    close("captured, bound by CPUs", captured.step, launches * GAP_US + 5 + COPY_US, 0.02)
    fast = Result(folder, "fast_hosts", host_scale=0.5)
    close("hosts twice as fast", captured.step - fast.step, launches * GAP_US / 2, 0.02)
    free = Result(folder, "free_hosts", host_scale=0)
    close("no gaps of launches", free.step, sum(free.kernels) + free.collectives, 1e-3)
    close("kernels as captured", sum(free.kernels), TIMES * (PRODUCT_US + COPY_US), 1e-6)

    other = Result(folder, "a100", host_scale=0, gpu="a100_sxm_80gb")
    (products, memory), (others_products, others_memory) = roofs("h100_sxm"), roofs("a100_sxm_80gb")
    close("another GPU: copies", other.kernels[0], COPY_US * memory / others_memory, 1e-3)
    close("another GPU: products", other.kernels[-1], PRODUCT_US * products / others_products, 1e-3)

    apart = Result(folder, "apart", host_scale=0, gpus="0,2,1,3")
    line_us = BYTES / 48e3  # 0.96 of 400 Gb/s; of two ranks each sends half of the buffer twice
    assert apart.collectives > 2 * free.collectives, "over the fabric, not NVLink"
    assert apart.collectives >= TIMES * line_us
    half = Result(folder, "half_rate", host_scale=0, gpus="0,2,1,3", rate="200 Gb/s")
    close("links at half the rate", half.collectives - apart.collectives, TIMES * line_us, 0.01)
    assert half.step - apart.step > 0.9 * TIMES * line_us
    near = Result(folder, "near_half_rate", host_scale=0, rate="200 Gb/s")
    close("links that nothing crosses", near.step, free.step, 1e-9)

    ring = Result(folder, "ring", host_scale=0, gpus="0,2,1,3", algorithm="ring")
    tree = Result(folder, "tree", host_scale=0, gpus="0,2,1,3", algorithm="tree")
    assert (ring.algorithm, tree.algorithm) == ("ring", "tree"), (ring.algorithm, tree.algorithm)
    assert tree.collectives != ring.collectives
    assert tree.collectives >= TIMES * line_us

    # The scenario of docs/traces.md, word for word: the same captured step, and free hosts.
    lines = (pathlib.Path(CONFIGS).parent / "docs/traces.md").read_text().split("\n")
    first = lines.index('    <scenario name="replay">')
    text = "\n".join(lines[first:lines.index("    </scenario>", first) + 1])
    (folder / "replay.xml").write_text(text)
    call = lambda *words: subprocess.run([LIGHTRAIL, *words], cwd=folder, capture_output=True, text=True,
                                         timeout=300)
    done = call("trace", "import", *sorted(path.name for path in folder.glob("rank*.json")), "--out", "t.h5")
    assert done.returncode == 0, done.stdout + done.stderr
    for scale, wanted in ((1, captured.step), (0, None)):
        done = call("run", "replay.xml", "--catalogue", str(pathlib.Path(CONFIGS).resolve()), "--set", "gpus=4",
                    "--set", f"host_scale={scale}", "--set", "recorded=gpus/h100_sxm", "--set",
                    "server=servers/dgx_h100", "--out", "replay.h5", "--progress", "none", "--summary",
                    "replay.json")
        assert done.returncode == 0, done.stdout + done.stderr
        step = json.loads((folder / "replay.json").read_text())["step_time_ps"] * 1e-6
        if wanted:
            close("docs/traces.md, replayed", step, wanted, 0.02)
        else:
            assert step < captured.step / 3
    done = call("explain", "replay.h5")
    assert done.returncode == 0 and "critical path" in done.stdout, done.stdout + done.stderr
