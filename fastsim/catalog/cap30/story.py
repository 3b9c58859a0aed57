"""What happens to hands of Cap30, and who is ahead."""

from fastsim.catalog.story import Change, Standing, Story
from kernels.cap30 import layout as at

STORY = Story(
    begins=at.HAND,
    dealt=at.DEAL,
    cards=(
        Change(at.DEAL),
        Change(at.DRAW),
        Change(at.TAKE),
        Change(at.GIVEN),
        Change(at.SWAP_FOR),
        Change(at.MOVE, by=-1, field=3),
        Change(at.RETURN, by=-1),
        Change(at.SWAP_AWAY, by=-1),
    ),
)
IN_HAND = Standing("cards", True, at.TURN, "turn", STORY.cards)
IN_GAME = Standing("hands won", False, at.HAND, "hand", (Change(at.HAND_END, only=(2, at.WON)),))
