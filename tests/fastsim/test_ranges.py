"""Ranges of games: joined, what is missing, and how the work is cut."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fastsim.ranges import joined, missing, number, overlap, plan, plan_whole, within

RANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)).map(lambda p: (p[0], p[0] + p[1])))


def games(ranges) -> set[int]:
    return {game for first, stop in ranges for game in range(first, stop)}


@given(RANGES)
def test_joined_ranges_hold_the_same_games_in_order_and_apart(ranges):
    found = joined(ranges)
    assert games(found) == games(ranges)
    assert number(found) == len(games(ranges))
    assert all(one[1] < other[0] for one, other in pairwise(found))


@given(RANGES, RANGES, st.integers(0, 70), st.integers(0, 70))
def test_parts_within_bounds_and_overlaps(ranges, others, first, stop):
    apart = joined(ranges)
    assert games(within(first, stop, apart)) == games(apart) & set(range(first, stop))
    assert overlap(joined(others), apart) == bool(games(others) & games(apart))


@given(RANGES, st.integers(1, 80), st.integers(1, 9))
def test_pieces_are_what_is_missing_cut_at_multiples(ranges, n, chunk):
    apart = joined(ranges)
    pieces = list(plan(n, chunk, apart))
    assert games((p.first, p.stop) for p in pieces) == set(range(n)) - games(apart)
    assert games(missing(n, apart)) == set(range(n)) - games(apart)
    assert sum(p.stop - p.first for p in pieces) == number(missing(n, apart))
    for piece in pieces:
        assert piece.first // chunk == (piece.stop - 1) // chunk
        assert piece.counted == ((piece.first, piece.stop),)


@given(RANGES, st.integers(1, 80), st.integers(1, 9), st.sets(st.integers(0, 8)))
def test_whole_pieces_count_what_is_missing_and_hold_whole_chunks(ranges, n, chunk, numbers):
    apart = joined(ranges)
    again = {number * chunk for number in numbers if number * chunk < n}
    pieces = list(plan_whole(n, chunk, apart, again))
    assert games(r for p in pieces for r in p.counted) == set(range(n)) - games(apart)
    for piece in pieces:
        assert piece.first % chunk == 0
        assert piece.stop == min(piece.first + chunk, n)
    assert again <= {piece.first for piece in pieces}
