#!/usr/bin/env python3
"""Fit a GPU's kernel-time model to measured kernel times and write its file of the catalogue.

    tools/fit_gpu.py --system my_gpu --gemm bf16.csv fp8.csv --attention attention.csv --peak bf16=989
    fp8=1979 --casts off
        --bandwidth 3.35 --sms 132 --memory "80 GiB" --power 700 --collectives-of configs/gpus/h100_sxm.xml
        --out configs/gpus/my_gpu.xml

Columns of gemm: system,dtype,m,n,k,time_us; of attention:
system,op,batch,seqlen,kv_step,heads,kv_heads,head_dim,time_us. dtype: bf16, fp8 (one scale a tensor),
fp8-rowwise (a scale a row and column: an element of its own beside fp8). tools/measure_gpu.py writes such
files. Peaks in TFLOP/s, bandwidth in TB/s, power in W. Every figure of the file has its <source>: the
datasheet, the system, shapes and errors of its fit, or that it is an estimate. Kernels say nothing of
collectives: they are another device's (--collectives-of), or left out, and then NCCL's own constants. Without
--attention the device runs matrix products alone. --casts: whether times of fp8 include the kernel that casts
the left operand (on: as in ai-dynamo/aiconfigurator; off: as tools/measure_gpu.py measures); those of
fp8-rowwise do not, whatever those of fp8 do. The formulas are those of
components/gpu/compute/compute_model.cpp; tests/unit/gpu holds the two against the same data.
"""
import argparse
import pathlib
import re
import sys

import numpy as np
import pandas as pd
from scipy.optimize import minimize

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import gpu_catalogue  # noqa: E402
from gpu_catalogue import BadInput  # noqa: E402

TILES, SPLITS = ((64, 64), (64, 128), (128, 128), (128, 256)), (1, 2, 4, 8)
ROWS, COLUMNS, SPLIT = (np.array(column)[:, None]
                        for column in zip(*((*tile, split) for tile in TILES for split in SPLITS)))
BYTES = {"bf16": 2, "fp8": 1, "fp8-rowwise": 1}
NAMES = {"bfloat16": "bf16", "fp8": "fp8"}


def p_norm(a, b, p):
    large, small = np.maximum(a, b), np.minimum(a, b)
    return large * (1 + (small / large) ** p) ** (1 / p)


def gemm_seconds(q, m, n, k, element, casts, peak, bandwidth, sms):
    """Kernel time [s] of m x n x k GEMMs; q: the parameters of <gemm>."""
    relative = np.repeat((q["tile-64x64"], q["tile-64x128"], q["tile-128x128"], 1.0), len(SPLITS))[:, None]
    tiles = np.ceil(m / ROWS) * np.ceil(n / COLUMNS) * SPLIT / sms
    waves = (1 - q["quantisation"]) * np.maximum(tiles, 1) + q["quantisation"] * np.ceil(tiles)
    compute = waves * 2 * ROWS * COLUMNS * (k / SPLIT + q["prologue"])
    compute /= peak / sms * q["efficiency"] * relative
    size = (m * k + k * n) * element + m * n * 2 + np.where(SPLIT > 1, m * n * SPLIT * 8, 0)
    best = np.min(p_norm(compute, size / (bandwidth * q["memory-efficiency"]), q["overlap"]), axis=0)
    # The left operand comes in two bytes.
    cast = 3 * m * k / (bandwidth * q["memory-efficiency"]) if casts else 0
    return q["latency"] * 1e-6 + best + cast


def prefill_seconds(q, batch, length, heads, kv_heads, head_dim, peak, bandwidth, sms):
    waves = np.maximum(batch * heads * np.ceil(length / 128) / sms, 1)
    per_key = 4 * 128 * head_dim
    work = np.maximum(waves * per_key * (length / 2 + q["prologue"]), per_key * (length + q["prologue"]))
    size = batch * length * (2 * heads + 2 * kv_heads) * head_dim * 2
    return q["latency"] * 1e-6 + p_norm(work / (peak / sms * q["efficiency"]),
                                        size / (bandwidth * q["memory-efficiency"]), q["overlap"])


def decode_seconds(q, batch, keys, heads, kv_heads, head_dim, bandwidth, sms):
    """One block a sequence and KV head; where SMs would stay idle, blocks of 256 keys and a pass that
    combines them."""
    size = batch * (2 * kv_heads * keys + 2 * heads) * head_dim * 2
    blocks = batch * kv_heads
    unit = q["decode-unit"] + np.where(heads > kv_heads, q["decode-group-unit"], 0)
    combine = np.where((keys > 256) & (blocks < sms), q["decode-combine"], 0)
    return (q["decode-latency"] + combine) * 1e-6 + p_norm(size / (bandwidth * q["decode-memory-efficiency"]),
                                                           np.maximum(blocks / sms, 1) * unit * 1e-6,
                                                           q["decode-overlap"])


def share(x):
    return 0.02 + 0.97 / (1 + np.exp(-x))


def micro(x):
    """[us], as long as the loader takes."""
    return min(np.exp(x), 1000.0)


