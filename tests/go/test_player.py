"""Players that search: what they keep between moves, when they need not think, and what they find."""

from __future__ import annotations

import numpy as np
import pytest
from networks import network_file

import boltree as bt
from boltree.errors import ParameterError
from boltree.go import Game
from boltree.go.board.points import action_named, move_name
from boltree.go.match.contender import Contender, contender_from, distinct, engine_from, network_named
from boltree.go.player import Limit, SearchPlayer
from boltree.go.settings import SCALE, TUNED, go_setting, varied

RULES = "no-suicide"


def uct(seed: int | None = 0, **options: object) -> SearchPlayer:
    return SearchPlayer(go_setting("uct").algorithm(), seed=seed, **options)  # type: ignore[arg-type]


class Counting:
    """An evaluator that knows nothing, and counts how often it is asked."""

    gives_prior = True

    def __init__(self) -> None:
        self.asked = 0

    def evaluate(self, batch):
        self.asked += len(batch)
        return np.full((len(batch), 26), 1 / 26), np.zeros(len(batch))


def test_the_subtree_is_kept_for_both_moves():
    player, game = uct(), Game(5, 0.5, RULES)
    first = player.choose(game, Limit(trials=1500))
    assert first.trials == 1500
    search = player.search_at(game)
    child = search.node([action_named(first.move, 5)])
    reply = int(child.actions[child.visits.argmax()])
    kept = child.children[reply][0].count
    assert kept > 5
    game.play(first.move)
    game.play(move_name(reply, 5))
    assert player.search_at(game) is search
    assert search.root.count == kept
    assert player.choose(game, Limit(trials=100)).trials == 100
    assert player.search_at(game).root.count == kept + 100


def test_a_tree_that_is_not_kept_is_made_anew():
    player, game = uct(reuse=False), Game(5, 0.5, RULES)
    move = player.choose(game, Limit(trials=100)).move
    before = player.search
    game.play(move)
    assert player.choose(game, Limit(trials=100)).trials == 100
    assert player.search is not before
    assert player.search is not None
    assert player.search.root.count == 100


def test_an_unexpected_move_is_followed_too():
    player, game = uct(), Game(5, 0.5, RULES)
    player.choose(game, Limit(trials=1))
    search = player.search_at(game)
    for move in ("A1", "A2"):
        game.play(move)
    assert player.search_at(game) is search
    assert search.root.state.tobytes() == game.state.tobytes()
    assert player.choose(game, Limit(trials=50)).move in game.legal_moves()


@pytest.mark.parametrize("change", ["undo", "komi", "size", "out of turn", "setup"])
def test_another_game_is_searched_anew(change):
    player, game = uct(), Game(5, 0.5, RULES)
    game.play("C3")
    player.choose(game, Limit(trials=50))
    before = player.search_at(game)
    if change == "undo":
        game.undo()
    elif change == "out of turn":
        game.play("C4", "black")
    else:
        size, komi = (4 if change == "size" else 5), (1.5 if change == "komi" else 0.5)
        game = Game(size, komi, RULES, white=["A1"] if change == "setup" else [])
        game.play("C3")
    after = player.search_at(game)
    assert after is not before
    assert after.root.count == 0
    assert after.root.state.tobytes() == game.state.tobytes()


def test_one_legal_move_is_played_at_once():
    stones = [f"{letter}{row}" for letter in "ABCDE" for row in range(1, 6)]
    game = Game(5, 0.5, RULES, black=[s for s in stones if s not in ("A1", "E5")], to_move="white")
    assert game.legal_moves() == ["pass"]
    evaluator = Counting()
    player = SearchPlayer(go_setting("puct").algorithm(), evaluator=evaluator, seed=0)
    assert player.choose(game, Limit(seconds=20.0)) == ("pass", 0, 0.0, None)
    assert player.search is None
    assert evaluator.asked == 0


def test_a_network_s_evaluator_is_asked():
    evaluator = Counting()
    player = SearchPlayer(go_setting("ar-bts").algorithm(), evaluator=evaluator, seed=0)
    assert player.choose(Game(5, 0.5, RULES), Limit(trials=30)).trials == 30
    assert evaluator.asked > 20


