"""What happens to hands of Cap Zap, and who is ahead."""

from fastsim.catalog.story import Change, Standing, Story
from kernels.cap_zap import layout as at

STORY = Story(at.ROUND, at.DEAL, (Change(at.DEAL), Change(at.PLAY, by=-1)))
IN_ROUND = Standing("tricks", False, at.TRICK, "trick", (Change(at.TRICK_END),))
IN_GAME = Standing("points", False, at.ROUND, "round", (Change(at.SCORE, field=3),))
