"""Rows that a catalogue's figure comes from are told from those that it predicts."""
import pytest
from fitted import mark


@pytest.mark.parametrize("target, label, expected", [
    ("N1", "8 x H100 all_reduce 2097152 B", "yes"),
    ("N1", "8 x H100 all_reduce 17179869184 B", "no"),
    ("N2", "2 x 8 H100 all_reduce 2048 B", "yes"),
    ("N2", "2 x 8 H100 all_reduce 4096 B", "no"),
    ("N2", "2 x 8 A100, 4 x 100G all_reduce 2147483648 B", "yes"),
    ("N2", "8 x A100 all_reduce 16777216 B", "no"),
    ("N4", "4 x H200: picks ring, published ring", "no"),
    ("N4", "8 x B200: bus bandwidth", "yes"),
    ("N6", "combine, normal, EP 16", "no"),
    ("N6", "combine, low-latency, EP 16", "yes"),
    ("N7", "4 x 8, arxiv_2411_13055, held out, 1048576 B", "yes"),
    ("N7", "4 x 8, arxiv_2411_13055, held out, 16777216 B", "no"),
    ("T3", "Llama 3.1 70b FP8 on 64 GPUs", "no"),
    ("T1", "any plan", "no"),
])
def test_a_row_is_fitted_by_its_targets_rule(target, label, expected):
    assert mark(target, {"row": label})["fitted"] == expected


def test_what_a_target_says_itself_stays():
    assert mark("N3", {"row": "any", "fitted": "no"})["fitted"] == "no"
