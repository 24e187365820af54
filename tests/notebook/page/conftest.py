"""A small training step with everything recorded, and a headless browser."""

import os
import shutil
import subprocess
from pathlib import Path

import h5py
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import lightrail_post as post

SCENARIO = Path(__file__).with_name("step.xml")
# As root, as in a container, Chromium has no sandbox; /dev/shm may be small there.
FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
         "--window-size=1400,1000", "--disable-background-networking", "--no-first-run")


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """The step with tensor parallelism over 4 and over 8 GPUs."""
    program = os.environ.get("LIGHTRAIL")
    if not program:
        pytest.fail("LIGHTRAIL does not name the program lightrail")
    folder = tmp_path_factory.mktemp("step")
    for name, options in (("tp4", []), ("tp8", ["--set", "tp=8"])):
        subprocess.run([program, "run", str(SCENARIO), "--out", str(folder / f"{name}.h5"), "--progress", "none", *options],
                       check=True, stdout=subprocess.DEVNULL)
    return [folder / "tp4.h5", folder / "tp8.h5"]


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """Steps of two and four layers, over sequences of two lengths."""
    return post.sweep(SCENARIO, out=tmp_path_factory.mktemp("study"), jobs=2, layers=[2, 4], sequence=[512, 1024])


@pytest.fixture
def run(results):
    return post.open_run(results[0])


@pytest.fixture
def empty_run(results, tmp_path):
    """The same file with all tables emptied, as a run that is killed early leaves it."""
    path = shutil.copy(results[0], tmp_path / "empty.h5")
    with h5py.File(path, "r+") as file:
        for table in file["tables"].values():
            for column in table.values():
                column.resize((0,))
        del file["summary"]
        file["run"].attrs["status"] = "running"
    return post.open_run(path)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    options = Options()
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    yield driver
    driver.quit()
