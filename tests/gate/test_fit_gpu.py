#!/usr/bin/python3
"""tools/fit_gpu.py finds the parameters that times were made with, and writes a file of the catalogue that
runs.

usage: test_fit_gpu.py LIGHTRAIL

Times are the model's own for a device that is in the catalogue, so that a fit has nothing to leave over; then
a scenario of one GPU runs with what was written, and its kernels take the times that were given.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIGHTRAIL = sys.argv[1]
sys.path.insert(0, str(ROOT / "tools"))
import fit_gpu  # noqa: E402

PEAK, BANDWIDTH, SMS = 989e12, 3.35e12, 132
GEMMS = [(m, n, k) for m in (1, 64, 300, 1024, 4096)
         for n, k in ((1024, 1024), (4096, 2048), (2048, 8192), (14336, 4096))]
HEADS = ((32, 32, 128), (32, 8, 128), (64, 8, 64))
PREFILL = [(b, s, 0, *h) for b, s in ((1, 1), (1, 512), (1, 4096), (8, 2048), (32, 256)) for h in HEADS]
DECODE = [(b, 1, keys - 1, *h) for b in (1, 16, 128) for keys in (128, 2048, 16384) for h in HEADS]
DATASHEET = ["--peak", "bf16=989", "--bandwidth", "3.35", "--sms", "132", "--memory", "80 GiB", "--power",
             "700"]
SCENARIO = """<scenario name="one"><cluster servers="1"><server gpus="1" nics="0"><gpu catalogue="gpus/new"/></server></cluster>
  <workload kind="explicit"><program gpus="0">{ops}</program></workload><output><table name="ops" gpus="all"/></output></scenario>"""


def parameters(element):
    return {k: float(v.removesuffix(" us")) for k, v in element.attrib.items()
            if k not in ("dtype", "scaling", "peak", "casts")}


def columns(rows):
    return np.array(rows, float).T


def write(path, header, rows, seconds):
    path.write_text("\n".join([header, *(",".join(map(str, (*row, f"{1e6 * t:.6f}")))
                                         for row, t in zip(rows, seconds))]) + "\n")


def fit(*words, fails=False):
    done = subprocess.run([sys.executable, ROOT / "tools/fit_gpu.py", *map(str, words)], text=True,
                          capture_output=True)
    assert done.returncode == (2 if fails else 0), done.stdout + done.stderr
    return done.stderr if fails else done.stdout


def lightrail(*words):
    done = subprocess.run([LIGHTRAIL, *map(str, words)], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr


def sources_are_complete(gpu):
    """Every figure has a source of a kind; attributes of a <gemm> its own."""
    for element in gpu.iter():
        if element.tag == "source":
            continue
        named = " ".join(s.get("parameter") for s in element.findall("source")).split()
        assert "*" in named or set(element.attrib) <= set(named), (element.tag, named)
        assert all(s.get("kind") and len(s.get("text")) > 10 for s in element.findall("source"))


def measured(folder):
    """Files of times that the catalogue's H100 takes, and those times [s]."""
    device = ElementTree.parse(ROOT / "configs/gpus/h100_sxm.xml").getroot()
    q = parameters(device.find("gemm[@dtype='bf16']"))
    times = fit_gpu.gemm_seconds(q, *columns(GEMMS), 2, False, PEAK, BANDWIDTH, SMS)
    write(folder / "gemm.csv", "system,dtype,m,n,k,time_us", [("new", "bf16", *row) for row in GEMMS], times)
    q = parameters(device.find("attention"))
    b, s, _, h, kv, d = columns(PREFILL)
    prefill = fit_gpu.prefill_seconds(q, b, s, h, kv, d, PEAK, BANDWIDTH, SMS)
    b, _, step, h, kv, d = columns(DECODE)
    decode = fit_gpu.decode_seconds(q, b, step + 1, h, kv, d, BANDWIDTH, SMS)
    write(folder / "attention.csv", "system,op,batch,seqlen,kv_step,heads,kv_heads,head_dim,time_us",
          [("new", "context_attention", *row) for row in PREFILL]
          + [("new", "generation_attention", *row) for row in DECODE], [*prefill, *decode])
    return times


