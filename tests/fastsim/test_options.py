"""Options: what is parsed, what is refused and in which words, and the table of the rules page."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
import pytest
from pydantic import Field, model_validator

from fastsim import catalog
from fastsim.catalog.cap30.options import Cap30Options
from fastsim.errors import UsageError, quoted, unknown, whole_number
from fastsim.options import Options, option, read_assignment, read_toml, shown


class Rules(Options):
    """Options of each type."""

    seats: int = option(2, "how many play", "X1", unit="players", ge=2, le=4)
    rate: float = option(0.5, "how often", "X2", "assumed", ge=0, le=1)
    strict: bool = option(True, "whether", "X3", "ruling")
    who: Literal["first", "last"] = option("first", "who", "X4")
    cards: str | dict[str, Annotated[int, Field(ge=0, le=9)]] = option("usual", "the cards", "X5")
    extra: int | None = option(None, "more", "X6", default_text="as seats", ge=0, le=9)

    @model_validator(mode="after")
    def _resolve(self) -> Self:
        if self.extra is None:
            self.extra = self.seats
        if self.extra > 2 * self.seats:
            raise ValueError("extra is more than twice the seats (rule X6)")
        return self


def refused(given: Any, cls: type[Options] = Rules) -> str:
    with pytest.raises(UsageError) as error:
        cls.parse(given)
    sentence = str(error.value)
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"seats": "3"}, 3),
        ({"seats": " 3 "}, 3),
        ({"seats": 3.0}, 3),
        ({"seats": np.int64(3)}, 3),
        ({"rate": "0.25"}, 0.25),
        ({"rate": 1}, 1.0),
        ({"rate": np.float64(0.25)}, 0.25),
        ({"strict": "false"}, False),
        ({"strict": "no"}, False),
        ({"strict": False}, False),
        ({"strict": np.False_}, False),
        ({"who": "last"}, "last"),
        ({"cards": {"a": 3}}, {"a": 3}),
        ({"cards": "other"}, "other"),
    ],
)
def test_values_of_every_kind_are_parsed(given: dict[str, object], value: object) -> None:
    (name,) = given
    parsed = getattr(Rules.parse(given), name)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"seats": "5"}, "option seats was given '5'; accepted: 2 to 4 (rule X1)"),
        ({"seats": 1}, "option seats was given 1; accepted: 2 to 4 (rule X1)"),
        ({"seats": "two"}, "option seats was given 'two'; accepted: a whole number, 2 to 4 (rule X1)"),
        ({"seats": 2.5}, "option seats was given 2.5; accepted: a whole number, 2 to 4 (rule X1)"),
        ({"seats": ""}, "option seats was given ''; accepted: a whole number, 2 to 4 (rule X1)"),
        ({"seats": None}, "option seats was given None; accepted: a whole number, 2 to 4 (rule X1)"),
        ({"seats": [2]}, "option seats was given [2]; accepted: a whole number, 2 to 4 (rule X1)"),
        ({"rate": 1.5}, "option rate was given 1.5; accepted: 0 to 1 (rule X2)"),
        ({"rate": "nan"}, "option rate was given 'nan'; accepted: 0 to 1 (rule X2)"),
        ({"rate": float("inf")}, "option rate was given inf; accepted: 0 to 1 (rule X2)"),
        ({"strict": "maybe"}, "option strict was given 'maybe'; accepted: true, false (rule X3)"),
        ({"strict": 2}, "option strict was given 2; accepted: true, false (rule X3)"),
        ({"who": "fist"}, "option who was given 'fist'; accepted: first, last (rule X4)"),
        ({"cards": 5}, "option cards was given 5; accepted: a name or a table of counts, each 0 to 9 (rule"),
        ({"cards": {"a": 1, "b": 10}}, "option cards was given 10 at 'b'; accepted: a name or a table of co"),
        ({"cards": {"a": "x"}}, "option cards was given 'x' at 'a'; accepted: a name or a table of counts"),
        ({"extra": 9}, "extra is more than twice the seats (rule X6)"),
        ({"seat": 2}, "unknown option 'seat', did you mean 'seats'? accepted: seats, rate, strict, who, car"),
        ({"zzz": 2}, "unknown option 'zzz'; accepted: seats, rate, strict, who, cards, extra"),
        ({"SEATS": 2}, "unknown option 'SEATS'"),
        ({"sëats": 2}, "unknown option 'sëats', did you mean 'seats'?"),
        ({"": 2}, "unknown option ''; accepted"),
        ({1: 2}, "unknown option 1; accepted"),
        ("seats=3", "options were given as 'seats=3'; accepted: a mapping, values by name"),
        ([("seats", 3)], "options were given as [('seats', 3)]; accepted: a mapping, values by name"),
        ({"seats": "9" * 5000}, "option seats was given '99"),
        ({"seats": 10**5000}, "option seats was given a number of thousands of digits; accepted: 2 to 4"),
    ],
)  # fmt: skip
def test_what_is_not_accepted_is_refused_in_a_sentence(given: Any, sentence: str) -> None:
    assert refused(given).startswith(sentence)


def test_descriptions_are_made_of_the_fields() -> None:
    info = Rules.describe()
    assert list(info) == ["seats", "rate", "strict", "who", "cards", "extra"]
    assert (info["seats"].default, info["seats"].accepted, info["seats"].unit) == ("2", "2 to 4", "players")
    assert (info["strict"].default, info["strict"].accepted) == ("true", "true, false")
    assert (info["extra"].default, info["extra"].accepted) == ("as seats", "0 to 9")
    assert [info[name].status for name in ("seats", "rate", "strict")] == ["stated", "assumed", "ruling"]
    assert {i.rule for i in info.values()} == {f"X{n}" for n in range(1, 7)}
    assert all(i.meaning for i in info.values())


def test_changed_options_are_those_that_differ_from_the_defaults() -> None:
    assert Rules.parse({}).changed() == ()
    assert Rules.parse({"seats": "2", "strict": "true", "cards": "usual"}).changed() == ()
    assert Rules.parse({"strict": False, "rate": 0.25}).changed() == ("rate", "strict")
    # Others that follow from a changed one differ too, so that a command line with them plays the same.
    changed = Rules.parse({"seats": 3})
    again = Rules.parse({name: getattr(changed, name) for name in changed.changed()})
    assert again == changed


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("seats=3", ("seats", "3")),
        (" seats = 3 ", ("seats", "3")),
        ("name=a=b", ("name", "a=b")),
        ('deck={"+1"=2, Skip=1}', ("deck", {"+1": 2, "Skip": 1})),
        ('deck={"+1": 2}', ("deck", {"+1": 2})),
        ("hands=[1, 2]", ("hands", [1, 2])),
        ("naïve=ü", ("naïve", "ü")),
    ],
)
def test_assignments_are_read(text: str, read: tuple[str, object]) -> None:
    assert read_assignment(text) == read


@pytest.mark.parametrize("text", ["", "=", "seats", "seats=", "=3", "a={", "a=[1", "a=" + "[" * 5000])
def test_what_is_no_assignment_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(UsageError, match=r"NAME=VALUE|cannot be read as TOML") as error:
        read_assignment(text)
    assert len(str(error.value)) < 250


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text("seats = 3\nstrict = false\n[cards]\na = 2\n", encoding="utf-8")
    parsed = Rules.parse(read_toml(file, "options"))
    assert (parsed.seats, parsed.strict, parsed.cards) == (3, False, {"a": 2})
    file.write_text("", encoding="utf-8")
    assert Rules.parse(read_toml(file, "options")) == Rules.parse({})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"seats = ", "is not valid TOML: "),
        (b"seats = 3\nseats = 4\n", "is not valid TOML: "),
        (b"\xff\xfe", "is not valid TOML: "),
        (b"seats = " + b"[" * 5000, "is not valid TOML: "),
        (b"a" * 1_000_001, "is too large; accepted: up to 1,000,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = tmp_path / "rules.toml"
    file.write_bytes(content)
    with pytest.raises(UsageError, match="the options file '.*rules.toml' " + sentence):
        read_toml(file, "options")


def test_no_file_and_a_folder_are_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no options file '.*none.toml'"):
        read_toml(tmp_path / "none.toml", "options")
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        read_toml(tmp_path, "options")
    with pytest.raises(UsageError, match="cannot be the name of the options file"):
        read_toml(Path("a\0b"), "options")


def test_words_of_errors() -> None:
    kinds = [*(f"+{n}" for n in range(1, 26)), *(f"-{n}" for n in range(1, 4)), "Skip"]
    assert str(unknown("kind", "Skp", kinds)) == (
        "unknown kind 'Skp', did you mean 'Skip'? accepted: +1 to +25, -1, -2, -3, Skip"
    )
    assert quoted("a\nb") == r"'a\nb'"
    assert len(quoted("x" * 10**6)) < 70
    assert whole_number("n", np.uint8(3), 1, 10**15) == 3
    with pytest.raises(UsageError, match="n was given 0; accepted: a whole number of 1 to 1e15"):
        whole_number("n", 0, 1, 10**15)
    for given in (True, 1.0, "1", None, float("nan")):
        with pytest.raises(UsageError):
            whole_number("n", given, 1, 10)


@pytest.mark.parametrize("name", catalog.names())
def test_every_game_describes_its_options_in_full(name: str) -> None:
    game = catalog.find(name)
    defaults = game.options.parse({})
    assert defaults.changed() == ()
    for info in game.options.describe().values():
        assert info.rule and info.meaning and info.default and info.accepted
        assert shown(getattr(defaults, info.name))
    for option_name in game.options.model_fields:
        assert f"option {option_name} was given <object" in refused({option_name: object()}, game.options)
    text = {n: shown(getattr(defaults, n)) for n in game.options.model_fields}
    plain = {n: v for n, v in text.items() if not v.startswith(("[", "{", "("))}
    assert game.options.parse(plain) == defaults


# Cap30: the table "Options" of its rules page. Default, lowest and highest or choices, rule.

CAP30: dict[str, tuple[str, Any, str]] = {
    "players": ("2", (2, 4), "C3"),
    "deck": ("cap30", None, "C1"),
    "cap": ("as the deck says", (10, 100), "C1"),
    "start": ("as the deck says", (0, 100), "C1"),
    "reset_to": ("as start", (0, 100), "C1"),
    "ten_step": ("10", (2, 50), "C2"),
    "hand_size": ("7", (1, 15), "C3"),
    "starter_extra": ("1 with two players, else 0", (-3, 5), "C3"),
    "chain_limit": ("3", (1, 10), "C9"),
    "max_multiple": ("3", (1, 3), "C5"),
    "must_play": ("true", "true, false", "C6"),
    "take_count": ("2", (0, 5), "C11"),
    "take_target": ("fewest", "fewest, next, most", "C11"),
    "undo_chains": ("true", "true, false", "C9"),
    "next_starter": ("last", "last, winner, rotate", "C16"),
    "hands_to_win": ("2", (1, 10), "C15"),
    "max_turns": ("1000", None, "C14"),
    "max_hands": ("100", None, "C14"),
    "powers": ("false", "true, false", "C20-C25"),
    "meter_size": ("4", (1, 10), "C20"),
    "meter_carry": ("true", "true, false", "C20"),
    "drain_cards": ("2", (0, 6), "C25"),
    "power_reaction": ("true", "true, false", "C21"),
}
ROOM = {"deck": "cap100", "start": "10", "players": 2}
"""Rules with which every hand size fits in the deck, and the cap can be low."""


@pytest.mark.parametrize("name", CAP30)
def test_cap30_has_the_options_of_its_rules_page(name: str) -> None:
    default, limits, rule = CAP30[name]
    info = Cap30Options.describe()[name]
    assert (info.default, info.rule) == (default, rule)
    if isinstance(limits, str):
        assert info.accepted == limits
    elif limits is not None:
        low, high = limits
        assert info.accepted == f"{low} to {high}"
        for value in (low, high):
            parsed = Cap30Options.parse({**ROOM, name: value})
            assert getattr(parsed, name) == value
        for value in (low - 1, high + 1):
            assert f"option {name} was given {value}; accepted: {low} to {high}" in refused(
                {name: value}, Cap30Options
            )


def test_cap30_adds_drains_to_its_deck_with_powers_only() -> None:
    assert "Drain" not in Cap30Options.parse({"drain_cards": 4}).counts()
    assert Cap30Options.parse({"drain_cards": 4, "powers": True}).counts()["Drain"] == 4
    assert "Drain" not in Cap30Options.parse({"drain_cards": 0, "powers": True}).counts()
    custom = Cap30Options.parse({"deck": {"+1": 15}, "cap": 10, "start": 5, "hand_size": 8, "powers": True})
    assert custom.counts() == {"+1": 15, "Drain": 2}
    assert Cap30Options.parse({"powers": "true", "take_target": "fewest", "next_starter": "last"}).powers


def test_cap30_fills_in_what_its_deck_says() -> None:
    for deck, cap, start in (("cap30", 30, 15), ("cap50", 50, 25), ("cap100", 100, 50), ("standard", 30, 15)):
        options = Cap30Options.parse({"deck": deck})
        assert (options.cap, options.start, options.reset_to) == (cap, start, start)
    assert [Cap30Options.parse({"players": n}).starter_extra for n in (2, 3, 4)] == [1, 0, 0]
    assert Cap30Options.parse({"start": 7}).reset_to == 7
    assert Cap30Options.parse({"cap": 10}).start == 10


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"hand_size": 15, "players": 4}, "4 hands of 15 with starter_extra 0 are 60 cards, and the deck ha"),
        ({"hand_size": 2, "starter_extra": -2}, "leaves whoever starts without a card"),
        ({"start": 31}, "option start is 31, above the cap of 30 (rule C1); accepted: 0 to 30"),
        ({"reset_to": 31}, "option reset_to is 31, above the cap of 30"),
        ({"deck": "cap31"}, "unknown deck 'cap31', did you mean 'cap30'?"),
        ({"deck": {"+1": 9}}, "needs the options cap and start too (rule C1)"),
        ({"deck": {"+26": 1}, "cap": 30, "start": 1}, "unknown kind of card in option deck: '+26', did you"),
        ({"deck": {"+1": 3}, "cap": 30, "start": 1}, "the deck has 3: all hands must fit in the deck (rule"),
        ({"deck": {}, "cap": 30, "start": 1}, "the deck has 0: all hands must fit in the deck (rule C3)"),
        ({"deck": {"Drain": 2}, "cap": 30, "start": 1, "powers": True}, "option deck: 'Drain'"),
        ({"powers": True, "take_target": "next"}, "take_target is next, but with powers the player of"),
        ({"powers": True, "next_starter": "winner"}, "next_starter is winner, but with powers who"),
        ({"powers": True, "players": 4, "hand_size": 14, "drain_cards": 3}, "and the deck has 55: all hands"),
    ],
)  # fmt: skip
def test_cap30_refuses_what_is_impossible_together(given: dict[str, object], sentence: str) -> None:
    assert sentence in refused(given, Cap30Options)
