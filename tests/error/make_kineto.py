"""Traces of Kineto that a case needs, whole and damaged; as those of make_files.py."""
import gzip
import json


def _event(category, name, start, duration, **arguments):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": duration,
            "args": arguments}


def _kineto(rank, ranks=2, count=1 << 20, collective="allreduce",
            kernel="ncclDevKernel_AllReduce_Sum_f16_RING_LL", group=(0, 1), gemm_us=50):
    """A GEMM, then one collective over the group, as a recent PyTorch writes them. Times in microseconds."""
    return {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks},
            "traceEvents": [_event("cuda_runtime", "cudaLaunchKernel", 100, 5, correlation=1),
                            _event("kernel", "ampere_fp16_s16816gemm_fp16_128x128", 110, gemm_us, stream=7,
                                   device=rank, correlation=1),
                            _event("cuda_runtime", "cudaLaunchKernel", 120, 5, correlation=2),
                            _event("kernel", kernel, 170, 40,
                                   **{"stream": 24, "device": rank, "correlation": 2,
                                      "Collective name": collective, "dtype": "Half", "In msg nelems": count,
                                      "Out msg nelems": count, "Group size": len(group),
                                      "Process Group Name": "1", "Process Group Description": "tp",
                                      "Process Group Ranks": json.dumps(list(group))}),]}


def _write(folder, traces):
    for rank, trace in enumerate(traces):
        with gzip.open(folder / f"rank{rank}.json.gz", "wt") as file:
            json.dump(trace, file)


def kineto_change(folder, _, changes):
    """Of rank 1 by JSON: {"event": [key, value], ...}, arguments with a dot before; null takes a key away."""
    second = _kineto(1)
    for number, (key, value) in json.loads(changes).items():
        event = second["traceEvents"][int(number)]
        into = event["args"] if key.startswith(".") else event
        into.pop(key.lstrip("."), None)
        if value is not None:
            into[key.lstrip(".")] = value
    _write(folder, [_kineto(0), second])


def kineto_endless_string(folder, _):
    """The name of the last kernel goes on for 40 MB of text, in a file of 40 kB."""
    text = json.dumps(_kineto(1))
    with gzip.open(folder / "rank0.json.gz", "wt") as file:
        json.dump(_kineto(0), file)
    with gzip.open(folder / "rank1.json.gz", "wt") as file:
        file.write(text[:text.rindex("ncclDevKernel") + 4] + "x" * 40_000_000)


def kineto_other_world(folder, _):
    _write(folder, [_kineto(0), _kineto(1, ranks=3)])


def kineto_rank_beyond_world(folder, _):
    _write(folder, [_kineto(0), _kineto(5)])


def kineto_without_kernels(folder, _):
    second = _kineto(1)
    del second["traceEvents"][1], second["traceEvents"][2]
    _write(folder, [_kineto(0), second])


def kineto_without_communication(folder, _):
    second = _kineto(1)
    del second["traceEvents"][2:]
    _write(folder, [_kineto(0), second])


def kineto_long_argument(folder, _):
    second = _kineto(1)
    second["traceEvents"][3]["args"]["Process Group Ranks"] = list(range(800_000))
    _write(folder, [_kineto(0), second])


def kineto_folder(folder, _):
    kineto_pair(folder, None)
    (folder / "rank2.json.gz").mkdir()


def kineto_pair(folder, _):
    _write(folder, [_kineto(0), _kineto(1)])


def _damage(folder, change):
    kineto_pair(folder, None)
    file = folder / "rank1.json.gz"
    file.write_bytes(change(file.read_bytes()))


def kineto_truncated_gzip(folder, _):
    _damage(folder, lambda data: data[: len(data) * 2 // 3])


def kineto_corrupt_gzip(folder, _):
    _damage(folder, lambda data: data[:60] + bytes(b ^ 0xFF for b in data[60:90]) + data[90:])


def kineto_empty_file(folder, _):
    _damage(folder, lambda data: b"")


def kineto_not_json(folder, _):
    _damage(folder, lambda data: gzip.compress(b"this is no trace\n"))


def kineto_cut_json(folder, _):
    _damage(folder, lambda data: gzip.compress(gzip.decompress(data)[:-200]))


def kineto_no_events(folder, _):
    _damage(folder, lambda data: gzip.compress(b'{"schemaVersion": 1}'))


def kineto_missing_rank(folder, _):
    kineto_pair(folder, None)
    (folder / "rank1.json.gz").unlink()


def kineto_ranks_disagree_on_bytes(folder, _):
    _write(folder, [_kineto(0), _kineto(1, count=1 << 19)])


def kineto_ranks_disagree_on_type(folder, _):
    _write(folder, [_kineto(0), _kineto(1, collective="reduce_scatter",
                                        kernel="ncclDevKernel_ReduceScatter_Sum_f16_RING_LL")])


def kineto_negative_duration(folder, _):
    _write(folder, [_kineto(0), _kineto(1, gemm_us=-50)])


def kineto_huge_message(folder, _):
    _write(folder, [_kineto(0, count=10**18), _kineto(1, count=10**18)])


def kineto_unknown_member(folder, _):
    _write(folder, [_kineto(0, group=(0, 7)), _kineto(1, group=(0, 7))])


def kineto_same_rank_twice(folder, _):
    _write(folder, [_kineto(0), _kineto(0)])


def kineto_unknown_collective(folder, _):
    _write(folder, [_kineto(r, collective="gossip", kernel="ncclDevKernel_Gossip_Sum_f16_RING_LL")
                    for r in (0, 1)])
