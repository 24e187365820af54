#!/usr/bin/python3
"""Traces of expert parallelism, of 8 and of 64 ranks: what every pair exchanges arrives to the byte, and 1, 2
and 4 MPI ranks of the simulator give one answer.

usage: test_expert_trace.py LIGHTRAIL

The traces are made here as PyTorch's profiler writes them: two layers, each with a dispatch, the experts'
kernel and a combine, in expert groups of 8 ranks. Of layer l, member f gives member t tokens(l, f, t) rows of
256 half-precision numbers, and the combine gives them back. One member of each group gives and takes nothing
in layer 1.
"""
import json
import pathlib
import sys
import tempfile

import h5py

from run_equivalence import differences, run

ROW, EXPERTS, LAYERS = 256, 8, 2


def tokens(layer, giver, taker):
    if layer == 1 and 3 in (giver, taker):
        return 0
    return (5 * giver + 3 * taker + 7 * layer) % 13 + (40 if taker == layer else 0)  # one busy expert a layer


def trace(rank, ranks):
    members = [rank // EXPERTS * EXPERTS + i for i in range(EXPERTS)]
    me = rank % EXPERTS
    group = {"Group size": EXPERTS, "Process Group Name": str(1 + rank // EXPERTS),
             "Process Group Description": "ep", "Process Group Ranks": str(members)}
    events, now, correlation = [], 1000.0 + rank, 0

    def launch(name, duration, stream, **args):
        nonlocal now, correlation
        correlation += 1
        for category, event, start, length, more in (
                ("cuda_runtime", "cudaLaunchKernel", now, 4, {}),
                ("kernel", name, now + 10, duration, {"stream": stream, "device": 0, **args})):
            events.append({"ph": "X", "cat": category, "name": event, "pid": 1, "tid": 1, "ts": start, "dur": length,
                           "args": {"correlation": correlation, **more}})
        now += 12

    def exchange(give, take):
        nonlocal now
        args = {"Collective name": "all_to_allv", "dtype": "BFloat16", "In msg nelems": ROW * sum(give),
                "Out msg nelems": ROW * sum(take), "In split size": str(give), "Out split size": str(take), **group}
        events.append({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1, "ts": now - 1,
                       "dur": 8, "args": {**args, "Rank": rank}})
        if sum(give) + sum(take) > 0:
            launch("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 25, 20, **args)
        else:
            now += 12

    for layer in range(LAYERS):
        given = [tokens(layer, me, t) for t in range(EXPERTS)]
        taken = [tokens(layer, f, me) for f in range(EXPERTS)]
        exchange(given, taken)
        launch("grouped_gemm_bf16", 10 + sum(taken) / 8, 7)
        exchange(taken, given)
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks},
            "traceEvents": events}


def scenario(ranks):
    return f"""<scenario name="experts">
  <cluster servers="{ranks // 4}"><server catalogue="servers/dgx_h100" gpus="4" nics="4"/></cluster>
  <fabric kind="rail-optimised" tiers="2">
    <switch catalogue="switches/qm9700"/>
    <link role="host" catalogue="links/ndr_copper"/>
    <link role="trunk" catalogue="links/ndr_dr4" length="30 m"/>
  </fabric>
  <workload kind="trace" format="kineto" files="rank*.json"/>
  <output><table name="traffic_matrix" gpus="all"/><table name="ops" gpus="all"/></output>
</scenario>"""


def wanted(ranks):
    """{(from, to): bytes} between different GPUs."""
    pairs = {}
    for first in range(0, ranks, EXPERTS):
        for f in range(EXPERTS):
            for t in range(EXPERTS):
                total = sum(tokens(layer, f, t) + tokens(layer, t, f) for layer in range(LAYERS)) * ROW * 2
                if f != t and total > 0:
                    pairs[first + f, first + t] = total
    return pairs


def found(file):
    with h5py.File(file) as result:
        table = result["tables/traffic_matrix"]
        rows = zip(*(table[name][:] for name in ("from", "to", "size_bytes")))
        return {(int(f), int(t)): int(n) for f, t, n in rows if f != t}


def check(lightrail, ranks, folder):
    for rank in range(ranks):
        (folder / f"rank{rank}.json").write_text(json.dumps(trace(rank, ranks)))
    (folder / "s.xml").write_text(scenario(ranks))
    first, first_file = run(lightrail, folder / "s.xml", folder, "one", 1, [])
    problems = []
    pairs, right = found(first_file), wanted(ranks)
    for pair in sorted(set(pairs) | set(right)):
        if pairs.get(pair, 0) != right.get(pair, 0):
            problems.append(f"{ranks} ranks, {pair}: {pairs.get(pair, 0)} B, wanted {right.get(pair, 0)}")
    for count in (2, 4):
        other, file = run(lightrail, folder / "s.xml", folder, f"on_{count}", count, [])
        problems += [f"{ranks} ranks on {count}: {text}" for text in differences(first, other, first_file, file)]
    print(f"{ranks} ranks: {len(right)} pairs, {sum(right.values())} B")
    return problems


def main():
    problems = []
    for ranks in (8, 64):
        with tempfile.TemporaryDirectory() as name:
            problems += check(sys.argv[1], ranks, pathlib.Path(name))
    print("\n".join(problems[:20]))
    return 1 if problems else 0


sys.exit(main())