def a_file_is_written_that_runs(folder):
    times = measured(folder)
    # As tools/measure_gpu.py measures: without the cast of the left operand.
    q8 = parameters(ElementTree.parse(ROOT
                                      / "configs/gpus/h100_sxm.xml").getroot().find("gemm[@dtype='fp8']"))
    write(folder / "fp8.csv", "system,dtype,m,n,k,time_us", [("new", "fp8", *row) for row in GEMMS],
          fit_gpu.gemm_seconds(q8, *columns(GEMMS), 1, False, 2 * PEAK, BANDWIDTH, SMS))
    rowwise = {**q8, "efficiency": q8["efficiency"] / 2}
    write(folder / "rowwise.csv", "system,dtype,m,n,k,time_us",
          [("new", "fp8-rowwise", *row) for row in GEMMS],
          fit_gpu.gemm_seconds(rowwise, *columns(GEMMS), 1, False, 2 * PEAK, BANDWIDTH, SMS))
    shutil.copytree(ROOT / "configs", folder / "configs")
    out = folder / "configs/gpus/new.xml"
    said = fit("--system", "new", "--gemm", folder / "gemm.csv", folder / "fp8.csv", folder / "rowwise.csv",
               "--attention", folder / "attention.csv", *DATASHEET[2:], "--peak", "bf16=989", "fp8=1978",
               "fp8-rowwise=1978", "--casts", "off", "--memory-power", 450, "--communication-power", 200,
               "--idle-power", 80, "--collectives-of", ROOT / "configs/gpus/h100_sxm.xml", "--measured",
               "a \"test\"", "--out", out)
    gpu, h100 = (ElementTree.parse(path).getroot() for path in (out, ROOT / "configs/gpus/h100_sxm.xml"))
    sources_are_complete(gpu)
    sources_are_complete(h100)  # so the check is the one that the catalogue keeps
    for name in ("sms", "memory", "memory-bandwidth", "power", "memory-power", "communication-power",
                 "idle-power", "collective-sms", "collective-memory", "point-sms"):
        assert gpu.get(name) == h100.get(name), name
    assert gpu.find("collectives").attrib == h100.find("collectives").attrib
    assert [s.get("kind") for s in gpu.find("collectives")] == ["estimate"]
    text = next(s.get("text") for s in gpu.find("gemm") if s.get("parameter") == "*")
    assert text.startswith('fitted by tools/fit_gpu.py to new bf16 GEMM (a "test"): 20 shapes, median error '), text
    assert text.split(": ", 1)[1] in said, said
    # What the times decide: the smallest kernel, the speed of large products and the speed of memory.
    found, wanted = (parameters(g.find("gemm")) for g in (gpu, h100))
    for name, share in (("latency", 0.05), ("memory-efficiency", 0.05), ("efficiency", 0.1)):
        assert abs(found[name] / wanted[name] - 1) < share, (name, found[name], wanted[name])
    fp8 = gpu.findall("gemm")[1]
    assert (fp8.get("dtype"), fp8.get("peak"), fp8.get("casts"), gpu.find("gemm").get("casts")) == ("fp8", "1978 TFLOP/s", "off", None)
    assert abs(parameters(fp8)["memory-efficiency"] / q8["memory-efficiency"] - 1) < 0.05, fp8.attrib
    rows = gpu.findall("gemm")[2]
    assert [rows.get(name) for name in ("dtype", "scaling", "peak", "casts")] == ["fp8", "rowwise", "1978 TFLOP/s", "off"]
    assert fp8.get("scaling") is None and "new fp8-rowwise GEMM" in out.read_text()
    half = parameters(rows)["efficiency"] / parameters(fp8)["efficiency"]
    assert abs(half / 0.5 - 1) < 0.1, half
    kernel = gpu.find("memory-kernel")
    assert (kernel.get("latency"), kernel.get("efficiency")) == (gpu.find("gemm").get("latency"),
                                                                 gpu.find("gemm").get("memory-efficiency"))
    ops = "".join(f'<op kind="gemm" m="{m}" n="{n}" k="{k}"/>' for m, n, k in GEMMS)
    ops += '<op kind="gemm" m="4096" n="4096" k="4096" dtype="fp8" scaling="rowwise"/>'
    (folder / "one.xml").write_text(SCENARIO.format(ops=ops + '<op kind="memory-bound" size="1 GB"/>'))
    lightrail("validate", folder / "one.xml", "--catalogue", folder / "configs")
    lightrail("run", folder / "one.xml", "--catalogue", folder / "configs", "--out", folder / "one.h5",
              "--progress", "none")
    with h5py.File(folder / "one.h5") as file:
        rows = {name: file["tables/ops"][name][:] for name in ("op", "t_start_ps", "t_end_ps")}
    simulated = (rows["t_end_ps"] - rows["t_start_ps"])[np.argsort(rows["op"])][:len(GEMMS)] * 1e-12
    error = np.abs(simulated / times - 1)
    print(f"products of the written device: median error {np.median(error):.4f}, largest {error.max():.4f}")
    assert np.median(error) < 0.01 and error.max() < 0.05, error


