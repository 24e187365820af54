"""Every example of a docstring runs: with `run` and `other` as two results of the step of `scenario`, `study`
as a sweep of it, `folder` for what an example writes."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
from conftest import SCENARIO

import lightrail_post as post

MODULES = sorted(module.name for module in pkgutil.walk_packages(post.__path__, "lightrail_post.")
                 if not module.name.endswith("__main__"))


def examples(name):
    module = importlib.import_module(name)
    return [test for test in doctest.DocTestFinder().find(module, extraglobs={}) if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module_hold(name, results, study, tmp_path, monkeypatch):
    run, other = (post.open_run(path) for path in results)
    monkeypatch.chdir(tmp_path)
    for example in examples(name):
        example.globs.update(run=run, other=other, post=post, study=study, scenario=SCENARIO, folder=tmp_path,
                             Path=Path)
        text = []
        doctest.DocTestRunner().run(example, out=text.append)
        assert not text, "".join(text)


def test_there_are_examples_of_what_is_asked_most():
    shown = {test.name.rsplit(".", 1)[-1] for name in MODULES for test in examples(name)}
    assert {"exposed", "bottleneck", "compare", "link_use", "open_run", "parts_of_steps", "plot", "run",
            "sweep", "Scenario"} <= shown
