#!/usr/bin/python3
"""tools/measure_gpu.py writes what tools/fit_gpu.py reads: run with a stand-in for PyTorch whose kernels take
what a roofline says."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Tensors are shapes; a call adds its time to a clock that events read [ms].
TORCH = '''
clock = [0.0]
bfloat16 = float32 = float8_e4m3fn = "a type"
class Tensor:
    def __init__(self, *shape): self.shape = shape
    def t(self): return Tensor(*self.shape[::-1])
    def to(self, dtype): return self
    def __matmul__(self, other):
        (m, k), n = self.shape, other.shape[1]
        assert other.shape[0] == k
        clock[0] += 0.004 + 2.0 * m * n * k / 600e9 + 2.0 * (m * k + k * n + m * n) / 2.5e9
def randn(*shape, device, dtype): return Tensor(*shape)
def ones(shape, device, dtype): return Tensor(*shape)
def _scaled_mm(a, b, scale_a, scale_b, out_dtype, use_fast_accum):
    assert (len(scale_a.shape), len(scale_b.shape)) in ((0, 0), (2, 2))
    assert use_fast_accum == bool(scale_a.shape)
    if scale_a.shape: assert scale_a.shape[0] == a.shape[0] and scale_b.shape[1] == b.shape[1]
    a @ b
class Event:
    def __init__(self, enable_timing): pass
    def record(self): self.at = clock[0]
    def elapsed_time(self, end): return end.at - self.at
class cuda:
    Event = Event
    is_available = staticmethod(lambda: True)
    synchronize = staticmethod(lambda: None)
class nn:
    class functional:
        @staticmethod
        def scaled_dot_product_attention(q, k, v, is_causal, enable_gqa):
            (b, h, m, d), (_, g, n, _) = q.shape, k.shape
            assert k.shape == v.shape and is_causal == (m > 1) and enable_gqa == (g < h)
            products = 4.0 * b * h * m * n * d / (2 if is_causal else 1)
            clock[0] += 0.008 + products / 400e9 + 4.0 * b * g * n * d / 2e9
'''


def run(*words, path="", fails=False):
    done = subprocess.run([sys.executable, *map(str, words)], text=True, capture_output=True, cwd=ROOT,
                          env={**os.environ, "PYTHONPATH": path})
    assert (done.returncode != 0) == fails, done.stderr
    return done.stdout if not fails else done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "torch.py").write_text(TORCH)
        reader = " ".join((ROOT / "tools/fit_gpu.py").read_text().split())
        for what, more in (("gemm", ()), ("gemm", ("--dtype", "fp8")),
                           ("gemm", ("--dtype", "fp8", "--rowwise")), ("attention", ())):
            text = run("tools/measure_gpu.py", what, "--system", "new", "--repeats", 1, *more, path=folder)
            shapes = run("tools/measure_gpu.py", what, "--system", "new", "--list", *more)
            assert [line.rsplit(",", 1)[0] for line in text.splitlines()] == shapes.splitlines()
            header = text.splitlines()[0]
            assert f"of {what}: {header}" in reader, header  # as fit_gpu.py says that it reads
            names = {line.split(",")[1] for line in text.splitlines()[1:]}
            assert names == ({"context_attention", "generation_attention"} if what == "attention" else {
                "fp8-rowwise" if "--rowwise" in more else more[1] if more else "bf16"})
            assert all(name in reader for name in names)
        rows = [line.split(",") for line in run("tools/measure_gpu.py", "gemm", "--system", "new",
                                                "--repeats", 1, path=folder).splitlines()]
        square = next(row for row in rows if row[2:5] == ["4096", "4096", "4096"])
        # 4 us, 2 x 4096^3 over 600 Tflop/s, 3 x 4096^2 x 2 B over 2.5 TB/s.
        assert abs(float(square[5]) - (4 + 229.065 + 40.265)) < 0.01, square
        for words in (("gemm",), ("attention", "--dtype", "fp8")):
            assert "--rowwise is of gemm with --dtype fp8" in run("tools/measure_gpu.py", *words, "--rowwise",
                                                                  "--system", "new", fails=True)
        assert "invalid choice" in run("tools/measure_gpu.py", "norm", "--system", "new", fails=True)
    print("measured and listed")


if __name__ == "__main__":
    main()