def without_fp8_attention_and_collectives_it_runs_too(folder):
    measured(folder)
    shutil.copytree(ROOT / "configs", folder / "configs")
    out = folder / "configs/gpus/new.xml"
    sys.argv = ["fit_gpu.py", "--system", "new", "--gemm", str(folder / "gemm.csv"), *DATASHEET[:-2], "--out",
                str(out)]
    search, fit_gpu.fit = fit_gpu.fit, lambda space, seconds, times: (
        {name: round(float(of(start)), 4) for name, (of, start) in space.items()},
        np.array([0.125, 0.5, 0.75]))
    fit_gpu.main()
    fit_gpu.fit = search
    gpu = ElementTree.parse(out).getroot()
    sources_are_complete(gpu)
    assert {element.tag for element in gpu} == {"source", "gemm",
                                                "memory-kernel"} and gpu.get("power") is None
    assert "3 shapes, median error 50.0 %, 95th percentile 72.5 %" in out.read_text()
    (folder / "one.xml").write_text(SCENARIO.format(ops='<op kind="gemm" m="64" n="64" k="64"/>'))
    lightrail("run", folder / "one.xml", "--catalogue", folder / "configs", "--out", folder / "one.h5",
              "--progress", "none")


def casts_count_where_times_include_them(_):
    q = parameters(ElementTree.parse(ROOT / "configs/gpus/h100_sxm.xml").getroot().find("gemm[@dtype='fp8']"))
    m, n, k = columns([(4096, 4096, 8192)])
    alone, with_cast = (fit_gpu.gemm_seconds(q, m, n, k, 1, casts, 2 * PEAK, BANDWIDTH, SMS)[0]
                        for casts in (False, True))
    # Two bytes are read, one is written.
    assert abs((with_cast - alone) / (3 * 4096 * 8192 / (BANDWIDTH * q["memory-efficiency"])) - 1) < 1e-9


def a_fit_counts_casts_as_the_times_do(folder):
    """What is fitted gives the times that it is given at the parameters that they were made with, with casts
    and without; of rowwise products without, whatever the others have."""
    measured(folder)
    h100 = ElementTree.parse(ROOT / "configs/gpus/h100_sxm.xml").getroot()
    search = fit_gpu.fit
    for casts in ("on", "off"):
        q8, rowwise = (parameters(element) for element in h100.findall("gemm[@dtype='fp8']"))
        write(folder / "fp8.csv", "system,dtype,m,n,k,time_us", [("new", "fp8", *row) for row in GEMMS],
              fit_gpu.gemm_seconds(q8, *columns(GEMMS), 1, casts == "on", 2 * PEAK, BANDWIDTH, SMS))
        write(folder / "rowwise.csv", "system,dtype,m,n,k,time_us",
              [("new", "fp8-rowwise", *row) for row in GEMMS],
              fit_gpu.gemm_seconds(rowwise, *columns(GEMMS), 1, False, 2 * PEAK, BANDWIDTH, SMS))
        errors = []

        def at_its_parameters(space, seconds, times):
            q = parameters(h100.findall("gemm")[len(errors)])
            errors.append(np.abs(seconds(q) / times - 1).max())
            return q, np.array([0.0])

        sys.argv = ["fit_gpu.py", "--system", "new", "--gemm",
                    *(str(folder / f"{name}.csv") for name in ("gemm", "fp8", "rowwise")), *DATASHEET[2:-2],
                    "--peak", "bf16=989", "fp8=1978", "fp8-rowwise=1978", "--casts", casts, "--out",
                    str(folder / f"{casts}.xml")]
        fit_gpu.fit = at_its_parameters
        try:
            fit_gpu.main()
        finally:
            fit_gpu.fit = search
        assert len(errors) == 3 and max(errors) < 1e-5, (casts, errors)
        written = ElementTree.parse(folder / f"{casts}.xml").getroot()
        sources_are_complete(written)
        assert [gemm.get("casts") for gemm in written.findall("gemm")] == [None, casts, "off"]


