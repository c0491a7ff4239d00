"""`cf.reconcile` and `cranfield reconcile`: worked numbers, sets of switches, chance, bad input."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.run_reader import read_runs
from cranfield.reconciliation.documents import Documents
from cranfield.reconciliation.scoring import Scoring
from cranfield.reconciliation.search import _parse_target, _Search, compute_chance
from cranfield.reconciliation.switches import DEFAULTS, SWITCHES, Data, format_options, get_own_conventions
from cranfield.reconciliation.tools import NAMES, TOOLS, build_conventions
from tests import ROOT

# The worked example: levels, and (document, score) in file order with ranks 1, 2, ….
QRELS: dict[str, dict[str, float]] = {
    "t-1": {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 1, "g": -1},
    "t-2": {"h": 1, "i": 2, "j": 1},
    "t-3": {"k": 0, "l": 0},
    "t-4": {"m": 2, "n": 1},
    "t-5": {"o": 1},
}
RUN: dict[str, dict[str, float]] = {
    "t-1": {"t-1": 9, "c": 9, "a": 8, "x": 9, "f": 9.00000001, "g": 9, "b": 8, "d": 8},
    "t-2": {"i": 5, "h": 5},
    "t-3": {"k": 3, "z": 2},
}


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Data:
    """The worked example as files in the current directory, and read."""
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("".join(f"{t} 0 {d} {x:g}\n" for t, docs in QRELS.items() for d, x in docs.items()))
    lines = [f"{t} Q0 {d} {r} {x!r} t\n" for t, docs in RUN.items() for r, (d, x) in enumerate(docs.items(), 1)]
    Path("r").write_text("".join(lines))
    return read_data("q", "r")


def read_data(qrels: Any, run: Any) -> Data:
    judgments = cf.read_qrels(qrels)
    (run,) = read_runs(run)
    return Data(judgments, Documents.from_run(judgments, run))


def compute(data: Data, measure: str, **conventions: str) -> float:
    """The mean by cranfield's conventions with some changed."""
    m = cf.parse_measure(measure)
    changed = {name.replace("_", "-"): option for name, option in conventions.items()}
    outcome = Scoring(data.qrels, data.documents, m).compute_value(get_own_conventions(m) | changed)
    assert outcome is not None
    return outcome[1]


# -- worked numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("switch", "option", "expected"),
    [
        ("ties", "id-desc", 0.2158),
        ("ties", "id-asc", 0.2223),
        ("ties", "input", 0.2396),
        ("ties", "rank", 0.2220),
        ("ties", "expected", 0.2226),
        ("ties", "best", 0.2459),
        ("ties", "worst", 0.1922),
        ("scores", "single", 0.1886),
        ("self", "drop", 0.2363),
        ("self", "first", 0.0844),
        ("unjudged", "removed", 0.2807),
        ("rel", "2", 0.2000),
        ("rel", "judged", 0.3874),
        ("negative", "gain", 0.1952),
        ("gain", "exp", 0.2101),
        ("gain", "binary", 0.2311),
        ("discount", "jk", 0.2042),
        ("discount", "jk2008", 0.2270),
        ("ideal", "judged", 0.2086),
        ("ideal", "retrieved@k", 0.2562),
        ("ideal", "length", 0.2477),
        ("missing", "out", 0.3596),
        ("no-relevant", "out", 0.2697),
        ("no-relevant", "one", 0.4158),
        ("mean", "geometric", 0.0007),
        ("mean", "median", 0.0),
        ("rounded", "half-up-2", 0.2160),
        ("rounded", "floor-2", 0.2140),
    ],
)
def test_compute_value_one_switch_equals_worked_number(
    example: Data, switch: str, option: str, expected: float
) -> None:
    assert round(compute(example, "nDCG@4", **{switch: option}), 4) == expected


@pytest.mark.parametrize(("divisor", "expected"), [("min", 0.1833), ("R", 0.1667), ("found", 0.4), ("retrieved", 0.24)])
def test_compute_value_divisor_of_ap_equals_worked_number(example: Data, divisor: str, expected: float) -> None:
    assert round(compute(example, "AP@4", AP_over=divisor), 4) == expected


