"""Export for https://ui.perfetto.dev and chrome://tracing."""

import gzip
import json

import pandas as pd


def perfetto_events(run, gpus=None):
    """Trace events of the recorded operations, Chrome's JSON format: a process a GPU, a thread a stream,
    µs."""
    ops = run.tables["ops"]
    if gpus is not None:
        ops = ops[ops["gpu"].isin(gpus)]
    names = run.endpoint_names()
    events = []
    for gpu in sorted(ops["gpu"].unique()):
        events.append({"ph": "M", "name": "process_name", "pid": int(gpu),
                       "args": {"name": str(names.get(gpu, gpu))}})
        events.append({"ph": "M", "name": "process_sort_index", "pid": int(gpu),
                       "args": {"sort_index": int(gpu)}})
    for gpu, stream in sorted(set(zip(ops["gpu"], ops["stream"]))):
        events.append({"ph": "M", "name": "thread_name", "pid": int(gpu), "tid": int(stream),
                       "args": {"name": run.stream_name(gpu, stream)}})
    dimension = pd.Series(run.dimensions + [""]).reindex(ops["dimension"].where(ops["dimension"] >= 0, len(run.dimensions)))
    for row, dim in zip(ops.itertuples(), dimension):
        events.append({"ph": "X", "name": str(row.name), "cat": str(row.kind), "pid": row.gpu,
                       "tid": row.stream, "ts": row.t_start_ps / 1e6,
                       "dur": (row.t_end_ps - row.t_start_ps) / 1e6,
                       "args": {"op": row.op, "iteration": row.iteration, "dimension": dim,
                                "size_bytes": row.size_bytes}})
    return events


def write_perfetto(run, path, gpus=None):
    """Writes a trace file, compressed when its name ends in .gz. Returns the number of events."""
    events = perfetto_events(run, gpus)
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "wt", encoding="utf-8") as out:
        json.dump({"displayTimeUnit": "ms", "traceEvents": events}, out)
    return len(events)