@pytest.mark.parametrize("name", ["ar-bts", "puct"])
def test_a_real_network_plays(name):
    """In batches too, the same seed gives the same moves and the tree is kept; the first move is not on the edge."""
    network = network_file("b6")
    one = contender_from(name, Limit(trials=48), str(network))
    assert one.row()["network"] == network.name

    def moves() -> list[str]:
        player, game = one.player(5, threads=1), Game(9, 6.5, RULES)
        for _ in range(3):
            choice = player.choose(game, one.limit)
            assert choice.trials == 48
            assert 0.2 < choice.black_wins < 0.8
            game.play(choice.move)
        assert player.search_at(game).root.count > 0
        return game.moves

    first = moves()
    assert first == moves()
    assert first[0][0] in "CDEFG"
    assert first[0][1] in "34567"


@pytest.mark.parametrize("name", ["uct", "ar-bts", "puct"])
@pytest.mark.parametrize("mirrored", [False, True])
def test_the_winning_capture_is_found(name, mirrored):
    """Row 3 is in atari, and so are the nine stones below it: only capturing them wins. Mirrored, for White."""
    mine = [f"{letter}3" for letter in "ABCDE"]
    theirs = [f"{letter}2" for letter in "ABCDE"] + ["A1", "B1", "C1", "D1"]
    theirs += ["A4", "B4", "C4", "E4", "B5", "D5"]
    sides = {"black": theirs, "white": mine} if mirrored else {"black": mine, "white": theirs}
    game = Game(5, -0.5 if mirrored else 0.5, RULES, to_move="white" if mirrored else "black", **sides)
    player = SearchPlayer(go_setting(name).algorithm(), seed=1)
    choice = player.choose(game, Limit(trials=3000))
    assert choice.move == "E1"
    assert (choice.black_wins < 0.5) if mirrored else (choice.black_wins > 0.5)


def test_the_same_seed_plays_the_same_game():
    def game_of(seed: int) -> list[str]:
        game, player = Game(5, 0.5, RULES), uct(seed)
        while not game.is_over and len(game.moves) < 12:
            game.play(player.choose(game, Limit(trials=40)).move)
        return game.moves

    assert game_of(3) == game_of(3)
    assert game_of(3) != game_of(4)


def test_seconds_are_kept(clock):
    player, game = uct(), Game(5, 0.5, RULES)
    player.search_at(game)
    began = clock.seconds
    choice = player.choose(game, Limit(seconds=10.0))
    assert 9.5 < clock.seconds - began < 10.5
    assert choice.trials > 20
    assert player.choose(game, Limit(seconds=1e-9)).move in game.legal_moves()


def test_a_tree_too_large_to_move_is_left():
    player, game = uct(), Game(5, 0.5, RULES)
    move = player.choose(game, Limit(trials=20_000)).move
    before = player.search_at(game)
    player.choose(game, Limit(seconds=0.1))
    assert player.search_at(game) is before  # nothing to move
    game.play(move)
    player.choose(game, Limit(seconds=0.1))
    assert player.search_at(game) is not before
    before = player.search_at(game)
    game.play(player.choose(game, Limit(seconds=30.0, trials=1)).move)
    player.choose(game, Limit(seconds=30.0, trials=1))
    assert player.search_at(game) is before


def test_a_finished_game_has_no_move():
    game = Game(5, 0.5, RULES)
    for _ in range(2):
        game.play("pass")
    with pytest.raises(ParameterError, match="the game is over"):
        uct().choose(game, Limit(trials=1))


@pytest.mark.parametrize("wrong", [{}, {"trials": 0}, {"seconds": 0.0}, {"seconds": float("inf")}, {"trials": 1.5}])
def test_a_limit_must_be_one(wrong):
    with pytest.raises(ParameterError):
        Limit(**wrong)


