"""What the targets share: running scenarios, several at a time, reading the published tables, turning both
into rows.

A target is a function target(run, short) that yields rows {"row", "published", "simulated", "unit",
"bound_pct"}; `run` is a Runner. bound_pct is the target's own bound of one row (its worst), 0 where a row
must be exact. "is_ceiling": what is published is not to be exceeded.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "validation"


class RunFailed(Exception):
    """A scenario did not run; the command and what it said."""


class Runner:
    """Runs scenarios with one lightrail command, `jobs` at a time, and remembers what it has run. Targets in
    several threads share it."""

    def __init__(self, lightrail, jobs=1):
        self.lightrail = lightrail
        self.slots = threading.Semaphore(jobs)
        self.lock = threading.Lock()
        self.done = {}
        self.running = set()
        self.is_stopped = False
        self.pool = ThreadPoolExecutor(max_workers=64, thread_name_prefix="ahead")

    def __call__(self, scenario, **settings):
        """The JSON summary of one run, with what the command printed under "stdout". settings: values of
        variables, and options by their name with dashes ("--seed")."""
        key = (scenario, *sorted(settings.items()))
        with self.lock:
            is_new = key not in self.done
            mine = self.done.setdefault(key, Future())
        if is_new:
            try:
                mine.set_result(self.simulate(scenario, settings))
            except BaseException as error:  # whoever asks for this run gets it
                mine.set_exception(error)
        return mine.result()

    def ahead(self, scenario, many_settings):
        """Starts runs that will be asked for, so that a target that asks for one after the other does not
        keep `jobs` idle."""
        for settings in many_settings:
            self.pool.submit(self, scenario, **settings)

    def stop(self):
        """Ends what runs and starts nothing more."""
        with self.lock:
            self.is_stopped = True
            for process in self.running:
                process.kill()
        self.pool.shutdown(cancel_futures=True)

    def execute(self, command):
        """What the command prints; raises RunFailed."""
        with self.slots:
            with self.lock:
                if self.is_stopped:
                    raise RunFailed("stopped")
                process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.running.add(process)
            printed, errors = process.communicate()
        with self.lock:
            self.running.remove(process)
        if process.returncode != 0:
            raise RunFailed(f"{' '.join(command)}\nended with exit code {process.returncode}\n{errors}")
        return printed

    def simulate(self, scenario, settings):
        with tempfile.TemporaryDirectory() as folder:
            summary = pathlib.Path(folder) / "summary.json"
            command = [self.lightrail, "run", str(ROOT / "scenarios" / scenario), "--progress", "none",
                       "--out", str(pathlib.Path(folder) / "run.h5"), "--summary", str(summary)]
            for name, value in settings.items():
                command += [name, str(value)] if name.startswith("--") else ["--set", f"{name}={value}"]
            printed = self.execute(command)
            result = json.loads(summary.read_text())
            result["stdout"] = printed
            with h5py.File(pathlib.Path(folder) / "run.h5") as file:
                result["markers"] = markers(file)
                result["passes_ps"] = passes_ps(file)
                result["lead_ps"] = lead_ps(file)
                result["end_by_gpu_ps"] = end_by_gpu_ps(file)
                result["operations_ps"] = operations_ps(file)
                result["flows"] = flows(file)
                result["algorithms"] = algorithms(file["tables/collectives"]) if "tables/collectives" in file else {}
                result["link_busy_ps"] = link_busy_ps(file["tables/link_use"]) if "tables/link_use" in file else {}
                result["uplink_bytes"] = uplink_bytes(file)
                result["most_headroom_bytes"] = most_headroom_bytes(file)
                result["circuits"] = last_circuits(file["tables/ocs"]) if "tables/ocs" in file else []
            return result


def algorithms(table):
    """{size: name of the algorithm} of the recorded collectives."""
    labels = [label.decode() if isinstance(label, bytes) else label
              for label in table["algorithm"].attrs["labels"]]
    return {int(size): labels[algorithm] for size, algorithm in zip(table["size_bytes"][:],
                                                                    table["algorithm"][:])}


def lead_ps(file):
    """Of recorded operations that a CPU launched and that started in the middle half of the run: start after
    launch, median; None where there are none."""
    ops = file["tables/ops"] if "tables/ops" in file else {}
    launch = ops["t_launch_ps"][:] if ops else np.array([])
    if not (launch >= 0).any():
        return None
    start = ops["t_start_ps"][:]
    quarter = (ops["t_end_ps"][:].max() - start.min()) / 4
    is_middle = (start >= start.min() + quarter) & (start <= start.min() + 3 * quarter)
    leads = (start - launch)[is_middle & (launch >= 0)]
    return float(np.median(leads)) if leads.size else None


def first_operations(file):
    """(kind, name, start, end [ps]) of the first recorded GPU's operations in its first iteration; none where
    they are not recorded."""
    ops = file["tables/ops"] if "tables/ops" in file else {}
    if len(ops) == 0 or len(ops["gpu"]) == 0:
        return []
    kinds = [k.decode() if isinstance(k, bytes) else k for k in ops["kind"].attrs["labels"]]
    names = [n.decode() if isinstance(n, bytes) else n for n in file["names"][:]]
    first = min(ops["gpu"][:])
    rows = zip(*(ops[column][:] for column in ("gpu", "iteration", "kind", "name", "t_start_ps", "t_end_ps")))
    return [(kinds[kind], names[name], int(start), int(end))
            for gpu, iteration, kind, name, start, end in rows if gpu == first and iteration == 0]


def end_by_gpu_ps(file):
    """{GPU: end of its last recorded operation [ps]}."""
    ends = {}
    if "tables/ops" in file:
        for gpu, end in zip(file["tables/ops/gpu"][:], file["tables/ops/t_end_ps"][:]):
            ends[int(gpu)] = max(ends.get(int(gpu), 0), int(end))
    return ends


def markers(file):
    """{name: time [ps]} of the first recorded GPU's markers in its first iteration."""
    return {name: end for kind, name, _, end in first_operations(file) if kind == "marker"}


