#!/usr/bin/env python3
"""Fit a GPU's kernel-time model to measured kernel times and write its catalogue elements.

    tools/fit_gpu.py gemm MEASURED.csv --system h100_sxm --dtype bf16 --peak 989 --bandwidth 3.35 --sms 132
    tools/fit_gpu.py attention MEASURED.csv --system h100_sxm --peak 989 --bandwidth 3.35 --sms 132

Columns of gemm: system,dtype,m,n,k,time_us; of attention: system,op,batch,seqlen,kv_step,heads,kv_heads,head_dim,time_us.
tools/measure_gpu.py writes such files. Peak in TFLOP/s, bandwidth in TB/s. Prints the element to paste into configs/gpus/*.xml and the errors of the fit.
The formulas are those of components/gpu/compute_model.cpp; tests/unit/gpu holds the two against the same data.
"""
import argparse

import numpy as np
import pandas as pd
from scipy.optimize import minimize

TILES = ((64, 64), (64, 128), (128, 128), (128, 256))
BYTES = {"bf16": 2, "fp8": 1}
NAMES = {"bfloat16": "bf16", "fp8": "fp8"}


def p_norm(a, b, p):
    large, small = np.maximum(a, b), np.minimum(a, b)
    return large * (1 + (small / large) ** p) ** (1 / p)


def gemm_seconds(q, m, n, k, element, peak, bandwidth, sms):
    """Kernel time [s] of m x n x k GEMMs; q: the parameters of <gemm>."""
    relative = dict(zip(TILES, (q["tile-64x64"], q["tile-64x128"], q["tile-128x128"], 1.0)))
    best = np.full(m.shape, np.inf)
    for tile in TILES:
        for split in (1, 2, 4, 8):
            tiles = np.ceil(m / tile[0]) * np.ceil(n / tile[1]) * split / sms
            waves = (1 - q["quantisation"]) * np.maximum(tiles, 1) + q["quantisation"] * np.ceil(tiles)
            compute = waves * 2 * tile[0] * tile[1] * (k / split + q["prologue"])
            compute /= peak / sms * q["efficiency"] * relative[tile]
            size = (m * k + k * n) * element + m * n * 2 + (m * n * split * 8 if split > 1 else 0)
            best = np.minimum(best, p_norm(compute, size / (bandwidth * q["memory-efficiency"]), q["overlap"]))
    # FP8 is measured with the kernel that casts the left operand from two bytes.
    cast = 3 * m * k / (bandwidth * q["memory-efficiency"]) if element == 1 else 0
    return q["latency"] * 1e-6 + best + cast


def prefill_seconds(q, batch, length, heads, kv_heads, head_dim, peak, bandwidth, sms):
    waves = np.maximum(batch * heads * np.ceil(length / 128) / sms, 1)
    per_key = 4 * 128 * head_dim
    work = np.maximum(waves * per_key * (length / 2 + q["prologue"]), per_key * (length + q["prologue"]))
    size = batch * length * (2 * heads + 2 * kv_heads) * head_dim * 2
    return q["latency"] * 1e-6 + p_norm(work / (peak / sms * q["efficiency"]),
                                        size / (bandwidth * q["memory-efficiency"]), q["overlap"])


def decode_seconds(q, batch, keys, heads, kv_heads, head_dim, bandwidth, sms):
    """One block a sequence and KV head; where SMs would stay idle, blocks of 256 keys and a pass that combines them."""
    size = batch * (2 * kv_heads * keys + 2 * heads) * head_dim * 2
    blocks = batch * kv_heads
    unit = q["decode-unit"] + np.where(heads > kv_heads, q["decode-group-unit"], 0)
    combine = np.where((keys > 256) & (blocks < sms), q["decode-combine"], 0)
    return (q["decode-latency"] + combine) * 1e-6 + p_norm(size / (bandwidth * q["decode-memory-efficiency"]),
                                                           np.maximum(blocks / sms, 1) * unit * 1e-6, q["decode-overlap"])


def share(x):
    return 0.02 + 0.97 / (1 + np.exp(-x))


