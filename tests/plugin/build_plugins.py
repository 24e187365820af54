#!/usr/bin/python3
"""Installs lightrail and builds the plugins of outside/ against the installed package.

usage: build_plugins.py CMAKE BUILD_DIR BED     BUILD_DIR: of lightrail itself, already built; BED: made anew
"""
import pathlib
import shutil
import sys

from plugin_bed import run

HERE = pathlib.Path(__file__).resolve().parent


def main():
    cmake, build, bed = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    shutil.rmtree(bed, ignore_errors=True)
    run(cmake, "--install", build, "--prefix", bed / "prefix")
    # A copy, so that nothing of the source tree is found by accident.
    shutil.copytree(HERE / "outside", bed / "outside")
    run(cmake, "-S", bed / "outside", "-B", bed / "build", f"-DCMAKE_PREFIX_PATH={bed / 'prefix'}", "-DCMAKE_BUILD_TYPE=Release")
    run(cmake, "--build", bed / "build", "-j", 2)
    print("ok   plugins build against the installed package")


main()
