"""One self-contained HTML page of a result, or of several: pictures to click and zoom, tables to sort.

    from lightrail_post.page import write_page
    write_page([open_run("result.h5")], "result.html")
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..varied import labels_of
from . import collectives, cost, critical_path, links, step, study, summary, timeline, topology
from .assemble import document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..result import Run

# In the order of the page. Each section(run) returns a dictionary with `title`, the finding, `detail` and
# what assets/<name>.js draws, or with `missing`: what to record.
SECTIONS = {"summary": summary, "step": step, "timeline": timeline, "links": links, "topology": topology,
            "collectives": collectives, "path": critical_path, "cost": cost}


def run_data(run, most_ops=timeline.MOST_OPS):
    """{section: data} of a result."""
    return {name: module.section(run, most_ops) if module is timeline else module.section(run)
            for name, module in SECTIONS.items()}


def write_page(runs: Sequence[Run], path: str | Path) -> int:
    """Writes the page, the folder is made. Returns its size [bytes]. Several results share the room for
    single operations."""
    labels = labels_of(runs)
    most_ops = timeline.MOST_OPS // len(runs)
    text = document(labels, [run_data(run, most_ops) for run in runs],
                    study.section(runs, labels) if len(runs) > 1 else None)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return Path(path).write_bytes(text.encode())
