"""A result file as DataFrames. Times are int64 picoseconds, sizes int64 bytes, as the column names say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd


# Columns that a table has only since some version, with what an older one means by leaving them out: before
# hosts launched anything, no GPU waited for one; before jobs were restarted, none was.
SINCE = {"steps": {"t_host_ps": 0, "attempt": 0}, "exposed": {"attempt": 0}}
LAYOUT = 1  # the largest @schema_version of result files that is read here


def _text(value):
    """bytes, numpy strings and their arrays -> str; everything else unchanged."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, np.ndarray) and value.dtype.kind == "S":
        return [v.decode("utf-8", "replace") for v in value.tolist()]
    return value.item() if isinstance(value, np.generic) else value


def _attributes(item):
    return {name: _text(value) for name, value in item.attrs.items()}


def _frame(group, order=None):
    """The datasets of a group as the columns of a DataFrame."""
    names = order or [name for name, item in group.items() if isinstance(item, h5py.Dataset)]
    return pd.DataFrame({name: _text(group[name][()]) for name in names})


def _folder(group):
    """Columns as a DataFrame; without columns attributes, and folders below, as a dictionary."""
    if any(isinstance(item, h5py.Dataset) for item in group.values()):
        return _frame(group)
    return _attributes(group) | {name: _folder(below) for name, below in group.items()}


def that_count(run: Run, rows: pd.DataFrame) -> pd.DataFrame:
    """Of rows of steps or exposed those of the last time that its job did each iteration: one that was
    restarted does some again, perhaps on other GPUs (those of spare servers are taken for one job here). Of a
    version before 0.3 all."""
    if rows.empty or "attempt" not in rows or not rows["attempt"].any():
        return rows
    job_of_gpu = {gpu: job for job, gpus in enumerate(run.jobs.values()) for gpu in gpus}
    job = rows["gpu"].map(lambda gpu: job_of_gpu.get(gpu, -1))
    return rows[rows["attempt"] == rows.groupby([job, "iteration"])["attempt"].transform("max")]


class Tables(Mapping[str, pd.DataFrame]):
    """The tables of a run, each read when it is first asked for."""

    def __init__(self, path: str | Path, names: list[str]) -> None:
        self._path = path
        self._names = names
        self._read: dict[str, pd.DataFrame] = {}
        with h5py.File(path, "r") as file:
            self._tables = sorted(file["tables"])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __getitem__(self, table: str) -> pd.DataFrame:
        if table not in self._tables:
            raise KeyError(f"no table '{table}' (one of {', '.join(self._tables)})")
        if table not in self._read:
            with h5py.File(self._path, "r") as file:
                self._read[table] = self._load(file["tables"][table]).assign(
                    **{column: value for column, value in SINCE.get(table, {}).items()
                       if column not in file["tables"][table]})
        return self._read[table]

    def _load(self, group):
        columns = {}
        for name in _text(group.attrs["columns"]):
            item = group[name]
            values = item[()]
            if "refers_to" in item.attrs:
                columns[name] = pd.Categorical.from_codes(values, self._names) if self._names else values
            elif "labels" in item.attrs:
                columns[name] = pd.Categorical.from_codes(values, _text(item.attrs["labels"]))
            else:
                columns[name] = values
        return pd.DataFrame(columns)


