"""Results of a study's folder: in the order of its points, the complete ones."""

import pytest

from lightrail_post.folders import result_paths


def folder_of(path, rows):
    path.mkdir()
    (path / "study.csv").write_text("point,status,result\n" + "".join(f"{row}\n" for row in rows))
    (path / "study_iterations.csv").write_text("point,t_start_ps\n")
    return path


def test_a_file_is_itself(tmp_path):
    assert result_paths(tmp_path / "x.h5") == [tmp_path / "x.h5"]


def test_points_come_in_their_order_and_incomplete_ones_are_named(tmp_path, capsys):
    folder = folder_of(tmp_path / "x.sweep", ["2,complete,points/c/result.h5", "0,complete,points/z/result.h5",
                                              "1,exit code 3,points/a/result.h5", "3,complete,"])
    assert result_paths(folder) == [folder / "points/z/result.h5", folder / "points/c/result.h5"]
    assert "x.sweep: 2 of 4 points are left out" in capsys.readouterr().err


def test_a_folder_without_results_says_what_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="with 0 tables of points"):
        result_paths(tmp_path)
    with pytest.raises(FileNotFoundError, match="no point is complete"):
        result_paths(folder_of(tmp_path / "y.sweep", ["0,exit code 2,"]))
