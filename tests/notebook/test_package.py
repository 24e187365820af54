"""The package imports a name with its first use."""

import subprocess
import sys

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