def steps(x):
    return min(np.exp(x), 4096.0)


GEMM = {"latency": (micro, 1.2), "efficiency": (share, 1.4), "prologue": (steps, 4.0),
        "memory-efficiency": (share, 1.5), "quantisation": (share, 1.0),
        "overlap": (lambda x: 1 + 15 / (1 + np.exp(-x)), -1.0), "tile-64x64": (share, 0.0),
        "tile-64x128": (share, 0.8), "tile-128x128": (share, 1.5)}
PREFILL = {"latency": (micro, 2.3), "efficiency": (share, 0.3), "prologue": (steps, 5.0),
           "memory-efficiency": (share, 0.5), "overlap": (lambda x: 1 + 15 / (1 + np.exp(-x)), -2.0)}
DECODE = {"decode-latency": (micro, 2.0), "decode-combine": (micro, 1.5),
          "decode-memory-efficiency": (share, 1.8), "decode-unit": (micro, 0.5),
          "decode-group-unit": (micro, 1.0), "decode-overlap": (lambda x: 1 + 15 / (1 + np.exp(-x)), -2.8)}
ATTENTION = (("context_attention", PREFILL), ("generation_attention", DECODE))
EXACT = 1e-4  # a loss that further search is not worth


def fit(space, seconds, measured):
    """Least mean absolute log error, with the 95th percentile beside it. Returns parameters and relative
    errors."""
    names = list(space)

    def unpack(x):
        return {name: float(space[name][0](v)) for name, v in zip(names, x)}

    def log_error(x):
        return np.log(seconds(unpack(x)) / measured)

    def loss(x):
        error = np.abs(log_error(x))
        return np.mean(np.minimum(error, 0.7)) + 0.3 * np.quantile(error, 0.95)

    best = None
    for shift in (0.0, 0.7, -0.7):
        x = np.array([start + shift for _, start in space.values()])
        for _ in range(4):
            found = minimize(loss, x, method="Nelder-Mead",
                             options={"maxiter": 1200, "xatol": 1e-3, "fatol": 1e-6})
            x = found.x
            if found.fun < EXACT:
                break
        if best is None or found.fun < best.fun:
            best = found
        if best.fun < EXACT:
            break
    # Four digits are what the catalogue holds, so the errors are of those.
    q = {name: float(f"{value:.4g}") for name, value in unpack(best.x).items()}
    return q, np.abs(seconds(q) / measured - 1)


def read(path, columns):
    """A CSV with these columns, the last ones numbers above zero."""
    try:
        data = pd.read_csv(path)
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as problem:
        raise BadInput(f"{path}: cannot be read ({problem})") from problem
    for column in columns:
        if column not in data:
            raise BadInput(f"{path}: lacks the column '{column}' (wanted: {','.join(columns)})")
        if column in ("system", "dtype", "op"):
            continue
        numbers = pd.to_numeric(data[column], errors="coerce").to_numpy(float)
        least = 0 if column == "kv_step" else np.finfo(float).tiny
        for row in np.flatnonzero(~(np.isfinite(numbers) & (numbers >= least)))[:1]:
            raise BadInput(f"{path}:{row + 2}: column '{column}': '{data[column][row]}' is no number "
                           + ("of 0 or more" if column == "kv_step" else "above 0"))
        data[column] = numbers
    if data.empty:
        raise BadInput(f"{path}: has no rows")
    return data


def rows_of(data, column, name, paths, least):
    """The rows with that name; at least as many as a fit has parameters."""
    found = data[data[column] == name]
    if found.empty:
        raise BadInput(f"{paths}: no rows of {column} '{name}' (there are: {', '.join(sorted(set(data[column].astype(str))))})")
    if len(found) < least:
        raise BadInput(f"{paths}: {len(found)} rows of {column} '{name}' for {least} parameters")
    return found


def fit_gemm(a, dtype, data):
    data = rows_of(data, "dtype", dtype, " ".join(a.gemm), len(GEMM))
    m, n, k = (data[c].to_numpy() for c in ("m", "n", "k"))
    casts = dtype == "fp8" and a.casts == "on"
    q, error = fit(GEMM, lambda q: gemm_seconds(q, m, n, k, BYTES[dtype], casts, a.peaks[dtype] * 1e12,
                                                a.bandwidth * 1e12, a.sms), data.time_us.to_numpy() * 1e-6)
    return gpu_catalogue.Fit(q, error, f"{a.system} {dtype} GEMM")