GEMM = {"latency": (np.exp, 1.2), "efficiency": (share, 1.4), "prologue": (np.exp, 4.0),
        "memory-efficiency": (share, 1.5), "quantisation": (share, 1.0),
        "overlap": (lambda x: 1 + 15 / (1 + np.exp(-x)), -1.0), "tile-64x64": (share, 0.0),
        "tile-64x128": (share, 0.8), "tile-128x128": (share, 1.5)}
PREFILL = {"latency": (np.exp, 2.3), "efficiency": (share, 0.3), "prologue": (np.exp, 5.0),
           "memory-efficiency": (share, 0.5), "overlap": (lambda x: 1 + 15 / (1 + np.exp(-x)), -2.0)}
DECODE = {"decode-latency": (np.exp, 2.0), "decode-combine": (np.exp, 1.5), "decode-memory-efficiency": (share, 1.8),
          "decode-unit": (np.exp, 0.5), "decode-group-unit": (np.exp, 1.0),
          "decode-overlap": (lambda x: 1 + 15 / (1 + np.exp(-x)), -2.8)}


def fit(space, seconds, measured):
    """Least mean absolute log error, with the 95th percentile beside it. Returns parameters and relative errors."""
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
            found = minimize(loss, x, method="Nelder-Mead", options={"maxiter": 1200, "xatol": 1e-3, "fatol": 1e-6})
            x = found.x
        if best is None or found.fun < best.fun:
            best = found
    # Four digits are what the catalogue holds, so the errors are of those.
    q = {name: float(f"{value:.4g}") for name, value in unpack(best.x).items()}
    return q, np.abs(seconds(q) / measured - 1)


def report(q, error, head):
    def text(name, value):
        return f"{value:.4g} us" if name.endswith(("latency", "unit", "combine")) else f"{value:.4g}"
    print(head, " ".join(f'{name}="{text(name, value)}"' for name, value in q.items()))
    print(f"<!-- {len(error)} shapes: median error {np.median(error):.1%}, 95th percentile {np.quantile(error, 0.95):.1%} -->")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("gemm", "attention"))
    parser.add_argument("csv")
    parser.add_argument("--system", required=True)
    parser.add_argument("--dtype", choices=tuple(BYTES), default="bf16")
    parser.add_argument("--peak", type=float, required=True, help="dense peak [TFLOP/s]")
    parser.add_argument("--bandwidth", type=float, required=True, help="HBM bandwidth [TB/s]")
    parser.add_argument("--sms", type=int, required=True)
    a = parser.parse_args()
    data = pd.read_csv(a.csv)
    data = data[data.system == a.system]
    peak, bandwidth = a.peak * 1e12, a.bandwidth * 1e12
    if a.what == "gemm":
        data = data[data.dtype.map(lambda d: NAMES.get(d, d)) == a.dtype]
        m, n, k = (data[c].to_numpy(float) for c in ("m", "n", "k"))
        q, error = fit(GEMM, lambda q: gemm_seconds(q, m, n, k, BYTES[a.dtype], peak, bandwidth, a.sms),
                       data.time_us.to_numpy() * 1e-6)
        report(q, error, f'<gemm dtype="{a.dtype}" peak="{a.peak:g} TFLOP/s" casts="{"on" if a.dtype == "fp8" else "off"}"')
        return
    for op, space in (("context_attention", PREFILL), ("generation_attention", DECODE)):
        d = data[data.op == op]
        b, length, step, h, kv, dim = (d[c].to_numpy(float)
                                       for c in ("batch", "seqlen", "kv_step", "heads", "kv_heads", "head_dim"))
        if op == "context_attention":
            q, error = fit(space, lambda q: prefill_seconds(q, b, length, h, kv, dim, peak, bandwidth, a.sms),
                           d.time_us.to_numpy() * 1e-6)
        else:
            q, error = fit(space, lambda q: decode_seconds(q, b, step + 1, h, kv, dim, bandwidth, a.sms),
                           d.time_us.to_numpy() * 1e-6)
        report(q, error, f"<attention ({op})")


if __name__ == "__main__":
    main()
