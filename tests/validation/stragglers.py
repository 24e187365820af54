"""Target F5: what slow workers do to a step of data- and pipeline-parallel training.

Recorded operations of three jobs (stragglers/, ByteDance's StragglerAnalysis) are replayed: each worker, all
GPUs of a pipeline stage of a replica, is one GPU here, whose kernels and transfers take what was recorded.
Who waits for whom is not recorded; it comes from the schedule (1F1B, as its kernels were ordered) and is
simulated by messages of 8 B: a transfer begins when all who take part have come. The other time of a pair is
that of a job without stragglers: every operation takes its kind's mean (kernels) or median (transfers) over
workers, micro-batches and steps. Nothing is fitted.
"""
import csv
import gzip
import itertools
import pathlib
import tempfile

from harness import DATA

FOLDER = DATA / "stragglers"
#: Replicas and pipeline stages; what the source says is slow.
JOBS = {"ar": (4, 4, "one worker"), "st": (2, 4, "the last stage"), "se": (32, 2, "long sequences")}
COMPUTE = ("forward-compute", "backward-compute")
TRANSFERS = ("forward-recv", "forward-send", "backward-recv", "backward-send")
#: After the last backward, in this order; those of SYNCED wait for others.
CLOSING = ("layernorm-grads-all-reduce", "embedding-grads-all-reduce", "grads-reduce-scatter",
           "optimizer-clip-main-grad", "optimizer")
SYNCED = (*TRANSFERS, "params-all-gather", "embedding-grads-all-reduce", "grads-reduce-scatter",
          "optimizer-clip-main-grad")


def rows_of(name):
    with gzip.open(FOLDER / f"{name}.csv.gz", "rt") as file:
        return [{key: value if key == "operation" else int(value) for key, value in row.items()}
                for row in csv.DictReader(file)]


def published():
    """{(trace, step): row}."""
    with open(FOLDER / "published.csv") as file:
        return {(row["trace"], row["step"]): row for row in csv.DictReader(file)}


def usual_us(name):
    """{operation: what it takes without stragglers}."""
    with open(FOLDER / "usual.csv") as file:
        return {row["operation"]: float(row["usual_us"]) for row in csv.DictReader(file) if row["trace"] == name}


class Step:
    """The operations of a step by (replica, stage, operation, index)."""

    def __init__(self, rows, replicas, stages):
        self.replicas, self.stages = replicas, stages
        self.rows = {(row["dp"], row["stage"], row["operation"], row["index"]): row for row in rows}

    def group(self, key):
        """Everybody who takes part in an operation of SYNCED."""
        replica, stage, operation, index = key
        if operation in TRANSFERS:
            direction, side = operation.split("-")
            ahead = (direction == "forward") == (side == "send")
            peer = "recv" if side == "send" else "send"
            return sorted([key, (replica, stage + (1 if ahead else -1), f"{direction}-{peer}", index)])
        if operation == "embedding-grads-all-reduce":
            return [(replica, s, operation, index) for s in sorted({0, self.stages - 1})]
        stages = range(self.stages) if operation == "optimizer-clip-main-grad" else [stage]
        return [(r, s, operation, index) for r in range(self.replicas) for s in stages]

    def duration_us(self, key):
        """Of a transfer what it takes when all have come."""
        row = self.rows[key]
        if key[2] not in SYNCED:
            return row["duration_us"]
        last = max(self.rows[member]["start_us"] for member in self.group(key))
        return max(0, row["start_us"] + row["duration_us"] - last)

    def kernels(self, replica, stage):
        """Of a worker, in the order in which they ran."""
        mine = [key for key in self.rows if key[:2] == (replica, stage) and key[2] in COMPUTE]
        return sorted(mine, key=lambda key: self.rows[key]["start_us"])


class Schedule:
    """A GOAL schedule, written piece by piece."""

    def __init__(self, ranks):
        self.lines = [[] for _ in range(ranks)]
        self.labels = [0] * ranks
        self.tags = itertools.count()

    def add(self, rank, text, after):
        self.labels[rank] += 1
        label = f"l{self.labels[rank]}"
        self.lines[rank].append(f"{label}: {text}")
        self.lines[rank] += [f"{label} requires {other}" for other in after]
        return label

    def meet(self, starts):
        """{rank: label after which all have come}, where starts is {rank: labels that it waits for}. The
        first one hears of all others and tells them."""
        leader, *others = sorted(starts)
        tag = next(self.tags)
        come = [self.add(leader, f"recv 8b from {other} tag {tag}", []) for other in others]
        known = {}
        for other in others:
            told = self.add(other, f"send 8b to {leader} tag {tag}", starts[other])
            self.add(leader, f"send 8b to {other} tag {tag}", [*come, *starts[leader]])
            known[other] = [self.add(other, f"recv 8b from {leader} tag {tag}", []), told]
        known[leader] = [*come, *starts[leader]]
        return known

    def text(self):
        parts = [f"num_ranks {len(self.lines)}\n"]
        for rank, lines in enumerate(self.lines):
            parts += [f"\nrank {rank} {{\n", *(f"{line}\n" for line in lines), "}\n"]
        return "".join(parts)


