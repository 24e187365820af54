"""The runner that the validation targets share: every run once, no more at a time than asked for, failures
told, nothing left running."""
import subprocess
import sys
import threading
import time

import pytest
from harness import ROOT, RunFailed, Runner


class Counted(Runner):
    """Simulates nothing; counts who asks and how many at a time."""

    def __init__(self, jobs):
        super().__init__("lightrail", jobs)
        self.calls, self.now, self.most = [], 0, 0
        self.count = threading.Lock()

    def simulate(self, scenario, settings):
        with self.slots:
            with self.count:
                self.calls.append((scenario, settings))
                self.now += 1
                self.most = max(self.most, self.now)
            time.sleep(0.02)
            with self.count:
                self.now -= 1
        if settings.get("fails"):
            raise RunFailed("no such plan")
        return {"step_time_ps": settings["size"]}


def test_a_run_asked_for_by_several_threads_happens_once():
    run = Counted(jobs=2)
    run.ahead("a.xml", [{"size": n} for n in (1, 2, 3, 1)])
    threads = [threading.Thread(target=lambda: run("a.xml", size=1)) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert [run("a.xml", size=n)["step_time_ps"] for n in (3, 2, 1)] == [3, 2, 1]
    for thread in threads:
        thread.join()
    assert sorted(settings["size"] for _, settings in run.calls) == [1, 2, 3]


@pytest.mark.parametrize("jobs", [1, 2])
def test_no_more_run_at_a_time_than_jobs(jobs):
    run = Counted(jobs)
    run.ahead("a.xml", [{"size": n} for n in range(8)])
    for n in range(8):
        run("a.xml", size=n)
    assert len(run.calls) == 8 and run.most <= jobs


def test_everybody_who_asks_for_a_run_that_failed_is_told():
    run = Counted(jobs=1)
    for _ in range(2):
        with pytest.raises(RunFailed, match="no such plan"):
            run("a.xml", size=1, fails=True)
    assert len(run.calls) == 1


def test_a_command_that_fails_is_named_with_what_it_said():
    with pytest.raises(RunFailed, match="(?s)sh -c.*exit code 3.*broken link"):
        Runner("lightrail").execute(["sh", "-c", "echo broken link >&2; exit 3"])


def test_stop_ends_what_runs_and_starts_nothing_more():
    run = Runner("lightrail", jobs=1)
    errors = []

    def sleep():
        try:
            run.execute(["sleep", "600"])
        except RunFailed as error:
            errors.append(str(error))

    threads = [threading.Thread(target=sleep) for _ in range(3)]
    for thread in threads:
        thread.start()
    while not run.running:
        time.sleep(0.01)
    run.stop()
    for thread in threads:
        thread.join(timeout=60)
    assert len(errors) == 3 and sum("sleep 600" in error for error in errors) == 1


def test_a_program_that_is_not_there_is_named_before_anything_runs():
    command = [sys.executable, str(ROOT / "tools" / "validate"), "--lightrail", "/nowhere/lightrail", "N1"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2
    assert "there is no /nowhere/lightrail: tools/test builds it" in ended.stderr