@pytest.mark.parametrize(
    ("tool", "measure", "expected"),
    [
        ("trec_eval -c", "nDCG@4", "0.2158"),
        ("trec_eval -c -J", "nDCG@4", "0.3141"),
        ("pytrec_eval", "nDCG@4", "0.3143"),
        ("pytrec_eval", "AP@4", "0.2361"),
        ("ir_measures", "nDCG@4", "0.1886"),
        ("ir_measures RR@k", "RR@4", "0.4"),
        ("ir_measures", "RR", "0.25"),
        ("ranx", "nDCG@4", "0.2396"),
        ("ranx ndcg_burges", "nDCG@4", "0.2273"),
        ("ranx", "AP@4", "0.1889"),
        ("scikit-learn", "nDCG@4", "0.4401"),
        ("lightgbm", "nDCG@4", "0.7763"),
        ("lightgbm", "AP@4", "0.8056"),
        ("xgboost", "nDCG@4", "0.7442"),
        ("xgboost -", "nDCG@4", "0.4109"),
        ("xgboost", "AP@4", "0.75"),
        ("xgboost", "P@4", "0.5"),
        ("gdeval", "nDCG@4", "0.52534"),
        ("gdeval -c", "nDCG@4", "0.26267"),
        ("beir", "nDCG@4", "0.35410"),
        ("beir", "AP@4", "0.26852"),
        ("sentence-transformers", "nDCG@4", "0.6755"),
        ("sentence-transformers", "AP@4", "0.5417"),
    ],
)
def test_reconcile_value_of_tool_names_the_tool(example: Data, tool: str, measure: str, expected: str) -> None:
    m = cf.parse_measure(measure)
    row = next(row for row in TOOLS if row.label == tool and row.matches(m))
    value = Scoring(example.qrels, example.documents, m).compute_printed(build_conventions(row, m))
    assert f"{value:.{len(expected) - 2}f}" == expected
    assert tool in {label for match in cf.reconcile("q", "r", {measure: expected}).matches for label in match.tools}


class _Plain(_Search):
    """A search without profiles and the options of Elasticsearch."""

    @cached_property
    def _choices(self) -> dict[str, list[str]]:
        return super()._choices | {"unjudged": ["removed"]}


@pytest.mark.parametrize(
    ("changes", "variants", "values", "chance", "chance_of_two_decimals"),
    [(1, 30, None, 0.007, 0.35), (2, 408, 301, 0.036, 0.71), (3, 3350, None, 0.112, 0.76)],
)
def test_search_counts_and_chances_equal_worked_numbers(
    example: Data, changes: int, variants: int, values: int | None, chance: float, chance_of_two_decimals: float
) -> None:
    for text, expected in (("0.2158", chance), ("0.22", chance_of_two_decimals)):
        search = _Plain(example, [_parse_target("nDCG@4", text, None)], None, changes)
        search.tools = []
        result = search.find()
        assert result.variants == variants
        assert values is None or result.values == values
        assert round(search._compute_chances(search._collect())[changes], len(str(expected)) - 2) == expected


# -- sets of switches -----------------------------------------------------------------------------


def list_conventions(data: Data, measure: str, size: int) -> Iterable[dict[str, str]]:
    m = cf.parse_measure(measure)
    own = get_own_conventions(m)
    changes = [(x.name, o) for x in SWITCHES if x.applies(m) for o in x.options(data, m) if o != own[x.name]]
    for choices in combinations(changes, size):
        if len({name for name, _ in choices}) == size:
            yield own | dict(choices)


@pytest.mark.parametrize("measure", ["nDCG@4", "nDCG", "AP@4", "AP", "P@4", "Recall@2", "RR", "Success@1", "RelP@2"])
def test_format_options_evaluate_gives_the_value(
    example: Data, capsys: pytest.CaptureFixture[str], measure: str
) -> None:
    """The options of every set of up to two switches, if there are any, give its value."""
    m, compared = cf.parse_measure(measure), 0
    scoring = Scoring(example.qrels, example.documents, m)
    for size in (0, 1, 2):
        for conventions in list_conventions(example, measure, size):
            options = format_options([m], conventions)
            outcome = scoring.compute_value(conventions)
            if options is None or outcome is None:
                continue
            assert main(["evaluate", "q", "r", *shlex.split(options), "-f", "json", "--quiet"]) == 0
            (scores,) = json.loads(capsys.readouterr().out)["all"].values()
            assert next(iter(scores.values())) == pytest.approx(outcome[1], abs=1e-12), options
            compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    "measure", ["ERR@4", "Q", "RBP(p=0.5)", "bpref", "Rprec", "nDCG(gain=1:3)@3", "RR(rel=2)", "IPrec@0.5"]
)
def test_reconcile_other_measures_ours_equals_evaluate(example: Data, measure: str) -> None:
    score = cf.evaluate("q", "r", measure).values.mean()
    result = cf.reconcile("q", "r", {measure: f"{score:.6f}"}, changes=1)
    assert result.ours == pytest.approx(score, abs=1e-12)
    assert result.matches[0].changes == 0


