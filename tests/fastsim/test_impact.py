"""What each card does, measured on real games."""

import csv
import io
import json

import numpy as np
import pytest

import fastsim
from fastsim.cli import main
from fastsim.experiment import design
from fastsim.impact import Cards, ExchangePlay, ObservedPlay, card_impact
from fastsim.pairing import Quantities
from fastsim.tracing import traced_blocks
from kernels.cap30 import layout as at
from kernels.rummy import layout as rummy
from reports.intervals import Estimate
from tests.fastsim.stored import small_pieces

pytestmark = pytest.mark.compiled


def test_observed_rates_are_those_of_a_plain_count() -> None:
    n = 300
    result = card_impact("cap30", n, options={"players": 3}, policy="random", causal=False, seed=2)
    having: dict[str, list[int]] = {}
    rest: dict[str, list[int]] = {}
    experiment = design("cap30", {"players": 3}, "random", seed=2)
    names = [at.KIND_NAMES[kind] for kind in sorted(set(experiment.setup[1].deck.tolist()))]
    for number in range(n):
        events = fastsim.replay("cap30", number, options={"players": 3}, policy="random", seed=2).events
        dealt = {(seat, at.KIND_NAMES[kind]) for code, seat, kind, *_ in events.tolist() if code == at.DEAL}
        winner = next(seat for code, seat, *_ in events.tolist() if code == at.HAND_END)
        for seat in range(3):
            for name in names:
                (having if (seat, name) in dealt else rest).setdefault(name, []).append(seat == winner)
    for card in result.impact.cards:
        assert card.dealt is not None and card.effect is None
        assert (card.dealt.seats, card.dealt.others) == (len(having[card.name]), len(rest[card.name]))
        assert card.dealt.having.value == pytest.approx(np.mean(having[card.name]))
        assert card.dealt.rest.value == pytest.approx(np.mean(rest[card.name]))
    assert sorted(card.name for card in result.impact.cards) == sorted(names)


@pytest.mark.parametrize("game", ["cap30", "kapaga", "cap-it"])
def test_nothing_depends_on_threads_or_cuts(game: str) -> None:
    texts = {card_impact(game, 301, seed=3, threads=threads).to_json() for threads in (1, 2, 3)}
    assert len(texts) == 1
    experiment = design(game, seed=3)
    for play in (ObservedPlay(experiment), ExchangePlay(experiment)):
        assert (play(0, 60) == play(0, 11) + play(11, 60)).all()


def test_an_exchange_for_no_card_is_no_exchange() -> None:
    experiment = design("cap-zap", {"players": 4, "teams": 2}, "balanced", seed=1)
    play = ExchangePlay(experiment)
    wins, done = play._wins(0, 0, 400, None)
    assert not done.any()
    tally = fastsim.run("cap-zap", 400, options={"players": 4, "teams": 2}, seed=1)
    rates = [seat.rate.value or 0 for seat in tally.summary.seats]
    scale = Quantities(experiment).win
    # Seats take turns, side by side: the mean over the sides is a half.
    assert 0.4 < wins.mean() / scale < 0.6 and sum(rates) == pytest.approx(1)
    # All kinds at once: every card is of a wanted kind already.
    same, none = play._wins(2**26 - 1, 0, 400, None)
    assert not none.any() and np.array_equal(same, wins)


def test_a_deck_of_one_kind_has_nothing_to_exchange() -> None:
    options = {"deck": {"+1": 15}, "cap": 30, "start": 0, "hand_size": 5}
    card = card_impact("cap30", 200, options=options).impact.cards[0]
    assert card.effect is not None and card.dealt is not None
    assert (card.effect.deals, card.effect.left_out, card.effect.verdict) == (0, 200, "undecided")
    assert card.effect.difference.value is None
    assert (card.dealt.seats, card.dealt.others) == (400, 0)


def test_a_card_drawn_from_all_that_were_not_dealt_changes_nothing_on_average() -> None:
    """A deal with two of its cards exchanged by lot is as likely as the deal was."""
    n = 20_000
    experiment = design("thirty-thirty", {"players": 2}, "random", seed=12)
    cards = Cards(experiment)
    undealt = np.tile(np.array(cards.copies, dtype=float), (n, 1))
    for block, events in traced_blocks(experiment, 0, n):
        starts = np.flatnonzero(events[:, 0] == rummy.HAND)
        for code in (rummy.DEAL, rummy.UPCARD):
            places = np.flatnonzero(events[:, 0] == code)
            hand = np.searchsorted(starts, places, side="right") - 1 + block.first
            np.add.at(undealt, (hand, cards.groups[events[places, 2]]), -1)
    play = ExchangePlay(experiment)
    without, _ = play._wins(0, 0, n, None)
    change = np.zeros(n)
    for group, mask in enumerate(cards.masks):
        given, done = play._wins(mask, 0, n, None)
        change += undealt[:, group] / undealt.sum(axis=1) * (given - without) * done
        assert done.sum() > 0.7 * n
    assert abs(change.mean()) < 4 * change.std() / n**0.5
    assert change.std() > 0


