"""Options that the contract rummies share, and what is refused in them (R1-R14)."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Self

from pydantic import Field, model_validator

from fastsim.errors import unknown
from fastsim.options import Options
from kernels.rummy.layout import (
    ACE,
    MAX_CONTRACTS,
    MAX_ITEMS,
    RANK_NAMES,
    RUN,
    SET,
    TWO_RANK,
)
from kernels.rummy.tables import wilds_allowed

POINT_KEYS = ("Joker", *RANK_NAMES[TWO_RANK:])
"""Names of the cards in a table of points."""
LARGEST_SET = 13

Points = dict[str, Annotated[int, Field(ge=0, le=1000)]]
Contracts = list[list[str]]

CONTRACTS_ACCEPTED = 'a list of lists of "set N" and "run N"'
POINTS_ACCEPTED = f"a table of 0 to 1000 for each of {', '.join(POINT_KEYS)}"
"""The words for what these two accept."""

_FORMS = {"set": SET, "run": RUN}


class RummyOptions(Options):
    """Base of the options of a contract rummy: the checks that they share."""

    keep: ClassVar[int]
    """Cards that must stay in hand for the discard, on going down and melding."""
    rule_of_size: ClassVar[str]
    """Rule that says how many cards are dealt."""

    if TYPE_CHECKING:  # each game declares these, with its own defaults, in the order of its rules page
        players: int
        hand: int
        packs: int | None
        hand_size: int
        contracts: Contracts
        min_run: int
        wild_rule: str
        wild_fraction: float
        natural_twos: bool
        swap_same_meld: bool
        points: Points
        layoff: str
        stock_out: str
        max_reshuffles: int
        max_turns: int

    def turned_up(self) -> int:
        """Return how many cards are turned up to start the discard pile."""
        return 1

    def most_held(self) -> int:
        """Return how many cards a hand can have when its seat goes down, at the very most."""
        raise NotImplementedError

    @property
    def wild_share(self) -> float | None:
        """Most wilds in a meld as a share of its cards; None if all but one may be wild (R5)."""
        return self.wild_fraction if self.wild_rule == "half" else None

    @property
    def lowest_place(self) -> int:
        """Of a run (R4)."""
        return TWO_RANK if self.natural_twos else TWO_RANK + 1

    def items(self) -> list[list[tuple[int, int]]]:
        """Return the contracts as forms and numbers of cards."""
        return [[_item(text) for text in contract] for contract in self.contracts]

    def points_by_rank(self) -> list[int]:
        """Return the points by rank, of the Joker at 0."""
        return [self.points["Joker"], 0, *(self.points[name] for name in RANK_NAMES[TWO_RANK:])]

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Fill in what depends on other options, and refuse what is impossible together."""
        if self.packs is None:
            self.packs = -(-self.players // 2)
        self._check_points()
        self._check_deal(self.packs)
        if not 1 <= len(self.contracts) <= MAX_CONTRACTS:
            raise ValueError(
                f"option contracts has {len(self.contracts)} contracts; accepted: 1 to {MAX_CONTRACTS} "
                "(rule R8)"
            )
        for number, contract in enumerate(self.contracts, start=1):
            self._check_contract(f"contract {number} ({', '.join(contract)})", contract, self.packs)
        if self.hand > len(self.contracts):
            raise ValueError(
                f"option hand was given {self.hand}, and there are {len(self.contracts)} contracts; "
                f"accepted: 1 to {len(self.contracts)} (rule R8)"
            )
        return self

    def _check_points(self) -> None:
        for name in self.points:
            if name not in POINT_KEYS:
                raise unknown("card in option points:", name, POINT_KEYS)
        missing = [name for name in POINT_KEYS if name not in self.points]
        if missing:
            raise ValueError(
                f"the table of points lacks {', '.join(missing)}; accepted: points for each of "
                f"{', '.join(POINT_KEYS)} (rule R14)"
            )

    def _check_deal(self, packs: int) -> None:
        up = self.turned_up()
        dealt = self.players * self.hand_size + up
        if dealt > 54 * packs:
            raise ValueError(
                f"{self.players} hands of {self.hand_size} and {up} turned up are {dealt} cards, and there "
                f"are {54 * packs} in {_packs(packs)}: all must fit (rules R1, {self.rule_of_size})"
            )

    def _check_contract(self, name: str, contract: list[str], packs: int) -> None:
        if not 1 <= len(contract) <= MAX_ITEMS:
            raise ValueError(f"{name} has {len(contract)} melds; accepted: 1 to {MAX_ITEMS} (rule R8)")
        cards = 0
        for text in contract:
            form, length = _item(text)
            least = self.min_run if form == RUN else 3
            most = ACE - self.lowest_place + 1 if form == RUN else LARGEST_SET
            if not least <= length <= most:
                kind = "run" if form == RUN else "set"
                raise ValueError(
                    f"{name} has a {kind} of {length}; accepted with these options: {least} to {most} cards "
                    "(rules R3, R4)"
                )
            wilds = min(wilds_allowed(length, self.wild_share), 6 * packs)
            if form == SET and length - wilds > 4 * packs:
                raise ValueError(
                    f"{name} can never be laid: a set of {length} needs {length - wilds} cards of one rank, "
                    f"and there are {4 * packs} in {_packs(packs)} (rules R1, R5)"
                )
            cards += length
        most_held = min(self.most_held(), 54 * packs)
        if cards + self.keep > most_held:
            discard = ", and one for the discard," if self.keep else ""
            raise ValueError(
                f"{name} can never be laid: it takes {cards} cards{discard} and a hand of {self.hand_size} "
                f"never grows beyond {most_held} (rules R8, {self.rule_of_size})"
            )


def _packs(packs: int) -> str:
    return f"{packs} pack{'' if packs == 1 else 's'}"


def _item(text: str) -> tuple[int, int]:
    """Return form and number of cards of ``"set 3"``."""
    form, _, length = text.strip().partition(" ")
    if form not in _FORMS or not length.strip().isdecimal():
        raise ValueError(f'option contracts has {text!r}; accepted: such as "set 3" or "run 4" (rule R8)')
    return _FORMS[form], int(length)
