"""What differs between results, and the names that they get by it."""

from types import SimpleNamespace

from lightrail_post import varied


def test_settings_are_those_of_the_result():
    run = SimpleNamespace(info={"settings": ["delay=1 us", "name=a=b"], "command_line": "lightrail sweep x.xml"})
    assert varied.settings(run) == {"delay": "1 us", "name": "a=b"}


def test_settings_of_an_old_result_are_read_from_the_command_line():
    old = SimpleNamespace(info={"command_line": "lightrail run p.xml --set delay=1000 --set=pp=4"})
    assert varied.settings(old) == {"delay": "1000", "pp": "4"}
    cut = SimpleNamespace(info={"command_line": "lightrail run p.xml --set a=1 --set b='2 3..."})
    assert varied.settings(cut)["a"] == "1"


def test_results_of_one_name_are_told_apart(tmp_path):
    def named(*places, settings=None):
        return varied.labels_of([
            SimpleNamespace(path=tmp_path / place, label=(tmp_path / place).stem, info={"settings": given})
            for place, given in zip(places, settings or [[]] * len(places))])

    assert named("x.h5", "y.h5") == ["x", "y"]
    assert named("a/x.h5", "b/x.h5") == ["a/x", "b/x"]
    assert named("a/x.h5", "a/x.h5") == ["a/x (1)", "a/x (2)"]
    points = ("a/result.h5", "b/result.h5", "c/result.h5")
    assert named(*points, settings=[["tp=8", "pp=1"], ["tp=8", "pp=2"], ["tp=8"]]) == ["pp 1", "pp 2", "pp not set"]
    assert named(*points[:2], settings=[["tp=8"], ["tp=8"]]) == ["a/result", "b/result"]
    assert named(*points[:2], settings=[["name=" + 80 * "a"], ["name=b"]]) == ["a/result", "b/result"]