def test_more_of_the_best_card_helps_and_of_the_worst_hurts() -> None:
    found = {card.name: card.effect for card in card_impact("cap30", 6000, observed=False).impact.cards}
    best, worst = found["TakeTwo"], found["Reset"]
    assert best is not None and worst is not None
    assert (best.verdict, worst.verdict) == ("higher", "lower")
    assert next(iter(found)) == "TakeTwo"


def test_intervals_hold_what_a_long_run_finds() -> None:
    def estimates(n: int, seed: int) -> dict[tuple[str, str], Estimate]:
        cards = card_impact("cap30", n, seed=seed).impact.cards
        return {
            (name, card.name): part.difference
            for card in cards
            for name, part in (("dealt", card.dealt), ("held", card.held), ("effect", card.effect))
            if part is not None
        }

    truth = estimates(60_000, 1000)
    held: dict[str, list[bool]] = {}
    for seed in range(40):
        for (name, card), found in estimates(400, seed).items():
            value = truth[name, card].value
            assert value is not None and found.low is not None and found.high is not None
            held.setdefault(name, []).append(found.low <= value <= found.high)
    for name, each in held.items():
        assert 0.92 < np.mean(each) < 0.98, name


def test_forms(capsys: pytest.CaptureFixture[str]) -> None:
    for game in ("kapaga", "cap30"):
        arguments = ["cards", game, "-n", "80", "--seed", "5"]
        main(arguments)
        page = capsys.readouterr().out
        assert max(len(line) for line in page.splitlines()) <= 80
        assert "17lands" in page and "Holm" in page
    main([*arguments, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert (document["kind"], document["observed"], document["exchanged"]) == ("card_impact", 80, 80)
    main([*arguments, "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["card"] for row in rows] == list(document["cards"])
    effects = [each["effect"] for each in document["cards"].values()]
    assert [int(row["deals"]) for row in rows] == [each["deals"] for each in effects]
    assert all(each["deals"] + each["left_out"] == 80 for each in effects)
    values = [each["difference"]["value"] for each in effects]
    assert values == sorted(values, reverse=True)
    main([*arguments, "--format", "markdown"])
    assert "| TakeTwo | 6 |" in capsys.readouterr().out
    main([*arguments, "--observed"])
    page = capsys.readouterr().out
    assert "given" not in page and "held" in page
    main([*arguments, "--causal", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["observed"] == 0 and document["cards"]["TakeTwo"]["dealt"] is None


def test_an_interrupt_shows_what_was_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch, "cap-zap")  # far more of them than are in flight

    def progress(done: int, n: int) -> None:
        assert n == 4000
        if done > stop:
            raise KeyboardInterrupt

    stop = 600
    first = card_impact("cap-zap", 2000, threads=1, progress=progress)
    assert first.interrupted and 0 < first.impact.observed < 2000 and first.impact.exchanged == 0
    assert "Stopped early" in first.to_text() and all(card.effect is None for card in first.impact.cards)
    stop = 2600
    second = card_impact("cap-zap", 2000, threads=1, progress=progress)
    assert second.interrupted and second.impact.observed == 2000 and 0 < second.impact.exchanged < 2000
    assert all(card.effect is not None for card in second.impact.cards)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--unit", "game"], "unit was given 'game'; accepted: hand"),
        (["-n", "0"], "n was given 0"),
        (["--confidence", "1"], "confidence was given 1.0"),
        (["--policy", "x"], "unknown policy 'x'"),
        (["--set", "player=3"], "unknown option 'player', did you mean 'players'?"),
        (["--threads", "0"], "threads was given 0"),
    ],
)
def test_what_is_refused(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["cards", "cap30", *arguments])
    assert stop.value.code == 2
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.out == ""


def test_something_must_be_measured() -> None:
    with pytest.raises(fastsim.UsageError, match="neither observed nor causal"):
        card_impact("cap30", 10, observed=False, causal=False)
