"""Export for https://ui.perfetto.dev and chrome://tracing: a process a GPU, a thread a stream, times in µs."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .counters import LINKS_PROCESS, counters
from .flows import matched_sends

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .result import Run

ROWS_A_WRITE = 200_000
FASTEST = 1  # of gzip: three times as fast as the default for a tenth more bytes


def _texts(values):
    """Values as JSON texts, each distinct one made once."""
    codes, distinct = pd.factorize(values)
    texts = [json.dumps(value.item() if isinstance(value, np.generic) else value) for value in distinct]
    return [texts[code] if code >= 0 else '""' for code in codes]


def _microseconds(ps):
    return (np.asarray(ps) / 1e6).tolist()


def selected(run, gpus=None, span_ps=None):
    """The operations of those GPUs that lie in part in the span (start, end) of simulated time [ps]."""
    ops = run.tables["ops"]
    if gpus is not None:
        ops = ops[ops["gpu"].isin(gpus)]
    if span_ps is not None:
        ops = ops[(ops["t_end_ps"] >= span_ps[0]) & (ops["t_start_ps"] <= span_ps[1])]
    return ops


def _names(run, ops):
    """Texts of the events that name GPUs and streams."""
    names = run.endpoint_names()
    for gpu in sorted(ops["gpu"].unique()):
        yield {"ph": "M", "name": "process_name", "pid": int(gpu), "args": {"name": str(names.get(gpu, gpu))}}
        yield {"ph": "M", "name": "process_sort_index", "pid": int(gpu), "args": {"sort_index": int(gpu)}}
    for gpu, stream in ops[["gpu", "stream"]].drop_duplicates().sort_values(["gpu", "stream"]).to_numpy():
        yield {"ph": "M", "name": "thread_name", "pid": int(gpu), "tid": int(stream),
               "args": {"name": run.stream_name(gpu, stream)}}
    yield {"ph": "M", "name": "process_name", "pid": LINKS_PROCESS, "args": {"name": "links"}}


def _slices(run, ops):
    """A text an operation. Millions of them, so texts are put together by hand."""
    dimensions = np.array(run.dimensions + [""], dtype=object)
    dimension = dimensions[np.where(ops["dimension"] >= 0, ops["dimension"], len(run.dimensions))]
    start, end = ops["t_start_ps"].to_numpy(), ops["t_end_ps"].to_numpy()
    columns = (_texts(ops["name"].astype(object)), _texts(ops["kind"].astype(object)), ops["gpu"].tolist(),
               ops["stream"].tolist(), _microseconds(start), _microseconds(end - start), ops["op"].tolist(),
               ops["iteration"].tolist(), _texts(dimension), ops["size_bytes"].tolist())
    return [f'{{"ph":"X","name":{name},"cat":{kind},"pid":{gpu},"tid":{stream},"ts":{ts},"dur":{dur},"args":'
            f'{{"op":{op},"iteration":{iteration},"dimension":{dim},"size_bytes":{size}}}}}'
            for name, kind, gpu, stream, ts, dur, op, iteration, dim, size in zip(*columns)]


def _arrows(run, shown):
    """From each send to the receive that it ends, where both are among the operations shown."""
    ops = run.tables["ops"]
    pairs = matched_sends(run)
    is_shown = np.isin(np.arange(len(ops)), shown.index)
    pairs = pairs[is_shown[pairs["send"]] & is_shown[pairs["receive"]]]
    for number, (send, receive) in enumerate(zip(pairs["send"], pairs["receive"])):
        for phase, row, at in (("s", ops.iloc[send], "t_start_ps"), ("f", ops.iloc[receive], "t_end_ps")):
            yield {"ph": phase, "bp": "e", "id": number, "name": "message", "cat": "message",
                   "pid": int(row["gpu"]), "tid": int(row["stream"]), "ts": int(row[at]) / 1e6}


def event_texts(run, gpus=None, span_ps=None):
    """The events as JSON texts, in lists."""
    ops = selected(run, gpus, span_ps)
    yield [json.dumps(event) for event in _names(run, ops)]
    for first in range(0, len(ops), ROWS_A_WRITE):
        yield _slices(run, ops.iloc[first:first + ROWS_A_WRITE])
    yield [json.dumps(event) for event in _arrows(run, ops)]
    yield [json.dumps(event) for event in counters(run, gpus, span_ps)]


def perfetto_events(run: Run, gpus: Iterable[int] | None = None, span_ps: tuple[int,
                    int] | None = None) -> list[dict]:
    """Trace events in Chrome's JSON format, as dictionaries."""
    return [json.loads(text) for texts in event_texts(run, gpus, span_ps) for text in texts]


def write_perfetto(run: Run, path: str | Path, gpus: Iterable[int] | None = None, span_ps: tuple[int,
                   int] | None = None) -> int:
    """Writes a trace file, compressed when its name ends in .gz. Returns the number of events.

    gpus: endpoint ids, default all that were recorded; span_ps: (start, end) of simulated time, default all.
    """
    is_packed = str(path).endswith(".gz")
    written = 0
    with gzip.open(path, "wb", compresslevel=FASTEST) if is_packed else open(path, "wb") as out:
        out.write(b'{"displayTimeUnit":"ms","traceEvents":[\n')
        for texts in event_texts(run, gpus, span_ps):
            if not texts:
                continue
            out.write(((",\n" if written else "") + ",\n".join(texts)).encode())
            written += len(texts)
        out.write(b"\n]}\n")
    return written
