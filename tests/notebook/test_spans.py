"""Times that spans cover in bins."""

import numpy as np

from lightrail_post.spans import added_up, covered


def test_two_spans_at_a_time_are_covered_once_and_added_up_twice():
    """[0, 8) and, inside and beyond, [5, 12); [14, 20)."""
    start, end, edges = np.array([5, 0, 14]), np.array([12, 8, 20]), np.array([0, 10, 20])
    assert covered(start, end, edges).tolist() == [10, 2 + 6]
    assert added_up(start, end, edges).tolist() == [8 + 5, 2 + 6]


def test_spans_inside_another_change_nothing():
    assert covered(np.array([0, 2, 3]), np.array([9, 4, 8]), np.array([0, 5, 10])).tolist() == [5, 4]


def test_spans_before_and_after_the_bins_are_left_out():
    assert covered(np.array([0, 30]), np.array([12, 40]), np.array([10, 20])).tolist() == [2]


def test_no_span_covers_nothing():
    assert covered(np.array([]), np.array([]), np.array([0, 10])).tolist() == [0]
