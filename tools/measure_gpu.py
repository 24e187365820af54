#!/usr/bin/env python3
"""Measure kernel times of a GPU with PyTorch and write the CSV that tools/fit_gpu.py reads.

    tools/measure_gpu.py gemm --system my_gpu > gemm.csv              bf16; --dtype fp8: float8, tensorwise
    tools/measure_gpu.py gemm --system my_gpu --dtype fp8 --rowwise   rows of dtype fp8-rowwise
    tools/measure_gpu.py attention --system my_gpu > attention.csv    causal prefill and decode
    tools/measure_gpu.py gemm --system my_gpu --list                  the shapes; needs no GPU and no PyTorch

A time is the median of `--repeats` groups of calls between two events, each group about a millisecond long,
after as long a warm-up: the time of a kernel among others of its kind, launches hidden. FP8 times are of the
product alone: its operands are cast before (tools/fit_gpu.py --casts off). Then tools/fit_gpu.py with the
figures of the datasheet writes the device's file of the catalogue.
"""
import argparse
import itertools
import statistics
import sys

GEMM = [(m, n, k) for m in (1, 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
        for n, k in itertools.product((1024, 2048, 4096, 8192, 14336), (1024, 4096, 8192, 14336))]
HEADS = ((32, 32, 128), (32, 8, 128), (64, 8, 128), (4, 1, 128), (32, 8, 64))
PREFILL = [(batch, length, *heads) for heads in HEADS for batch, length in
           ((1, 1), (1, 128), (1, 512), (1, 2048), (1, 8192), (1, 16384), (4, 2048), (16, 512), (32, 1024))]
DECODE = [(batch, keys, *heads) for heads in HEADS for batch in (1, 4, 16, 64, 256)
          for keys in (128, 1024, 4096, 16384) if batch * keys <= 1 << 20]
COLUMNS = {"gemm": "system,dtype,m,n,k,time_us",
           "attention": "system,op,batch,seqlen,kv_step,heads,kv_heads,head_dim,time_us"}


def time_us(torch, call, repeats):
    """Median time of a call [us]."""
    def group(calls):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls):
            call()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) * 1e3 / calls

    group(3)
    calls = max(1, min(1000, round(1000 / max(group(3), 1e-3))))
    group(calls)
    return statistics.median(group(calls) for _ in range(repeats))


def gemm_call(torch, dtype, is_rowwise, m, n, k):
    a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
    if dtype == "bf16":
        return lambda: a @ b.t()
    rows, columns = ((m, 1), (1, n)) if is_rowwise else ((), ())
    scales = [torch.ones(shape, device="cuda", dtype=torch.float32) for shape in (rows, columns)]
    a, b = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn).t()
    # Rowwise kernels are made for fast accumulation, and torchao uses them so in all passes.
    return lambda: torch._scaled_mm(a, b, scale_a=scales[0], scale_b=scales[1], out_dtype=torch.bfloat16,
                                    use_fast_accum=is_rowwise)


def attention_call(torch, batch, queries, keys, heads, kv_heads, head_dim):
    def made(count, length):
        return torch.randn(batch, count, length, head_dim, device="cuda", dtype=torch.bfloat16)

    q, k, v = made(heads, queries), made(kv_heads, keys), made(kv_heads, keys)
    attend = torch.nn.functional.scaled_dot_product_attention
    return lambda: attend(q, k, v, is_causal=queries > 1, enable_gqa=kv_heads < heads)


def rows(a):
    """(the row's first columns, what makes the call) of every shape."""
    if a.what == "gemm":
        name = "fp8-rowwise" if a.rowwise else a.dtype
        for m, n, k in GEMM:
            if a.dtype == "bf16" or m % 16 == 0:  # what float8 products take
                yield (a.system, name, m, n, k), lambda t, s=(m, n, k): gemm_call(t, a.dtype, a.rowwise, *s)
        return
    for batch, length, *heads in PREFILL:
        yield ((a.system, "context_attention", batch, length, 0, *heads),
               lambda t, s=(batch, length, length, *heads): attention_call(t, *s))
    for batch, keys, *heads in DECODE:
        yield ((a.system, "generation_attention", batch, 1, keys - 1, *heads),
               lambda t, s=(batch, 1, keys, *heads): attention_call(t, *s))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=tuple(COLUMNS))
    parser.add_argument("--system", required=True, help="name of the GPU in the CSV")
    parser.add_argument("--dtype", choices=("bf16", "fp8"), default="bf16", help="of gemm")
    parser.add_argument("--rowwise", action="store_true",
                        help="fp8: a scale for every row instead of every tensor")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--list", action="store_true")
    a = parser.parse_args()
    if a.rowwise and (a.what, a.dtype) != ("gemm", "fp8"):
        parser.error("--rowwise is of gemm with --dtype fp8")
    torch = None
    if not a.list:
        import torch
        if not torch.cuda.is_available():
            sys.exit("measure_gpu.py: PyTorch sees no GPU")
    columns = COLUMNS[a.what]
    print(columns.rsplit(",", 1)[0] if a.list else columns)
    for first, make in rows(a):
        text = ",".join(map(str, first))
        if not a.list:
            text += f",{time_us(torch, make(torch), a.repeats):.3f}"
        print(text, flush=True)


if __name__ == "__main__":
    main()
