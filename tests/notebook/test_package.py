"""The package imports a name with its first use."""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import lightrail_post
import pytest


@pytest.mark.parametrize("name", lightrail_post.__all__)
def test_every_name_is_a_class_or_function_of_that_name(name):
    assert getattr(lightrail_post, name).__name__ == name


def test_names_stay_functions_when_all_modules_are_imported():
    code = ("import importlib, pkgutil, lightrail_post as p\n"
            "for module in pkgutil.iter_modules(p.__path__):\n"
            "    if module.name != '__main__': importlib.import_module('lightrail_post.' + module.name)\n"
            "print([name for name in p.__all__ if not callable(getattr(p, name))])")
    assert subprocess.run([sys.executable, "-c", code], text=True, capture_output=True,
                          check=True).stdout.strip() == "[]"


def test_a_comparison_needs_neither_pandas_nor_matplotlib():
    code = ("import sys, lightrail_post.diff, lightrail_post.__main__\n"
            "print({'pandas', 'matplotlib'} & set(sys.modules))")
    assert subprocess.run([sys.executable, "-c", code], text=True, capture_output=True,
                          check=True).stdout.strip() == "set()"


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lightrail_post.nothing


@pytest.mark.parametrize("name", lightrail_post.__all__)
def test_everything_that_is_offered_has_types(name):
    offered = getattr(lightrail_post, name)
    members = [offered] if inspect.isfunction(offered) else vars(offered).values()
    checked = [one for one in members if inspect.isfunction(one) and not one.__name__.startswith("_")]
    for function in checked:
        signature = inspect.signature(function)
        assert signature.return_annotation is not inspect.Signature.empty, function
        untyped = [name for name, parameter in signature.parameters.items()
                   if parameter.annotation is inspect.Parameter.empty and name != "self"]
        assert not untyped, function


def test_the_stub_for_type_checkers_names_the_same():
    stub = ast.parse(Path(lightrail_post.__file__).with_name("__init__.pyi").read_text())
    named = {alias.asname: node.module for node in ast.walk(stub) if isinstance(node, ast.ImportFrom)
             for alias in node.names}
    assert named == lightrail_post._MODULE_OF


def test_the_package_is_installed_by_pip_from_what_debian_has(tmp_path):
    """Offline, into an environment of its own: with the tool's version, types and the files of the page.
    --no-deps, because Debian's h5py is there under another name."""
    root = Path(lightrail_post.__file__).parents[2]
    shutil.copytree(root / "postprocess", tmp_path / "tree" / "postprocess",
                    ignore=shutil.ignore_patterns("notebooks", "__pycache__", "build", "*.egg-info"))
    shutil.copy(root / "CMakeLists.txt", tmp_path / "tree")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "env"], check=True)
    python = tmp_path / "env" / "bin" / "python"
    elsewhere = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
                    "--no-build-isolation", tmp_path / "tree" / "postprocess"], check=True, env=elsewhere, cwd=tmp_path)
    code = ("import importlib.metadata as m, importlib.resources as r, lightrail_post as p, lightrail_post.page\n"
            "print(p.__file__, m.version('lightrail-post'))\n"
            "print(sorted(f.name for f in r.files('lightrail_post.page').joinpath('assets').iterdir()))\n"
            "print(r.files('lightrail_post').joinpath('py.typed').is_file(), m.entry_points(group='console_scripts', "
            "name='lightrail-post'))")
    said = subprocess.run([python, "-c", code], check=True, env=elsewhere, cwd=tmp_path, text=True,
                          capture_output=True).stdout.splitlines()
    version = re.search(r"project\(lightrail VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
    assert said[0].startswith(str(tmp_path / "env")) and said[0].endswith(f" {version}")
    assets = Path(lightrail_post.__file__).with_name("page") / "assets"
    assert said[1] == str(sorted(file.name for file in assets.iterdir()))
    assert said[2].startswith("True") and "lightrail_post.__main__:command" in said[2]
