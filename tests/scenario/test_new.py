#!/usr/bin/python3
"""What `lightrail new` writes validates and runs, whatever was asked for; its questions on a terminal.

usage: test_new.py LIGHTRAIL [--all]    --all: every server with every network and workload; without it every
                                        server with every network, and every model and collective on one
"""
import concurrent.futures
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from named_cases import check, run_cases_in_folders  # noqa: E402

FABRICS = ("rail-optimised", "fat-tree", "rail-only", "dragonfly-plus", "single-switch", "none")
COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all")
LARGE = "128"  # servers that hold every model
UNSERVED = ("nemotron", "palm")  # hybrids and parallel layers, of which inference knows nothing


def call(lightrail, folder, *words):
    return subprocess.run([lightrail, *words], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=300)


def names(lightrail, folder, kind):
    listed = json.loads(call(lightrail, folder, "catalogue", "list", kind, "--json").stdout)
    return [entry["entry"].split("/")[1] for entry in listed]


def rates(lightrail, folder):
    """{server: rate of its NICs' ports}, without those that need a storage network."""
    def shown(entry):
        return json.loads(call(lightrail, folder, "catalogue", "show", entry, "--json").stdout)

    def rate(server):
        nic = next((part["entry"] for part in shown(f"servers/{server}")["parts"] if part["part"] == "nic"), None)
        return nic and next(v["value"] for v in shown(nic)["values"] if v["name"] == "port-rate")

    found = {server: rate(server) for server in names(lightrail, folder, "servers")}
    return {server: rate for server, rate in found.items() if rate}


def networks(lightrail, folder, every):
    """Options of every server with every network that can join its NICs."""
    for server, rate in rates(lightrail, folder).items():
        for fabric in FABRICS:
            count = [] if fabric == "none" else ["--servers", "1" if fabric == "single-switch" else "2"]
            if fabric == "single-switch" and (server, rate) == ("gb200_nvl72", "400 Gb/s"):
                continue  # 72 NICs, 64 ports
            yield ["--server", server, "--fabric", fabric, *count]
            if rate == "400 Gb/s" and fabric != "none" and (every or server == "dgx_h100"):
                yield ["--server", server, "--fabric", fabric, *count, "--ethernet"]


def combinations(lightrail, folder, every):
    jobs = [["--collective", name] for name in COLLECTIVES]
    jobs += [["--model", name, "--servers", LARGE] for name in names(lightrail, folder, "models")]
    jobs += [["--workload", "inference", "--model", name, "--servers", "16"]
             for name in names(lightrail, folder, "models") if not name.startswith(UNSERVED)]
    if not every:
        return [*networks(lightrail, folder, every), *jobs]
    kinds = [["--workload", "collective"], ["--workload", "training"], ["--workload", "inference"]]
    return [*jobs, *([*network, *kind] for network in networks(lightrail, folder, every) for kind in kinds)]


def try_one(lightrail, options):
    """"" or what is wrong. `new` validates what it has written. By formula where there is one: that each kind
    of job runs in trains is another case."""
    with tempfile.TemporaryDirectory() as folder:
        made = call(lightrail, folder, "new", "x.xml", *options)
        if made.returncode:
            return f"{options}: new: {made.stderr}"
        formula = 'name="detail"' in (pathlib.Path(folder) / "x.xml").read_text()
        ran = call(lightrail, folder, "run", "x.xml", "--progress", "none", "--set",
                   "detail=formula" if formula else "requests=1")
        return f"{options}: run: {ran.stderr}" if ran.returncode else ""


def everything_runs(lightrail, every, folder):
    options = combinations(lightrail, folder, every)
    check(len(options) > 100, len(options))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [problem for problem in pool.map(lambda o: try_one(lightrail, o), options) if problem]
    check(not wrong, "\n     ".join(wrong))


def what_is_written_runs_in_trains(lightrail, every, folder):
    """One of each kind of job, as written, and the trace of one of them."""
    jobs = {"collective": ["--servers", "2"], "inference": ["--workload", "inference", "--servers", "1"],
            "training": ["--model", "gpt3_1_7b", "--server", "a100", "--servers", "1"]}
    for name, options in jobs.items():
        made = call(lightrail, folder, "new", f"{name}.xml", *options)
        check(made.returncode == 0, made.stderr)
        for words in (["validate", f"{name}.xml"], ["run", f"{name}.xml", "--progress", "none"]):
            done = call(lightrail, folder, *words)
            check(done.returncode == 0, done.stderr)
        check((folder / f"{name}.h5").exists(), "no result")
    (folder / "sub").mkdir()
    for words in (["trace", "generate", "collective.xml", "--out", "t.h5"],
                  ["new", "sub/r.xml", "--trace", "t.h5", "--server", "h200"],
                  ["run", "sub/r.xml", "--progress", "none"]):
        done = call(lightrail, folder, *words)
        check(done.returncode == 0, done.stderr)
    text = (folder / "sub/r.xml").read_text()
    check('value="../t.h5"' in text and "servers/hgx_h200" in text, text)


def nothing_is_overwritten(lightrail, every, folder):
    (folder / "mine.xml").write_text("mine")
    done = call(lightrail, folder, "new", "mine.xml")
    check(done.returncode == 2 and "mine.xml: the file exists" in done.stderr, done.stderr)
    check((folder / "mine.xml").read_text() == "mine", "it was overwritten")


def a_terminal_is_asked(lightrail, every, folder):
    """A wrong answer is asked again, an empty one takes what is usual; with an option nothing is asked."""
    master, slave = pty.openpty()
    asked = subprocess.Popen([lightrail, "new", "asked.xml"], cwd=folder, stdin=slave, stdout=subprocess.PIPE,
                             text=True)
    os.close(slave)
    os.write(master, b"trainng\ntraining\n\nhgx_h200\nfat-tree\nmany\n2\n")
    said, _ = asked.communicate(timeout=60)
    os.close(master)
    check(asked.returncode == 0, said)
    check("'trainng' is none of these (did you mean 'training'?)" in said, said)
    check("'many' is no number of servers" in said, said)
    check("training of llama3_8b on 2 servers of hgx_h200 (16 GPUs), fat-tree" in said, said)
    check('kind="fat-tree"' in (folder / "asked.xml").read_text(), said)
    master, slave = pty.openpty()
    told = subprocess.run([lightrail, "new", "told.xml", "--servers", "2"], cwd=folder, stdin=slave, text=True,
                          capture_output=True, timeout=60)
    os.close(slave)
    os.close(master)
    check(told.returncode == 0 and "?" not in told.stdout, told.stdout + told.stderr)


CASES = {
    "every combination validates and runs": everything_runs,
    "each kind of job runs as it is written, and so does the replay of a trace": what_is_written_runs_in_trains,
    "a file that is there stays as it is": nothing_is_overwritten,
    "without options a terminal is asked": a_terminal_is_asked,
}


sys.exit(run_cases_in_folders(CASES, str(pathlib.Path(sys.argv[1]).resolve()), "--all" in sys.argv))