class Run:
    """One result file.

    info        attributes of /run: status, hash, wall_s, mpi_ranks ... (a run that was killed says "running")
    tables      mapping of table name to DataFrame
    summary     attributes of /summary; iterations, dimensions and collectives as DataFrames, serving,
                goodput and critical_path as dictionaries, of the last two with DataFrames in them
    summary     attributes of /summary; iterations, dimensions and collectives as DataFrames, serving
                as a dictionary, critical_path as one with DataFrames
    components  id, kind, name, atom, spec, number (endpoint id of GPUs, hosts and storage servers)
    links       directed links with the names and kinds of both ends
    params      mapping of kind to DataFrame of every effective value
    profile     wall time of the simulator by rank and window
    """

    path: Path
    schema: dict[str, Any]
    info: dict[str, Any]
    scenario_xml: str
    names: list[str]
    dimensions: list[str]
    group_kinds: list[str]
    components: pd.DataFrame
    links: pd.DataFrame
    params: dict[str, pd.DataFrame]
    programs: dict[str, Any]
    jobs: dict[str, list[int]]
    summary: dict[str, Any]
    profile: pd.DataFrame
    tables: Tables

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.is_file() and not h5py.is_hdf5(path):
            raise ValueError(f"{path}: not an HDF5 file")
        with h5py.File(path, "r") as file:
            if _text(file.attrs.get("schema", "")) != "lightrail result":
                raise ValueError(f"{path}: not a lightrail result (no @schema)")
            if (layout := int(file.attrs["schema_version"])) > LAYOUT:
                raise ValueError(f"{path}: has layout {layout} and is of lightrail "
                                 f"{_text(file.attrs['software_version'])}, whose lightrail_post reads it; this one "
                                 f"reads layouts up to {LAYOUT}")
            self.schema = _attributes(file)
            self.info = _attributes(file["run"])
            if "settings" in file["run"]:  # from 0.2 on
                self.info["settings"] = _text(file["run/settings"][()])
            self.scenario_xml = _text(file["run/scenario"][()])[0]
            self.names = self._unique(_text(file["names"][()]))
            self.dimensions = _text(file["dimensions"][()])
            self.group_kinds = _frame(file["model/group_kinds"])["name"].tolist()
            self.components = _frame(file["model/components"])
            self.links = self._with_ends(_frame(file["model/links"]), _frame(file["model/link_classes"]))
            self.params = {kind: _frame(group) for kind, group in file["model/params"].items()}
            self.programs = self._read_programs(file)
            self.jobs = self._read_jobs(file)
            self.summary, self.profile = {}, pd.DataFrame()
            if "summary" in file:
                self.summary = _attributes(file["summary"])
                for name, group in file["summary"].items():
                    self.summary[name] = _folder(group)
            if "profile/windows" in file:
                self.profile = _frame(file["profile/windows"])
        self.tables = Tables(self.path, self.names)

    @staticmethod
    def _unique(names):
        """Categories must differ; equal names get their index."""
        seen = set()
        unique = []
        for i, name in enumerate(names):
            unique.append(f"{name} #{i}" if name in seen else name)
            seen.add(name)
        return unique

    def _with_ends(self, links, classes):
        for end in ("from", "to"):
            of_end = self.components.iloc[links[end]]
            links[f"{end}_name"] = of_end["name"].to_numpy()
            links[f"{end}_kind"] = of_end["kind"].to_numpy()
        links["class"] = classes["name"].iloc[links["link_class"]].to_numpy()
        return links

    @staticmethod
    def _read_programs(file):
        """program_of_gpu, role, and streams as {(program, stream): name}; empty without a workload."""
        if "model/programs" not in file:
            return {"program_of_gpu": [], "role": [], "streams": {}}
        group = file["model/programs"]
        streams = _frame(group["streams"])
        return {"program_of_gpu": group["program_of_gpu"][()].tolist(), "role": _text(group["role"][()]),
                "streams": dict(zip(zip(streams["program"], streams["stream"]), streams["name"]))}

    @staticmethod
    def _read_jobs(file):
        """{name: its GPUs, in the job's own order}; empty where there is one job, without a name."""
        if "model/jobs" not in file:
            return {}
        names, gpus = _text(file["model/jobs/name"][()]), _frame(file["model/jobs/gpus"])
        return {name: gpus["gpu"][gpus["job"] == job].tolist() for job, name in enumerate(names)}

    def gpus_of(self, job: str) -> list[int]:
        """Endpoint ids of a job's GPUs. ValueError: there is no job of that name."""
        if job not in self.jobs:
            known = ", ".join(self.jobs) or "only one, without a name"
            raise ValueError(f"{self.path}: no job '{job}' (jobs: {known})")
        return self.jobs[job]

    def stream_name(self, gpu: int, stream: int) -> str:
        """"nccl tp" for stream 1 of a GPU; "stream 1" where the file does not say."""
        of_gpu = self.programs["program_of_gpu"]
        program = of_gpu[gpu] if gpu < len(of_gpu) else -1
        return self.programs["streams"].get((program, stream), f"stream {stream}")

    @property
    def label(self) -> str:
        return self.path.stem

    @property
    def steps(self) -> pd.DataFrame:
        """The iterations of the run; its last one is what figures show."""
        return self.summary.get("iterations", pd.DataFrame())

    def endpoint_names(self) -> pd.Series:
        """Series: endpoint id -> component name."""
        ends = self.components[self.components["kind"].isin(["gpu", "host", "storage"])]
        return ends.set_index("number")["name"]

    def endpoint_atoms(self) -> pd.Series:
        """Series: endpoint id -> atom; endpoints of one server share it."""
        ends = self.components[self.components["kind"].isin(["gpu", "host", "storage"])]
        return ends.set_index("number")["atom"]

    def __repr__(self) -> str:
        return f"<Run {self.path.name}: {self.info['status']}, {len(self.components)} components>"


def open_run(path: str | Path) -> Run:
    """Opens a result file. Also of a run that was killed: what it had flushed is there, status "running".
    ValueError: no result of lightrail.

    >>> open_run(run.path).info["status"]
    'complete'
    >>> sorted(set(run.tables["ops"]["kind"]) & {"compute", "collective"})
    ['collective', 'compute']
    """
    return Run(path)