def bad_input_is_refused(folder):
    measured(folder)
    good = (folder / "gemm.csv").read_text()
    words = ["--system", "new", "--gemm", folder / "bad.csv", *DATASHEET, "--out", folder / "x.xml"]

    def error(text, *more):
        (folder / "bad.csv").write_text(text)
        sys.argv = ["fit_gpu.py", *map(str, (*words, *more))]
        try:
            fit_gpu.main()
        except fit_gpu.BadInput as problem:
            assert not (folder / "x.xml").exists()
            return str(problem).replace(str(folder) + "/", "")
        raise AssertionError(f"taken: {more}")

    lines = good.splitlines(keepends=True)
    cases = [(good.replace(",k,", ",depth,"), (),
              "bad.csv: lacks the column 'k' (wanted: system,dtype,m,n,k,time_us)"),
             ("", (), "bad.csv: cannot be read (No columns to parse from file)"),
             (lines[0], (), "bad.csv: has no rows"),
             (good.replace("new,", "old,"), (), "bad.csv: no rows of system 'new' (there are: old)"),
             (good.replace(",bf16,", ",fp16,"), (), "bad.csv: no rows of dtype 'bf16' (there are: fp16)"),
             ("".join(lines[:6]), (), "bad.csv: 5 rows of dtype 'bf16' for 9 parameters"),
             (lines[0] + lines[1] + "new,bf16,64,64,64,-3\n", (),
              "bad.csv:3: column 'time_us': '-3.0' is no number above 0"),
             (lines[0] + lines[1] + "new,bf16,many,64,64,3\n", (),
              "bad.csv:3: column 'm': 'many' is no number above 0"),
             (good, ("--peak", "fp8=1979"),
              "--peak: bf16 is missing, whose products memory-bound kernels and attention go by"),
             (good, ("--peak", "int8=3"),
              "--peak int8=3: no data type that is fitted (bf16, fp8, fp8-rowwise)"),
             (good, ("--peak", "bf16"), "--peak bf16: wanted a number of TFLOP/s, as in bf16=989"),
             (good, ("--peak", "bf16=-1"), "--peak bf16: -1 is not above 0"),
             (good, ("--peak", "bf16=1", "fp8=2"),
              "--casts belongs to fp8 products: on where their times include the cast of the "
              "left operand, else off"), (good, ("--peak", "bf16=1", "fp8-rowwise=2", "--casts", "off"),
                                          "bad.csv: no rows of dtype 'fp8-rowwise' (there are: bf16)"),
             (good, ("--peak", "bf16=1", "fp8-rowwise=2", "--casts", "on"),
              "--casts on: times of fp8-rowwise are those of the product alone"),
             (good, ("--peak", "bf16=1", "fp8-rowwise=2"),
              "bad.csv: no rows of dtype 'fp8-rowwise' (there are: bf16)"),
             (good, ("--casts", "on"),
              "--casts belongs to fp8 products: on where their times include the cast of the left operand, "
              "else off"), (good, ("--memory", "much"), "--memory much: wanted a size, as in '80 GiB'"),
             (good, ("--attention", folder / "none.csv"), "none.csv: cannot be read ("),
             (good, ("--collectives-of", folder / "bad.csv"), "--collectives-of bad.csv: cannot be read ("),
             (good, ("--collectives-of", ROOT / "configs/models/llama3_8b.xml"),
              f"--collectives-of {ROOT}/configs/models/llama3_8b.xml: is no <gpu> with <collectives>")]
    for text, more, wanted in cases:
        said = error(text, *more)
        assert (said == wanted or wanted.endswith("(")
                and said.startswith(wanted)) and "\n" not in said, (wanted, said)
    prefill = "".join(line for line in (folder / "attention.csv").read_text().splitlines(keepends=True)
                      if "generation" not in line)
    (folder / "prefill.csv").write_text(prefill)
    assert "no rows of op 'generation_attention' (there are: context_attention)" in error(good, "--attention", folder / "prefill.csv")
    (folder / "x2.xml").write_text("kept")
    assert fit(*words[:-1], folder / "x2.xml",
               fails=True) == f"fit_gpu.py: {folder}/x2.xml is there already\n"
    assert (folder / "x2.xml").read_text() == "kept"


def main():
    for test in (bad_input_is_refused, casts_count_where_times_include_them,
                 a_fit_counts_casts_as_the_times_do, a_file_is_written_that_runs,
                 without_fp8_attention_and_collectives_it_runs_too):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
        print(test.__name__)


if __name__ == "__main__":
    main()
