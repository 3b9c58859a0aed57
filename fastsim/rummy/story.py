"""What happens to hands of a contract rummy, and who is ahead."""

from fastsim.catalog.story import Change, Standing, Story
from kernels.rummy import layout as at

STORY = Story(
    begins=at.HAND,
    dealt=at.DEAL,
    cards=(
        Change(at.DEAL),
        Change(at.DRAW),
        Change(at.BUY),
        Change(at.TAKE),
        Change(at.RECEIVE),
        Change(at.DISCARD, by=-1),
        Change(at.PLACE, by=-1, kind=3),
        Change(at.LAY_OFF, by=-1, field=6, kind=3),  # 0 for a wild that a swap has freed
        Change(at.SWAP, by=-1, kind=3),
    ),
)
IN_HAND = Standing("cards", True, at.TURN, "turn", STORY.cards)
IN_GAME = Standing("points", True, at.HAND, "hand", (Change(at.SCORE, field=2),))
CARD_NAMES = {
    kind: "Joker" if kind == at.JOKER else at.RANK_NAMES[kind & 15]
    for kind, name in enumerate(at.KIND_NAMES)
    if name
}
"""By rank: suits are all alike."""
