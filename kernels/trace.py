"""Buffers in which a kernel tells what happened.

A trace is an int32 array of shape ``(1 + events, EVENT_FIELDS)``. Row 0 holds in its first field
how many events there were, which may be more than there was room for; the events follow from row
1, each with its code, the seat it happens to and six more fields. Batch play passes ``None``
instead, and numba leaves the writing out.
"""

import numpy as np

from kernels.jit import helper

EVENT_FIELDS = 8


def new_trace(events: int) -> np.ndarray:
    """Return an empty trace with room for so many events."""
    return np.zeros((1 + events, EVENT_FIELDS), dtype=np.int32)


def events_of(trace: np.ndarray) -> np.ndarray:
    """Return the events of a trace, shape ``(events, EVENT_FIELDS)``.

    Raises
    ------
    OverflowError
        If there were more events than room.
    """
    count = int(trace[0, 0])
    if count > len(trace) - 1:
        raise OverflowError(f"the trace has room for {len(trace) - 1} events, and there were {count}")
    return trace[1 : 1 + count]


@helper
def write(trace, code, seat, a, b, c, d, e, f):
    """Append an event, if there is room, and count it."""
    row = trace[0, 0] + 1
    trace[0, 0] = row
    if row < trace.shape[0]:
        trace[row, 0] = code
        trace[row, 1] = seat
        trace[row, 2] = a
        trace[row, 3] = b
        trace[row, 4] = c
        trace[row, 5] = d
        trace[row, 6] = e
        trace[row, 7] = f
