"""What happens to hands of Kapaga, and who is ahead."""

from fastsim.catalog.story import Change, Standing, Story
from kernels.kapaga import layout as at

_CARDS = (Change(at.DEAL), Change(at.DRAW), Change(at.PUT, by=-1))
# Nines pass to the left, fives of clubs to the right (K14, K15).
_PASSES = (Change(at.PASS_HANDS, field=2), Change(at.PASS_HANDS, by=-1, field=3))
STORY = Story(at.HAND, at.DEAL, _CARDS, _PASSES)
IN_HAND = Standing("cards", True, at.TURN, "turn", _CARDS, _PASSES)


def in_game(limit: int) -> Standing:
    """Return who is ahead in a whole game: scores, of which one of exactly the limit may become 0 (K21)."""
    return Standing(
        "points",
        True,
        at.HAND,
        "hand",
        (
            Change(at.SCORE, field=2),
            Change(at.SCORE, field=3),
            Change(at.SCORE, by=-limit, only=(5, at.RESETS)),
        ),
    )


def card_names() -> dict[int, str]:
    """Return the name of each kind in a table of cards: those of the points of cards (K20)."""
    from kernels.kapaga.tables import rank_of

    by_rank = {kind: at.RANK_NAMES[rank_of(kind)] for kind in range(at.KINDS)}
    return by_rank | {at.FIVE_OF_SPADES: at.POINT_NAMES[0], at.FIVE_OF_CLUBS: at.POINT_NAMES[1]}
