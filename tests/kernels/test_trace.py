"""Traces: what does not fit is counted, not written."""

import numpy as np
import pytest

from kernels.jit import kernel
from kernels.trace import EVENT_FIELDS, events_of, new_trace, write

pytestmark = pytest.mark.kernel


@kernel
def _write(trace, n):
    for i in range(n):
        write(trace, i + 1, 2, 3, 4, 5, 6, 7, 8)


def test_events_come_back_in_order() -> None:
    trace = new_trace(4)
    _write(trace, 3)
    events = events_of(trace)
    assert events.shape == (3, EVENT_FIELDS)
    assert events[:, 0].tolist() == [1, 2, 3]
    assert events[2].tolist() == [3, 2, 3, 4, 5, 6, 7, 8]


def test_too_many_events_are_counted_and_refused() -> None:
    trace = new_trace(2)
    _write(trace, 5)
    with pytest.raises(OverflowError, match="room for 2 events, and there were 5"):
        events_of(trace)
    assert trace[0, 0] == 5
    assert np.array_equal(trace[1:, 0], [1, 2])
