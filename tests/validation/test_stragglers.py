"""Schedules that stragglers.py writes of recorded operations: who waits for whom, and what a transfer takes."""
import pytest
import stragglers
from stragglers import Schedule, Step, schedule_of, waits_of


def recorded(*operations):
    return [dict(zip(("dp", "stage", "operation", "index", "start_us", "duration_us"), row)) for row in operations]


@pytest.fixture
def two_stages():
    """One micro-batch over two stages of one replica: the second starts when the first one's output has come."""
    return Step(recorded((0, 0, "forward-compute", 0, 0, 10), (0, 0, "forward-send", 0, 10, 5),
                         (0, 1, "forward-recv", 0, 1, 15), (0, 1, "forward-compute", 0, 16, 20),
                         (0, 1, "backward-compute", 0, 36, 40), (0, 1, "backward-send", 0, 76, 3),
                         (0, 0, "backward-recv", 0, 11, 69), (0, 0, "backward-compute", 0, 80, 30)), 1, 2)


def test_a_transfer_takes_what_is_left_when_all_have_come(two_stages):
    assert two_stages.group((0, 1, "forward-recv", 0)) == [(0, 0, "forward-send", 0), (0, 1, "forward-recv", 0)]
    assert two_stages.group((0, 0, "backward-recv", 0)) == [(0, 0, "backward-recv", 0), (0, 1, "backward-send", 0)]
    assert two_stages.duration_us((0, 1, "forward-recv", 0)) == 16 - 10
    assert two_stages.duration_us((0, 1, "forward-compute", 0)) == 20


def test_the_last_stage_meets_the_first_and_everybody_clips():
    step = Step([], 2, 4)
    assert step.group((1, 3, "embedding-grads-all-reduce", 0)) == [
        (1, 0, "embedding-grads-all-reduce", 0), (1, 3, "embedding-grads-all-reduce", 0)]
    assert len(step.group((0, 0, "optimizer-clip-main-grad", 0))) == 8
    assert step.group((1, 2, "grads-reduce-scatter", 1)) == [(r, 2, "grads-reduce-scatter", 1) for r in (0, 1)]


def test_kernels_wait_for_what_they_receive(two_stages):
    waits = waits_of(two_stages)
    assert set(waits) == set(two_stages.rows)
    assert waits[0, 1, "forward-compute", 0] == [(0, 1, "forward-recv", 0)]
    assert (0, 0, "backward-recv", 0) in waits[0, 0, "backward-compute", 0]
    assert waits[0, 0, "forward-send", 0] == [(0, 0, "forward-compute", 0)]


def test_an_operation_of_an_unknown_kind_is_refused(two_stages):
    two_stages.rows[0, 0, "lunch", 0] = {"start_us": 0, "duration_us": 1}
    with pytest.raises(AssertionError, match="no place in the schedule"):
        schedule_of(two_stages, two_stages.duration_us)


def test_every_message_is_sent_and_received(two_stages):
    text = schedule_of(two_stages, two_stages.duration_us)
    assert text.count("send 8b") == text.count("recv 8b") == 4
    assert text.count("calc ") == len(two_stages.rows)
    assert "calc 20000 cpu 0" in text


def test_who_meets_knows_that_all_have_come():
    schedule = Schedule(3)
    starts = {rank: [schedule.add(rank, f"calc {rank} cpu 0", [])] for rank in range(3)}
    known = schedule.meet(starts)
    assert len(known[0]) == 3 and all(len(known[rank]) == 2 for rank in (1, 2))
    assert sum(line.startswith("l") and " send " in line for line in schedule.lines[0]) == 2


@pytest.mark.parametrize("name", stragglers.JOBS)
def test_the_tables_are_whole(name):
    rows, usual = stragglers.rows_of(name), stragglers.usual_us(name)
    assert {row["operation"] for row in rows} == set(usual)
    assert {(name, str(row["step"])) for row in rows} < set(stragglers.published())
