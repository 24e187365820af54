"""The file itself: one text, the same for the same results, within its bounds; and the command that writes it."""

import re

import numpy as np
import pandas as pd
import pytest

import lightrail_post as post
from lightrail_post.__main__ import main
from lightrail_post.page import timeline, write_page

MEGABYTE = 1_000_000


def test_the_command_writes_one_page_of_several_results(results, tmp_path, capsys):
    path = tmp_path / "new" / "page.html"
    assert main(["report", *map(str, results), "--html", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: {path.stat().st_size / MEGABYTE:.1f} MB\n"
    assert [child.name for child in path.parent.iterdir()] == ["page.html"]


def test_pictures_are_of_one_result(results, tmp_path):
    with pytest.raises(ValueError, match="several results need --html FILE"):
        main(["report", *map(str, results), "--out", str(tmp_path)])


def test_the_page_names_no_other_file(run, tmp_path):
    write_page([run], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert re.findall(r"<(?:link|img|iframe|object)\b(?![^>]*(?:href|src)=\"data:)[^>]*>", text) == []
    assert re.findall(r"<script[^>]*\bsrc=", text) == [] and "@import" not in text
    assert "default-src 'none'" in text


def test_the_same_results_give_the_same_page(results, tmp_path):
    pages = []
    for name in ("a.html", "b.html"):
        write_page([post.open_run(result) for result in results], tmp_path / name)
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_a_page_full_of_operations_of_random_times_stays_within_its_bound(run, tmp_path):
    """As many as a page takes, in the worst case that nothing of them can be squeezed; 20 MB is the bound."""
    random = np.random.default_rng(1)
    count = timeline.MOST_OPS
    start = np.sort(random.integers(0, 10**12, count))
    ops = run.tables["ops"]
    run.tables._read["ops"] = pd.DataFrame({
        "gpu": random.integers(0, 8, count), "stream": 0, "op": 0,
        "name": pd.Categorical.from_codes(random.integers(0, 20, count), ops["name"].cat.categories[:20]),
        "kind": pd.Categorical.from_codes(np.zeros(count, dtype=int), ["compute"]), "iteration": 0,
        "dimension": -1, "size_bytes": random.integers(0, 10**9, count), "t_start_ps": start,
        "t_end_ps": start + random.integers(1, 10**6, count)})
    assert timeline.section(run)["left_out"] == ""
    assert write_page([run], tmp_path / "page.html") < 20 * MEGABYTE


def test_names_of_results_are_no_markup(results, tmp_path):
    run = post.open_run(results[0])
    run.path = tmp_path / "a<b>&c.h5"
    write_page([run, post.open_run(results[1])], tmp_path / "page.html")
    assert "a&lt;b&gt;&amp;c" in (tmp_path / "page.html").read_text()
