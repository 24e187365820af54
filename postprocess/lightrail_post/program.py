"""Runs the program lightrail: a scenario to an opened result, a sweep to a DataFrame."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from .progress import shown
from .result import Run, open_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .scenario import Scenario

MISTAKE = re.compile(r"^error: (?:(?P<file>[^:\n]+):(?P<line>\d+): )?(?P<what>.*)$", re.M)
MERGED = re.compile(r"^\d+ points: \d+ complete, \d+ failed, \d+ not run; (?P<table>.*)$", re.M)


@dataclass(frozen=True)
class Mistake:
    """A mistake in an input, and where: `file` is "" and `line` 0 where the program names none."""

    file: str
    line: int
    what: str


class LightrailError(RuntimeError):
    """The program did not end well: `exit_code`, `mistakes` (a list of Mistake) and its whole `output`."""

    def __init__(self, exit_code: int, output: str) -> None:
        self.exit_code = exit_code
        self.output = output
        self.mistakes = [Mistake(found["file"] or "", int(found["line"] or 0), found["what"])
                         for found in MISTAKE.finditer(output)]
        said = "\n".join(found[0].removeprefix("error: ") for found in MISTAKE.finditer(output))
        super().__init__(f"lightrail: exit code {exit_code}\n{said or output.strip()}")


class ScenarioError(LightrailError):
    """What was given to the program is wrong (exit code 2): `mistakes` has all of it."""


class SimulationFailed(LightrailError):
    """The simulated system failed (exit code 3): a deadlock, a destination that cannot be reached."""


def find_program(program: str | Path | None = None) -> str:
    """Path of the program: `program`, else what LIGHTRAIL names, else lightrail in PATH, else the release
    build of the checkout that this package lies in, else what is installed below the same prefix.
    FileNotFoundError: there is none.

    >>> Path(post.find_program()).name
    'lightrail'
    """
    here = Path(__file__).resolve().parents
    # The release build of a checkout, or what is installed below the same prefix.
    places = [here[2] / "build" / "release" / "bin" / "lightrail", *(p / "bin" / "lightrail" for p in here[4:5])]
    built = next((place for place in places if place.exists()), None)
    wanted = str(program or os.environ.get("LIGHTRAIL") or "")
    found = shutil.which(wanted or "lightrail") or (str(built) if not wanted and built else None)
    if found is None:
        raise FileNotFoundError(f"no program '{wanted or 'lightrail'}': say program=, set LIGHTRAIL or PATH")
    return found


def value_text(value: Any) -> str:
    """As scenarios write it: on and off for booleans."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _setting_words(settings):
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value_text(value)}")]


def _fail(code, output):
    raise {2: ScenarioError, 3: SimulationFailed}.get(code, LightrailError)(code, output)


def _file_of(scenario: str | Path | Scenario, sweep: Mapping[str, Sequence] | None = None) -> tuple[str, str]:
    """(file, name) of a scenario; of one that was built it is written, with its sweep."""
    from .scenario import Scenario
    if isinstance(scenario, Scenario):
        return str(scenario.write(sweep=dict(_vary(sweep or {})))), scenario.name
    return str(scenario), Path(scenario).stem


def _texts_of(sweep, separator):
    for name, values in sweep.items():
        texts = [value_text(value) for value in values]
        if not texts or any(separator in text for text in texts):
            raise ValueError(f"sweep: values of '{name}' are none, or have a '{separator}' in them")
        yield name, texts


def _vary(sweep):
    return [(name, "; ".join(texts) + (";" if len(texts) == 1 else "")) for name, texts in _texts_of(sweep, ";")]


def _over_words(scenario, sweep):
    """For a file: its own <sweep>, if any, makes room for these."""
    if not isinstance(scenario, (str, Path)):
        return []
    return [word for name, texts in _texts_of(sweep, ",") for word in ("--over", f"{name}={','.join(texts)}")]


