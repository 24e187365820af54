"""What target E2 makes of recorded flows: their time alone, parts by size, and the percentile of each."""
import numpy as np
from flows import PERCENTILE, WARM_UP_PS, alone_ps, slowdowns


def test_time_alone_is_the_way_there_and_back_and_the_bytes_with_headers():
    # 324 B: 372 on the line. In a leaf two cables each way and 160 ns, in a group four, 200, else six, 240.
    sender, size = np.array([0, 0, 0]), np.array([324, 324, 324])
    assert alone_ps(sender, np.array([15, 16, 64]), size).tolist() == [
        4_160_000 + 372 * 80, 8_200_000 + 372 * 80, 12_240_000 + 372 * 80]
    assert alone_ps(np.array([0]), np.array([1]), np.array([2001]))[0] == 4_160_000 + (2001 + 3 * 48) * 80


def recorded(factors):
    """One flow of each factor, the k-th of k + 1 bytes, that takes so many times its time alone."""
    count = len(factors)
    sender, receiver, size = np.zeros(count, int), np.full(count, 64), np.arange(1, count + 1)
    start = np.full(count, WARM_UP_PS)
    return np.array([sender, receiver, size, start,
                     start + (alone_ps(sender, receiver, size) * factors).astype(int)])


def test_parts_are_equally_many_flows_by_size_and_have_their_own_percentile():
    # 2,000 flows: part k has those of 100 k + 1 to 100 k + 100 bytes, the i-th of which takes 1 + i / 100.
    flows = recorded(1 + np.tile(np.arange(100), 20) / 100 + np.repeat(np.arange(20), 100))
    found = slowdowns(flows, PERCENTILE)
    assert list(found) == ["324 B", "1 KB", "7 KB", "46 KB", "120 KB", "300 KB"]
    for (name, slow), part in zip(found.items(), (1, 11, 13, 15, 17, 18)):
        assert abs(slow - (1 + part + 0.95)) < 0.001, name


def test_flows_before_the_warm_up_are_left_out_and_none_is_faster_than_alone():
    flows = recorded(np.full(2000, 0.9))
    early = recorded(np.full(2000, 50.0))
    early[3:] -= WARM_UP_PS
    assert set(slowdowns(np.hstack([flows, early]), PERCENTILE).values()) == {1.0}