def test_the_paper_s_parameters():
    assert SCALE == 100.0
    puct = go_setting("PUCT").algorithm()
    assert (puct.c, puct.first_play) == (110.0, 0.0)
    bts, arbts = go_setting("bts").algorithm(), go_setting("ar-bts").algorithm()
    assert (bts.alpha, bts.epsilon_prior, bts.epsilon) == (0.1, 2.0, 0.003)
    assert (arbts.alpha, arbts.epsilon_prior, arbts.epsilon) == (bt.sqrt_decay(1.0), 1.0, 0.001)
    alphas = {"ments": 1.0, "rents": 1.0, "tents": 100.0, "ar-ments": 0.3, "ar-rents": 0.3, "ar-tents": 3.0}
    assert {name: go_setting(name).algorithm().alpha for name in alphas} == alphas
    assert go_setting("dents").algorithm().beta == go_setting("ar-dents").algorithm().beta == bt.sqrt_decay(0.3)
    assert all(go_setting(name).algorithm().recommend == "visits" for name in (*TUNED, "uct"))


def test_a_parameter_is_varied():
    assert varied(go_setting("ar-bts"), "alpha", 0.3).algorithm().alpha == bt.sqrt_decay(0.3)
    assert varied(go_setting("bts"), "alpha", 0.3).algorithm().alpha == 0.3
    assert varied(go_setting("bts"), "epsilon", 0.1).algorithm().alpha == 0.1
    assert varied(go_setting("bts"), "alpha", 0.3).label == "alpha=0.3"
    with pytest.raises(ParameterError, match=r"--tune gamma: BTS has alpha"):
        varied(go_setting("bts"), "gamma", 1.0)


def test_players_from_text():
    limit = Limit(seconds=2.0)
    plain = contender_from("ar-bts", limit)
    assert (plain.label, plain.limit, plain.network) == ("AR-BTS", limit, None)
    own = contender_from("bts:alpha=0.3,trials=50,batch=4", limit, "b6")
    assert (own.limit, own.network, own.batch) == (Limit(trials=50), "b6", 4)
    assert own.setting.algorithm().alpha == 0.3
    assert contender_from("bts:network=none", limit, "b6").network is None
    assert "reuse" not in own.row()
    unusual = contender_from("puct:reuse=false,symmetries=average,score=0.1", limit, "b6")
    assert (unusual.reuse, unusual.symmetries, unusual.score) == (False, "average", 0.1)
    assert unusual.row().items() >= {"reuse": False, "symmetries": "average", "score": 0.1}.items()
    anchored = contender_from("ar-bts:q_init=anchored(5)", limit).setting.algorithm()
    assert anchored.q_init == bt.anchored(5.0)
    assert contender_from("ar-bts:alpha=sqrt_decay(2.0)", limit).setting.algorithm().alpha == bt.sqrt_decay(2.0)
    assert engine_from("/usr/games/gnugo --mode gtp", limit).label == "gnugo"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bots", "must be one of"),
        ("bts:alpha", "must be key=value"),
        ("bts:beta=1", "unknown parameter 'beta'"),
        ("bts:alpha=-1", "alpha=-1"),
        ("bts:trials=0", "trials=0"),
        ("bts:trials=some", "trials='some'"),
        ("bts:batch=0", "batch=0"),
        ("bts:network=/nowhere.bin.gz", "no such file"),
        ("bts:reuse=2", "reuse=2, must be true or false"),
        ("bts:symmetries=some", "symmetries='some', must be one of identity, random, average"),
        ("bts:score=-1", "score=-1, must be a finite number of at least 0"),
        ("bts:score=0.1", "score is for a network, and there is none"),
    ],
)
def test_wrong_players_are_named(text, says):
    with pytest.raises(ParameterError, match=says.replace("(", r"\(")):
        contender_from(text, Limit(trials=5))


def test_namesakes_are_numbered_and_twins_refused():
    limit = Limit(trials=5)
    engines = [engine_from(f"gnugo --level {level}", limit) for level in (1, 5)]
    assert [one.label for one in distinct(engines)] == ["gnugo 1", "gnugo 2"]
    with pytest.raises(ParameterError, match="UCT stands there twice"):
        distinct([contender_from("uct", limit), contender_from("UCT", limit)])


def test_a_network_that_is_not_there():
    assert network_named("none") is None
    with pytest.raises(ParameterError, match="no network of that name"):
        network_named("b7")
    assert isinstance(contender_from("uct", Limit(trials=5)).player(0), SearchPlayer)
    assert Contender("x", Limit(trials=5), go_setting("uct")).row()["network"] is None