def run(scenario: str | Path | Scenario, *, out: str | Path | None = None, ranks: int = 1,
        program: str | Path | None = None, options: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None, **variables: Any) -> Run:
    """Runs a scenario (a file, or one that was built) and opens its result.

    out: the result file, by default the scenario's name with .h5 in the working folder. ranks: started by
    mpiexec. options: more words for `lightrail run`. All other names, and those in `settings`, are variables
    of the scenario; True and False are on and off. How far it is stands below a notebook's cell or on a
    terminal.

    ScenarioError: the scenario has mistakes (`mistakes`: file, line and text of each). SimulationFailed: the
    simulated system failed. LightrailError: anything else that is not an exit code of 0.

    >>> small = post.run(scenario, out=folder / "small.h5", layers=2)
    >>> small.info["status"]
    'complete'
    >>> post.run(scenario, layrs=2)
    Traceback (most recent call last):
    ...
    lightrail_post.program.ScenarioError: lightrail: exit code 2
    --set layrs=2: the scenario has no variable 'layrs' (did you mean 'layers'?)
    """
    return _run("run", scenario, out, ranks, program, options, {**(settings or {}), **variables})


def run_goodput(scenario: str | Path | Scenario, *, out: str | Path | None = None, ranks: int = 1,
                program: str | Path | None = None, options: Sequence[str] = (),
                settings: Mapping[str, Any] | None = None, **variables: Any) -> Run:
    """Plays weeks of a scenario's job (`lightrail goodput`), of which `summary["goodput"]` of the result has the
    shares of time. Everything else is as with run(); sweep() plays them for every point.

    >>> post.run_goodput(scenario)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    lightrail_post.program.ScenarioError: lightrail: exit code 2
    ... lightrail goodput needs a scenario with <goodput>
    """
    return _run("goodput", scenario, out, ranks, program, options, {**(settings or {}), **variables})


def _run(command, scenario, out, ranks, program, options, given):
    file, name = _file_of(scenario)
    out = Path(out or f"{name}.h5")
    start = ["mpiexec", "-n", str(ranks)] if ranks > 1 else []
    words = [*start, find_program(program), command, file, "--out", str(out), "--progress", "bar", *options,
             *_setting_words(given)]
    code, output = shown(words)
    if code != 0:
        _fail(code, output)
    return open_run(out)


def sweep(scenario: str | Path | Scenario, *, jobs: int = 0, ranks: int = 1, out: str | Path | None = None,
          only: Mapping[str, Any] | None = None, retry: int = 0, keep_results: bool = True,
          program: str | Path | None = None, options: Sequence[str] = (),
          settings: Mapping[str, Any] | None = None, **variables: Any) -> pd.DataFrame:
    """Runs the points of a scenario's <sweep> (`lightrail sweep --jobs`), or in their place those of the
    lists among `variables`: all combinations, the last varying fastest. With <goodput> the weeks of each are
    played. A row a point: the varied values, `status`, `error`, every value of the summary [units in the
    names], and `result`, the path that open_run() takes.

    jobs: runs side by side, 0: one a core. out: the folder, by default NAME.sweep; what it has is not run
    again. only: {name: value} of the points to run, the others stay as they are. retry: how often a run that
    was killed or lacked memory is tried again. A point that fails is a row whose `status` is not "complete",
    no exception. ScenarioError: the scenario itself has mistakes. KeyboardInterrupt: it was stopped; the same
    call goes on.

    >>> study = post.sweep(scenario, out=folder / "study", layers=[2, 4], sequence=512)
    >>> study[["layers", "status"]].values.tolist()
    [[2, 'complete'], [4, 'complete']]
    >>> bool(study["step_time_ps"].is_monotonic_increasing)
    True
    """
    given = {**(settings or {}), **variables}
    varied = {name: value for name, value in given.items() if isinstance(value, (list, tuple, range))}
    fixed = {name: value for name, value in given.items() if name not in varied}
    file, name = _file_of(scenario, varied)
    folder = Path(out or f"{name}.sweep")
    words = [find_program(program), "sweep", file, "--jobs", str(jobs), "--ranks", str(ranks), "--retry",
             str(retry), "--out", str(folder), "--progress", "lines", *options, *_setting_words(fixed),
             *_over_words(scenario, varied)]
    words += [] if keep_results else ["--summary-only"]
    words += [word for key, value in (only or {}).items() for word in ("--only", f"{key}={value_text(value)}")]
    code, output = shown(words)
    merged = MERGED.search(output)
    if code == 75:
        raise KeyboardInterrupt("the sweep was stopped; the same call goes on")
    if not merged:
        _fail(code, output)
    table = pd.read_csv(merged["table"], keep_default_na=False, na_values=[""])
    if "result" in table:
        table["result"] = [str(folder / path) if isinstance(path, str) else None for path in table["result"]]
    return table