def waits_of(step):
    """{operation: those of its own worker that it waits for}."""
    waits = {}
    for replica, stage in itertools.product(range(step.replicas), range(step.stages)):
        def has(operation, index, worker=(replica, stage)):
            return (*worker, operation, index) in step.rows

        def key(operation, index, worker=(replica, stage)):
            return (*worker, operation, index)

        kernels = step.kernels(replica, stage)
        for before, kernel in zip([None, *kernels], kernels):
            waits[kernel] = [before] if before else []
        first_backward = next(i for i, kernel in enumerate(kernels) if kernel[2] == "backward-compute")
        for direction in ("forward", "backward"):
            for side in ("recv", "send"):
                name = f"{direction}-{side}"
                for index in itertools.takewhile(lambda i: has(name, i), itertools.count()):
                    mine = waits.setdefault(key(name, index), [])
                    if index > 0:
                        mine.append(key(name, index - 1))
                    if side == "send":
                        mine.append(key(f"{direction}-compute", index))
                        continue
                    waits[key(f"{direction}-compute", index)].append(key(name, index))
                    if index > 0:
                        mine.append(key(f"{direction}-compute", index - 1))
                    elif direction == "backward" and first_backward >= 2:
                        mine.append(kernels[first_backward - 2])
        if has("params-all-gather", 0):
            waits[key("params-all-gather", 0)] = []
            waits[key("forward-compute", 0)].append(key("params-all-gather", 0))
        last = kernels[-1]
        for operation in CLOSING:
            for index in itertools.takewhile(lambda i: has(operation, i), itertools.count()):
                waits[key(operation, index)] = [last]
                last = key(operation, index)
    return waits


def schedule_of(step, duration_us):
    """The GOAL schedule of a step whose operations take duration_us(key)."""
    waits = waits_of(step)
    assert set(waits) == set(step.rows), "an operation of the trace has no place in the schedule"
    schedule = Schedule(step.replicas * step.stages)
    processors = {name: i for i, name in enumerate(("kernels", *TRANSFERS, "gradients"))}
    labels = {}

    def rank(key):
        return key[0] * step.stages + key[1]

    def place(key):
        """Writes an operation and its group, after everything that they wait for."""
        ahead = [key]
        while ahead:
            group = step.group(ahead[-1]) if ahead[-1][2] in SYNCED else [ahead[-1]]
            missing = [other for member in group for other in waits[member] if other not in labels]
            if missing:
                ahead.append(missing[0])
                continue
            ahead.pop()
            if group[0] in labels:
                continue
            starts = {rank(member): [labels[other] for other in waits[member]] for member in group}
            known = schedule.meet(starts) if len(group) > 1 else starts
            for member in group:
                operation = member[2]
                processor = processors.get(operation, processors["kernels" if operation in COMPUTE else "gradients"])
                ns = round(1000 * duration_us(member))
                labels[member] = schedule.add(rank(member), f"calc {ns} cpu {processor}", known[rank(member)])

    for key in sorted(waits, key=lambda key: step.rows[key]["start_us"]):
        place(key)
    return schedule.text()


def simulate(run, text, workers):
    """The step [s]."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "step.goal"
        path.write_text(text)
        return run("traces/stragglers.xml", goal=path, servers=-(-workers // 8))["step_time_ps"] * 1e-12


def target_f5(run, short):
    """Steps as they were measured and by the source's own simulator, which leaves out gaps in which nothing
    was recorded; what they would take without stragglers, and the ratio of both."""
    known = published()
    for name, (replicas, stages, slow) in JOBS.items():
        rows, usual = rows_of(name), usual_us(name)
        steps = sorted({row["step"] for row in rows})[:1 if short else None]
        for number in steps:
            step = Step([row for row in rows if row["step"] == number], replicas, stages)
            recorded = simulate(run, schedule_of(step, step.duration_us), replicas * stages)
            expected = known[name, str(number)]
            for what, column in (("measured", "recorded_s"), ("by its simulator", "without_gaps_s")):
                yield {"row": f"{slow}, step {number}, {what}", "published": float(expected[column]),
                       "simulated": recorded, "unit": "s", "bound_pct": 3}
            if number == steps[0]:
                ideal = simulate(run, schedule_of(step, lambda key: usual[key[2]]), replicas * stages)
                yield {"row": f"{slow}, without it", "published": float(expected["ideal_s"]), "simulated": ideal,
                       "unit": "s", "bound_pct": 3}
            yield {"row": f"{slow}, step {number}, slowdown", "unit": "", "bound_pct": 3, "simulated": recorded / ideal,
                   "published": float(expected["without_gaps_s"]) / float(expected["ideal_s"])}


TARGETS = {"F5": target_f5}
