"""The games, one package each. A new one needs no change here."""

import importlib
import pkgutil
from functools import cache

from fastsim.catalog.game import Game
from fastsim.errors import unknown


@cache
def names() -> tuple[str, ...]:
    """Return the names of all games, in alphabetical order."""
    return tuple(m.name.replace("_", "-") for m in pkgutil.iter_modules(__path__) if m.ispkg)


def find(name: str) -> Game:
    """Return the game of a name. Raises ``UsageError`` with the nearest match if there is none."""
    if name not in names():
        raise unknown("game", name, names())
    return _load(name)


@cache
def _load(name: str) -> Game:
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    game: Game = module.GAME
    return game
