"""What the contract rummies share: options and their checks, features of policies, metrics, transcript."""

from fastsim.rummy.game import RummyGame, features
from fastsim.rummy.options import RummyOptions

__all__ = ["RummyGame", "RummyOptions", "features"]