def fit_attention(a, data):
    fits = []
    peak, bandwidth = a.peaks["bf16"] * 1e12, a.bandwidth * 1e12
    for op, space in ATTENTION:
        d = rows_of(data, "op", op, a.attention, len(space))
        b, length, step, h, kv, dim = (d[c].to_numpy()
                                       for c in ("batch", "seqlen", "kv_step", "heads", "kv_heads",
                                                 "head_dim"))
        if op == "context_attention":
            def seconds(q):
                return prefill_seconds(q, b, length, h, kv, dim, peak, bandwidth, a.sms)
        else:
            def seconds(q):
                return decode_seconds(q, b, step + 1, h, kv, dim, bandwidth, a.sms)
        fits.append(gpu_catalogue.Fit(*fit(space, seconds, d.time_us.to_numpy() * 1e-6), f"{a.system} {op}"))
    return fits


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="the file to write; there must be none yet")
    parser.add_argument("--system", required=True, help="whose rows are fitted")
    parser.add_argument("--gemm", nargs="+", required=True, metavar="CSV")
    parser.add_argument("--attention", metavar="CSV")
    parser.add_argument("--peak", nargs="+", required=True, metavar="DTYPE=X",
                        help="dense peaks [TFLOP/s]; what is fitted of --gemm")
    parser.add_argument("--casts", choices=("on", "off"),
                        help="with fp8: whether its times include the cast of the left operand")
    parser.add_argument("--bandwidth", type=float, required=True, help="HBM bandwidth [TB/s]")
    parser.add_argument("--sms", type=int, required=True)
    parser.add_argument("--memory", required=True, help="'80 GiB'")
    for name, when in (("power", "while kernels compute"), ("memory-power", "... bound by memory"),
                       ("communication-power", "while only communication runs"),
                       ("idle-power", "while nothing runs")):
        parser.add_argument(f"--{name}", type=float, help=f"{when} [W]")
    parser.add_argument("--collectives-of", metavar="XML",
                        help="a device of the catalogue that collectives are taken from")
    parser.add_argument("--datasheet", default="datasheet, as given to tools/fit_gpu.py",
                        help="text of the figures' source")
    parser.add_argument("--measured", help="where the times are from; added to the fits' source")
    a = parser.parse_args()
    a.peaks = {}
    for text in a.peak:
        dtype, _, peak = text.partition("=")
        if dtype not in BYTES:
            raise BadInput(f"--peak {text}: no data type that is fitted ({', '.join(BYTES)})")
        try:
            a.peaks[dtype] = float(peak)
        except ValueError as problem:
            raise BadInput(f"--peak {text}: wanted a number of TFLOP/s, as in {dtype}=989") from problem
    for name, value in (("--bandwidth", a.bandwidth), ("--sms", a.sms),
                        *((f"--peak {d}", p) for d, p in a.peaks.items())):
        if not 0 < value < float("inf"):
            raise BadInput(f"{name}: {value:g} is not above 0")
    if "bf16" not in a.peaks:
        raise BadInput("--peak: bf16 is missing, whose products memory-bound kernels and attention go by")
    if "fp8" in a.peaks and a.casts is None or len(a.peaks) == 1 and a.casts:
        raise BadInput("--casts belongs to fp8 products: on where their times include the cast of the left operand, else off")
    if "fp8" not in a.peaks and a.casts == "on":
        raise BadInput("--casts on: times of fp8-rowwise are those of the product alone")
    if not re.fullmatch(r"\d+(\.\d+)? [KMGT]i?B", a.memory):
        raise BadInput(f"--memory {a.memory}: wanted a size, as in '80 GiB'")
    given = {"power": a.power, "memory-power": a.memory_power, "communication-power": a.communication_power,
             "idle-power": a.idle_power}
    a.watts = {name: watts for name, watts in given.items() if watts is not None}
    if a.watts and a.power is None:
        raise BadInput(f"--{next(iter(a.watts))} without --power")
    if pathlib.Path(a.out).exists():
        raise BadInput(f"{a.out} is there already")
    return a


def main():
    a = arguments()
    collectives = gpu_catalogue.collectives_of(a.collectives_of) if a.collectives_of else None
    gemm = pd.concat([read(path, ("system", "dtype", "m", "n", "k", "time_us")) for path in a.gemm],
                     ignore_index=True)
    gemm = rows_of(gemm, "system", a.system, " ".join(a.gemm), 1)
    gemm = gemm.assign(dtype=gemm.dtype.map(lambda d: NAMES.get(d, d)))
    attention = None
    if a.attention:
        attention = read(a.attention, ("system", "op", "batch", "seqlen", "kv_step", "heads", "kv_heads",
                                       "head_dim", "time_us"))
        attention = rows_of(attention, "system", a.system, a.attention, 1)
        for op, space in ATTENTION:
            rows_of(attention, "op", op, a.attention, len(space))
    for dtype in a.peaks:
        rows_of(gemm, "dtype", dtype, " ".join(a.gemm), len(GEMM))
    gemms = {dtype: fit_gemm(a, dtype, gemm) for dtype in a.peaks}
    fits = fit_attention(a, attention) if a.attention else []
    pathlib.Path(a.out).write_text(gpu_catalogue.text_of(a, gemms, fits, collectives))
    for one in (*gemms.values(), *fits):
        print(f"{one.what}: {one.errors()}")
    print(f"wrote {a.out}")


if __name__ == "__main__":
    try:
        main()
    except BadInput as problem:
        sys.exit(print(f"fit_gpu.py: {problem}", file=sys.stderr) or 2)
