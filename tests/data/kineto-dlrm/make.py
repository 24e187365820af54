#!/usr/bin/python3
"""Writes the traces of RANKS ranks of a made-up recommendation model, as PyTorch 2.4 writes them.

usage: make.py RANKS FOLDER

Every step exchanges embeddings forward and gradients backward by uneven all-to-alls of which the last rank gives
and takes nothing, a pipeline-like batch of sends and receives goes round, and dense gradients are summed. Times in
microseconds, of no device; sizes by a fixed rule, so that a test can state them: rank f gives rank t
rows(f, t) rows of 32 half-precision numbers.
"""
import json
import pathlib
import sys

ROW = 32
CUT = 30  # PyTorch's longest list


def rows(ranks, giver, taker):
    return 0 if ranks - 1 in (giver, taker) else (7 * giver + 3 * taker) % 11 * 4


def listed(numbers):
    text = ", ".join(map(str, numbers[:CUT]))
    return f"[{text}, ...]" if len(numbers) > CUT else f"[{text}]"


def event(category, name, start, duration, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": duration, "args": args}


def trace(rank, ranks):
    group = {"Group size": ranks, "Process Group Name": "0", "Process Group Description": "default_pg",
             "Process Group Ranks": listed(list(range(ranks))), "Rank": rank}
    events, now, correlation = [], 1000 + 3 * rank, 0

    def launch(name, duration, stream, **args):
        nonlocal now, correlation
        correlation += 1
        events.append(event("cuda_runtime", "cudaLaunchKernel", now, 4, correlation=correlation))
        events.append(event("kernel", name, now + 10, duration, stream=stream, device=0, correlation=correlation,
                            **args))
        now += 15

    def call(duration, name, **args):
        events.append(event("cpu_op", "record_param_comms", now - 1, duration,
                            **{"Collective name": name, "dtype": "Half", **group, **args}))

    def exchange(give, take):
        sizes = {"In msg nelems": ROW * sum(give), "Out msg nelems": ROW * sum(take), "In split size": listed(give),
                 "Out split size": listed(take), "Collective name": "all_to_allv", "dtype": "Half"}
        dims = {"Input Dims": [[[sum(give), ROW]], [], []], "Input type": ["TensorList", "", ""],
                "Concrete Inputs": ["", "", "", str(rank), "all_to_allv", str(give), str(take), "0", "1", str(ranks)]}
        call(10, "all_to_allv", **{key: value for key, value in sizes.items() if " size" in key or "nelems" in key},
             **dims)
        if sum(give) + sum(take) > 0:
            launch("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 30, 20, **group, **sizes)
        else:
            nonlocal now
            now += 15

    given = [rows(ranks, rank, other) for other in range(ranks)]
    taken = [rows(ranks, other, rank) for other in range(ranks)]
    launch("embedding_bag", 40, 7)
    exchange(given, taken)
    launch("ampere_fp16_s16816gemm_fp16_128x128", 120, 7)
    now += 5
    call(2, "send", **{"In msg nelems": 1024, "Out msg nelems": 1024, "Dst Rank": (rank + 1) % ranks})
    now += 5
    call(2, "recv", **{"In msg nelems": 1024, "Out msg nelems": 1024, "Src Rank": (rank - 1) % ranks})
    now += 5
    launch("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 20, 20,
           **{**group, "Collective name": "coalesced", "dtype": "Half"})
    exchange(taken, given)
    launch("ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 60, 20,
           **{**group, "Collective name": "allreduce", "dtype": "Half", "In msg nelems": 65536,
              "Out msg nelems": 65536})
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks},
            "traceEvents": events}


def main():
    ranks, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    for rank in range(ranks):
        (folder / f"rank{rank}.json").write_text(json.dumps(trace(rank, ranks)) + "\n")


main()
