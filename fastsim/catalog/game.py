"""What the library needs to know of a game."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal

import numpy as np

from fastsim.catalog.story import Standing, Story
from fastsim.options import Options
from fastsim.policy import Policy, presets
from reports.description import Assumption, Metric

Unit = Literal["hand", "game"]


class Game(ABC):
    """One game: its options, its policies' features, its metrics, and the way to its kernel.

    A game is a package ``fastsim.catalog.NAME`` whose ``GAME`` is an instance, and a kernel package
    ``kernels.NAME``. Nothing else needs to know that it exists.
    """

    name: ClassVar[str]
    """On the command line; also of the packages, with ``-`` as ``_``."""
    family: ClassVar[str] = ""
    """Package of ``fastsim`` and of ``kernels`` that several games share, if this is one of them."""
    title: ClassVar[str]
    summary: ClassVar[str]
    """One line for a list of games."""
    options: ClassVar[type[Options]]
    features: ClassVar[Mapping[str, str]]
    """What a policy may weigh, and what it means."""
    default_policy: ClassVar[str] = "balanced"
    chunks: ClassVar[Mapping[Unit, int]] = {"hand": 1 << 17, "game": 1 << 15}
    """How many hands or games to play as one piece of work: a fraction of a second."""
    rulings: ClassVar[tuple[Assumption, ...]] = ()
    """Readings of the rules that are no options."""
    story: ClassVar[Story]
    """What the events of a trace do to hands."""
    endings: ClassVar[Mapping[str, str]] = {}
    """Metrics of a hand that are 1 when it ended with no winner, in words."""

    @abstractmethod
    def metrics(self, options: Any) -> tuple[Metric, ...]:
        """Return the metrics that can occur under these options."""

    @abstractmethod
    def setup(self, options: Any, policies: Sequence[Policy], rotate: bool) -> tuple[Any, Any, Any]:
        """Return rules, tables and policies as the game's kernel takes them."""

    @abstractmethod
    def tell(self, events: np.ndarray, options: Any) -> list[str]:
        """Return a trace as lines to read."""

    @abstractmethod
    def standing(self, options: Any, unit: Unit) -> Standing:
        """Return who is ahead in a hand or in a whole game, and how a trace tells."""

    @abstractmethod
    def card_names(self, options: Any) -> Mapping[int, str]:
        """Return a name for each kind of card; kinds that mean the same to the rules share one."""

    def side(self, options: Any) -> Literal["seat", "side"]:
        """Return what wins: a seat, or a side of several seats."""
        return "seat"

    def sides(self, options: Any) -> int:
        """Return how many of them there are."""
        return int(options.players)

    def most_hands(self, options: Any, unit: Unit) -> int:
        """Return how many hands one hand or one game can have."""
        return int(options.max_hands) if unit == "game" else 1

    @cached_property
    def policies(self) -> dict[str, Policy]:
        """The presets by name."""
        return presets(Path(str(files(type(self).__module__) / "policies")), self.features)

    def assumptions(self, options: Any = None) -> tuple[Assumption, ...]:
        """Return all that is played although the rule's source does not say it.

        With options only what can come up under them.
        """
        of_options = tuple(
            Assumption(info.rule, info.name, info.status, info.meaning)
            for info in self.options.describe().values()
            if info.status != "stated"
        )
        return of_options + self.rulings

    def variant(self, options: Any) -> str:
        """Return a word for options whose kernel is compiled apart, or nothing."""
        return ""

    @property
    def package(self) -> str:
        """Name of the game's package here and in ``kernels``."""
        return self.name.replace("-", "_")

    @property
    def layout(self) -> ModuleType:
        """The kernel's ``layout`` module: its columns and events."""
        return import_module(f"kernels.{self.package}.layout")

    @property
    def kernel(self) -> ModuleType:
        """The kernel's ``play`` module; importing it is what makes numba load."""
        return import_module(f"kernels.{self.package}.play")

    def new_scratch(self) -> Any:
        """Return the arrays that the kernel works in, for one thread."""
        return import_module(f"kernels.{self.package}.tables").new_scratch()