def passes_ps(file):
    """[(marker, time [ps] from it to the next one, less what its receives waited)] of the first recorded
    GPU."""
    operations = first_operations(file)
    marks = sorted((end, name) for kind, name, _, end in operations if kind == "marker")
    receives = [(start, end) for kind, _, start, end in operations if kind == "recv"]
    return [(name, end - begin - sum(b - a for a, b in receives if begin <= a < end))
            for (begin, name), (end, _) in zip(marks, marks[1:])]


def operations_ps(file):
    """{name: sum of durations [ps]} of the first recorded GPU's operations in its first iteration."""
    sums = {}
    for _, name, start, end in first_operations(file):
        sums[name] = sums.get(name, 0) + end - start
    return sums


def flows(file):
    """Columns from, to, size [B], start, end [ps] of the recorded flows; empty where the workload has none."""
    ops = file["tables/ops"] if "tables/ops" in file else {}
    names = file["names"].asstr()[:] if len(ops) else []
    receiver_of = np.array([int(name.removeprefix("flow to ")) if name.startswith("flow to ") else -1
                            for name in names], dtype=int)
    if not len(ops) or not (receiver_of >= 0).any():
        return np.empty((5, 0), dtype=int)
    receiver = receiver_of[ops["name"][:]]
    return np.array([column[receiver >= 0] for column in (ops["gpu"][:], receiver, ops["size_bytes"][:],
                                                          ops["t_start_ps"][:], ops["t_end_ps"][:])])


def link_busy_ps(table):
    """{link: time [ps] that it carried payload}."""
    busy = {}
    for link, time in zip(table["link"][:], table["t_busy_ps"][:]):
        busy[int(link)] = busy.get(int(link), 0) + int(time)
    return busy


def uplink_bytes(file):
    """{leaf: [bytes of each link to a spine]}; none where link_use is not recorded."""
    use = file["tables/link_use"] if "tables/link_use" in file else {"link": [], "size_bytes": []}
    carried = {}
    for link, size in zip(use["link"][:], use["size_bytes"][:]):
        carried[int(link)] = carried.get(int(link), 0) + int(size)
    names = dict(zip(file["model/components/id"][:].tolist(), file["model/components/name"].asstr()[:]))
    leaves = {}
    ends = zip(file["model/links/from"][:].tolist(), file["model/links/to"][:].tolist())
    for link, (a, b) in enumerate(ends):
        if names[a].startswith("leaf") and names[b].startswith("spine"):
            leaves.setdefault(names[a], []).append(carried.get(link, 0))
    return leaves if carried else {}


def most_headroom_bytes(file):
    """Most that the headroom of one port and class held, of all; 0: none was used."""
    if "tables/buffer" not in file:
        return 0
    rows = zip(file["tables/buffer/port"][:], file["tables/buffer/max_headroom_bytes"][:])
    return max((int(most) for port, most in rows if port >= 0), default=0)


def last_circuits(table):
    """[(optical switch, port in, port out)] of the circuits that stand when the run ends."""
    rows = zip(*(table[column][:].tolist() for column in ("component", "port_in", "port_out", "t_end_ps")))
    return [row[:3] for row in rows if row[3] < 0]


def table(name):
    """The rows of a published table of this folder."""
    with open(DATA / name) as file:
        return list(csv.DictReader(file))


def collective_times(summary):
    """{(collective, nccl-tests size): time [us]} of a benchmark run."""
    return {(c["collective"].replace("-", "_"), c["size_bytes"]): c["median_ps"] * 1e-6
            for c in summary["collectives"]}


def time_rows(label, measured, simulated, bound):
    """One row a size that both have; measured, simulated: {(collective, size): us}."""
    for key in sorted(measured):
        if key in simulated:
            yield {"row": f"{label} {key[0]} {key[1]} B", "published": measured[key],
                   "simulated": simulated[key], "unit": "us", "bound_pct": bound}


def printed_us(text, label):
    """Second figure [us] of the line of `text` that starts with `label` (captured, simulated)."""
    line = next((l for l in text.splitlines() if l.startswith(label)), None)
    figures = re.findall(r"([\d.]+) (ns|us|ms|s)\b", line or "")
    if len(figures) < 2:
        sys.exit(f"the run did not print '{label}' with a captured and a simulated time")
    return float(figures[1][0]) * {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[figures[1][1]]