def test_reconcile_switches_with_joint_effect_are_found() -> None:
    """A negative level is nonrelevant in cranfield. With both switches, its document is removed."""
    qrels = {"q": {"a": -1, "b": 1}, "p": {"c": 0, "d": 1}}
    run = {"q": {"a": 3.0, "b": 2.0}, "p": {"c": 2.0, "d": 1.0}}
    result = cf.reconcile(qrels, run, {"RR": "0.7500"})
    assert result.ours == 0.5
    assert {"unjudged": "removed", "negative": "unjudged"} in [dict(x.switches) for x in result.matches]


def test_reconcile_duplicates_need_a_switch(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 a 3 1 t\n")
    result = cf.reconcile({"q": {"b": 1}}, path, {"RR": "0.5"}, changes=1)
    assert result.ours is None
    assert {"duplicates": "first"} in [dict(match.switches) for match in result.matches]


def test_reconcile_two_scores_one_variant_matches_both(example: Data) -> None:
    both = {"nDCG@4": "0.2101", "AP@4": "0.1833"}
    result = cf.reconcile("q", "r", both)
    assert result.matches[0].switches == {"gain": "exp"}
    assert result.matches[0].value == pytest.approx((0.2101, 0.1833), abs=5e-5)
    assert result.matches[0].options == '-m "nDCG(gain=exp)@4" -m AP@4'
    chance = cf.reconcile("q", "r", {"nDCG@4": "0.2101"}).matches[0].chance
    assert result.matches[0].chance is not None
    assert chance is not None
    assert result.matches[0].chance < chance


def test_reconcile_tool_starts_from_its_conventions(example: Data) -> None:
    result = cf.reconcile("q", "r", {"nDCG@4": "0.35410"}, tool="mteb")
    assert result.matches[0].switches == {"self": "drop"}
    assert "mteb ignore_identical_ids" in result.matches[0].tools


def test_reconcile_percentage_is_noted(example: Data) -> None:
    for text in ("21.58", "21.58%"):
        result = cf.reconcile("q", "r", {"nDCG@4": text})
        assert (result.matches[0].changes, result.ours) == (0, pytest.approx(21.5764, abs=1e-4))
        assert "percent" in {note.kind for note in result.notes}


def test_reconcile_truncated_score_matches_and_is_noted(example: Data) -> None:
    exact = compute(example, "nDCG@4")
    text = f"{np.floor(exact * 1e8) / 1e8:.8f}"
    assert float(text) != round(exact, 8)  # 0.215764429…, cut after 8 decimals
    result = cf.reconcile("q", "r", {"nDCG@4": text})
    kinds = {note.kind for note in result.notes}
    assert result.matches[0].changes == 0
    assert "truncated" in kinds


def test_reconcile_invented_number_has_no_match(example: Data) -> None:
    result = cf.reconcile("q", "r", {"nDCG@4": "0.123456"})
    assert not result
    assert len(result.near) == 5
    assert [abs(row.difference) for row in result.near] == sorted(abs(row.difference) for row in result.near)


def test_reconcile_few_digits_are_by_chance(example: Data) -> None:
    result = cf.reconcile("q", "r", {"nDCG@4": "0.22"})
    assert "by-chance" in {note.kind for note in result.notes}


def test_reconcile_too_many_variants_stops_and_is_noted(example: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranfield.reconciliation.search.LIMIT", 100)
    result = cf.reconcile("q", "r", {"nDCG@4": "0.2158"})
    assert result.variants <= 100
    assert "limit" in {note.kind for note in result.notes}


def test_reconcile_sets_that_the_data_cannot_distinguish_are_noted() -> None:
    """The tied documents are b (level 0) and a (level 1): ids ascending are also the best order."""
    qrels = {"q": {"a": 1, "b": 0, "c": 2}, "p": {"d": 1}}
    run = {"q": {"b": 1.0, "a": 1.0, "c": 0.5}, "p": {"d": 1.0}}
    value = cf.evaluate(qrels, run, "nDCG@2", ties="best").values.mean()
    result = cf.reconcile(qrels, run, {"nDCG@2": f"{value:.4f}"}, changes=1)
    assert [dict(match.switches) for match in result.matches] == [{"ties": "id-asc"}]
    (note,) = [note.text for note in result.notes if note.kind == "indistinguishable"]
    assert note == "equal scores in all topics: ties=id-asc, and 1 set (ties=best)"


def test_page_lists_all_conventions_and_tools() -> None:
    page = (ROOT / "docs" / "reconcile.md").read_text(encoding="utf-8")
    assert [switch.name for switch in SWITCHES if f"`{switch.name}`" not in page] == []
    words = page.replace("\n", " ").replace(",", " ").replace(".", " ").split()
    assert [name for name in NAMES if name not in words] == []


def test_defaults_are_the_first_options(example: Data) -> None:
    m = cf.parse_measure("nDCG@4")
    for switch in SWITCHES:
        if switch.applies(m):
            assert switch.options(example, m)[0] == DEFAULTS[switch.name]


# -- chance ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tolerance", "seed"), [(0.001, 1), (0.02, 2), (0.2, 3)])
def test_compute_chance_equals_simulation(tolerance: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.random(40)
    numbers = rng.uniform(values.min() - tolerance, values.max() + tolerance, 100_000)
    share = (np.abs(numbers[:, None] - values).min(axis=1) <= tolerance).mean()
    assert compute_chance([(x,) for x in values], [tolerance]) == pytest.approx(share, abs=0.006)


def test_compute_chance_two_measures_is_an_upper_bound() -> None:
    rng = np.random.default_rng(4)
    values, tolerance = rng.random((30, 2)), np.array([0.01, 0.05])
    numbers = rng.uniform(values.min(axis=0) - tolerance, values.max(axis=0) + tolerance, (50_000, 2))
    near: np.ndarray = np.abs(numbers[:, None] - values) <= tolerance
    hits = float(near.all(axis=2).max(axis=1).mean())
    chance = compute_chance([tuple(x) for x in values], list(tolerance))
    assert hits <= chance + 0.005 <= 2 * hits


# -- command --------------------------------------------------------------------------------------


def test_command_exit_codes(example: Data, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reconcile", "q", "r", "-m", "nDCG@4", "--said", "0.2158"]) == 0
    assert "What 0.2158 could be" in capsys.readouterr().out
    assert main(["reconcile", "q", "r", "-m", "nDCG@4", "--said", "0.123456"]) == 1
    assert "no match" in capsys.readouterr().out


def test_command_json_has_the_keys(example: Data, capsys: pytest.CaptureFixture[str]) -> None:
    main(["reconcile", "q", "r", "-m", "nDCG@4", "--said", "0.52534", "-f", "json"])
    document = json.loads(capsys.readouterr().out)
    assert list(document)[:8] == ["said", "tolerance", "measure", "ours", "variants", "values", "matches", "near"]
    (match,) = document["matches"]
    assert list(match) == ["changes", "switches", "value", "difference", "tools", "options", "chance"]
    assert match["switches"] == {"gain": "exp", "missing": "out", "no-relevant": "out"}
    assert match["tools"] == ["gdeval"]
    assert match["options"] == '-m "nDCG(gain=exp)@4" --topics common --undefined skip'


def test_command_tsv_has_switches_as_text(example: Data, capsys: pytest.CaptureFixture[str]) -> None:
    main(["reconcile", "q", "r", "-m", "nDCG@4", "--said", "0.2396", "-f", "tsv"])
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split("\t")[:3] == ["kind", "changes", "switches"]
    assert first.split("\t")[:3] == ["match", "1", "ties=input"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("-m nDCG@4 --said abc", "invalid score 'abc'"),
        ("-m nDCG@4 --said nan", "out of range"),
        ("-m nDCG@4 --said 101", "out of range"),
        ("-m nDCG@4 --said=-0.1", "out of range"),
        ("-m nDCG@4", "1 measure (-m) and 0 scores (--said)"),
        ("--said 0.5", "0 measures (-m) and 1 score (--said)"),
        ("-m nDCG@4 -m AP --said 0.5", "2 measures (-m) and 1 score (--said)"),
        ("-m bpref --said 0.5 --tool beir", "tool beir has no conventions for bpref"),
        ("-m NumRet --said 0.5", "not supported"),
        ("-m GMAP --said 0.5", "not supported"),
        ("-m IPrec --said 0.5", "not supported"),
        ("-m TBG --said 0.5", "measure 'TBG' is not supported"),
        ("-m nDCG@4 --said 0.5 --changes 4", "an integer from 0 to 3"),
        ("-m nDCG@4 --said 0.5 --tolerance 0", "tolerance"),
        ("-m nDCG@4 -m nDCG(gain=exp)@4 --said 0.5 --said 0.5", "differ in gain"),
    ],
)
def test_command_bad_input_exits_2(example: Data, capsys: pytest.CaptureFixture[str], line: str, problem: str) -> None:
    assert main(["reconcile", "q", "r", *line.split()]) == 2
    assert problem in capsys.readouterr().err


def test_command_no_common_topic_exits_2(example: Data, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other").write_text("9 Q0 a 1 1 t\n")
    assert main(["reconcile", "q", "other", "-m", "AP", "--said", "0.5"]) == 2
    assert "other: found topics 9" in capsys.readouterr().err


# -- parameters that tools set differently --------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "measure", "switches"),
    [
        ("ERR(prob=linear)@4", "ERR@4", {"prob": "linear"}),
        ("ERR(max_level=4)@4", "ERR@4", {"max-level": "4"}),
        ("RBP(p=0.95)", "RBP", {"p": "0.95"}),
        ("IPrec(reach=nearest)@0.3", "IPrec@0.3", {"reach": "nearest"}),
        ("AP11(reach=trec9)", "AP11", {"reach": "trec9"}),
        ("GAP(thresholds=level)", "GAP", {"thresholds": "level"}),
    ],
)
def test_reconcile_parameter_of_a_tool_is_a_switch(said: str, measure: str, switches: dict[str, str]) -> None:
    """On a collection of 40 topics, each definition has its own value."""
    made = cf.simulate(topics=40, runs=1, depth=50, seed=11)
    (run,) = made.runs.values()
    value = cf.evaluate(made.qrels, run, said).values.mean()
    result = cf.reconcile(made.qrels, run, {measure: f"{value:.9f}"}, changes=1)
    assert switches in [dict(match.switches) for match in result.matches]
    assert value != pytest.approx(result.ours, abs=1e-9)


def test_compute_value_rbp_divisor_equals_the_definition() -> None:
    """RBP(p=0.5) of b a: topic t has the levels 1 and 2, topic u level 1 only. Highest level: 2."""
    data = read_data({"t": {"a": 2, "b": 1}, "u": {"a": 1}}, {"t": ["b", "a"], "u": ["a"]})
    both = {"highest": (1.0, 0.5), "highest-of-topic": (1.0, 1.0), "1": (2.0, 1.0)}
    for divisor, (t, u) in both.items():
        expected = (0.5 * t / 2 + 0.25 * t + 0.5 * u) / 2
        assert compute(data, "RBP(p=0.5)", RBP_over=divisor) == pytest.approx(expected), divisor


def test_compute_value_truncated_levels_equal_integers() -> None:
    run = {"t": {"a": 3.0, "b": 2.0, "c": 1.0}}
    data = read_data({"t": {"a": 0.5, "b": 1.75, "c": 2.25}}, run)
    whole = cf.evaluate({"t": {"a": 0, "b": 1, "c": 2}}, run, "nDCG@3").values.mean()
    assert compute(data, "nDCG@3", levels="truncated") == pytest.approx(whole, abs=1e-12)
    assert (
        "trec_eval"
        in cf.reconcile({"t": {"a": 0.5, "b": 1.75, "c": 2.25}}, run, {"nDCG@3": f"{whole:.6f}"}).matches[0].tools
    )
