"""`cf.reconcile` and `cranfield reconcile`: worked numbers, sets of switches, chance, bad input."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.run_reader import read_runs
from cranfield.measures.base import REGISTRY
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


@pytest.mark.parametrize(
    "measure",
    [
        "nDCG@4",
        "nDCG",
        "AP@4",
        "AP",
        "P@4",
        "Recall@2",
        "RR",
        "Success@1",
        "RelP@2",
        "SetF(beta=2)",
        "Hole@4",
        "RBP.residual",
        "BPM(T=2).ETU",
        "DCG@4",
    ],
)
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
    "measure",
    [
        "ERR@4",
        "Q",
        "RBP(p=0.5)",
        "bpref",
        "Rprec",
        "nDCG(gain=1:3)@3",
        "RR(rel=2)",
        "IPrec@0.5",
        "infAP",
        "DCG@4",
        "ESL",
        "Hole@4",
        "RBP.residual",
        "RBP.EU",
        "INST(gain=unit)",
        "BPM.ETU",
        "P@4.EU",
        "SetF(beta=2)",
    ],
)
def test_reconcile_other_measures_ours_equals_evaluate(example: Data, measure: str) -> None:
    score = cf.evaluate("q", "r", measure).values.mean()
    result = cf.reconcile("q", "r", {measure: f"{score:.6f}"}, changes=1)
    assert result.ours == pytest.approx(score, abs=1e-12)
    assert result.matches[0].changes == 0


@pytest.mark.parametrize("measure", ["AP", "nDCG@4", "RBP.residual", "bpref", "Recall"])
def test_compute_value_depth_equals_evaluate(example: Data, capsys: pytest.CaptureFixture[str], measure: str) -> None:
    m, compared = cf.parse_measure(measure), 0
    scoring = Scoring(example.qrels, replace(example.documents, depth=3), m)
    for size in (0, 1):
        for conventions in list_conventions(example, measure, size):
            options, outcome = format_options([m], conventions), scoring.compute_value(conventions)
            if options is None or outcome is None:
                continue
            assert main(["evaluate", "q", "r", *shlex.split(options), "--depth", "3", "-f", "json", "--quiet"]) == 0
            (scores,) = json.loads(capsys.readouterr().out)["all"].values()
            assert next(iter(scores.values())) == pytest.approx(outcome[1], abs=1e-12), options
            compared += 1
    assert compared > 5


def test_command_depth_is_in_the_options(example: Data, capsys: pytest.CaptureFixture[str]) -> None:
    """With 1 document of each ranking, t-1 finds 1 of 6 relevant documents, t-2 1 of 3: (1/6 + 1/3) / 5."""
    arguments = "reconcile q r -m AP --said 0.1000 --depth 1 --changes 0 -f json"
    assert main(arguments.split()) == 0
    assert json.loads(capsys.readouterr().out)["matches"][0]["options"] == "-m AP --depth 1"


def test_reconcile_depth_is_checked(example: Data) -> None:
    for depth in (0, -1, True, 2.5):
        with pytest.raises(cf.CranfieldError, match="an integer above 0"):
            cf.reconcile("q", "r", {"AP": "0.5"}, depth=depth)  # type: ignore[arg-type]


def test_reconcile_every_measure_of_rankings_ours_equals_evaluate() -> None:
    made = cf.simulate(topics=10, runs=1, depth=60, seed=5)
    (run,) = made.runs.values()
    names = [name for name, cls in REGISTRY.items() if cls.takes == "lists" and cls.summary == "mean"]
    models = [f"{name}{suffix}" for name in (*names, "RBP", "P", "AP") for suffix in (".EU", ".ETU", ".ED", ".EC")]
    compared = 0
    for name in (*names, *models):
        try:
            scores = cf.evaluate(made.qrels, run, name)
        except cf.CranfieldError:  # needs costs, lengths or gains up to 1, or is no user model
            continue
        if len(scores.measures) > 1:
            continue
        result = cf.reconcile(made.qrels, run, {name: f"{scores.values.mean():.6f}"}, changes=0)
        assert result.ours == pytest.approx(scores.values.mean(), abs=1e-9), name
        compared += 1
    assert compared > 100


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
        ("-m ESL --said=-1", "The range of ESL is: 0 (best) and above"),
        ("-m DCG --said inf", "score inf is out of range"),
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


# -- switches of single measures, with numbers computed by hand -----------------------------------


@pytest.mark.parametrize(
    ("measure", "levels", "switches", "expected"),
    [
        # 4 relevant documents, one of them found by 2: precision 1/2, recall 1/4
        ("SetF(beta=2)", [1, None], {}, 5 * (1 / 8) / (4 / 2 + 1 / 4)),
        ("SetF(beta=2)", [1, None], {"F_beta": "plain"}, 3 * (1 / 8) / (2 / 2 + 1 / 4)),
        ("RBP(p=0.5).residual", [1, 0], {}, 1 / 4),
        ("RBP(p=0.5).residual", [1, 0], {"residual": "if-unjudged"}, 0.0),
        ("RBP(p=0.5).residual", [1, None], {"residual": "if-unjudged"}, 1 / 2),
        ("RBP(p=0.5)@1.residual", [1, None], {"residual": "if-unjudged"}, 0.0),
        ("RBP(p=0.5, rel=1)", [None, 1], {}, 1 / 4),
        ("RBP(p=0.5, rel=1)", [None, 1], {"bound": "upper"}, 1.0),  # 1/4, and 1 − 1/4 unknown
        ("RBP(p=0.5)", [1, 2, None], {"bound": "upper", "RBP_over": "1"}, 1 / 2 + 2 / 4 + 1 / 4),
        ("ESL(q=2)", [1, 0, 0, 1], {}, 2),
        ("ESL(q=2)", [1, 0, 0, 1], {"search_length": "all"}, 4),
        ("RBP(p=0.5).EU", [0, 1], {}, 1 / 4),
        ("RBP(p=0.5).EU", [0, 1], {"p": "0.8"}, 0.2 * 0.8),
        ("BPM", [1, 0, 1], {}, 1.0),  # users stop at the first relevant document
        ("BPM", [1, 0, 1], {"T": "2"}, 2 / 3),
        ("BPM", [1, 0, 1], {"T": "3"}, 2 / 10),
        ("BPM", [1, 0, 1], {"T": "3", "K": "20"}, 2 / 20),
        ("RBP(p=0.5, n=2).ETU", [0, 1], {}, 1 / 4),
        ("RBP(p=0.5, n=2).ETU", [0, 1], {"totals": "W"}, 1 / 2),  # EU 1/3, ED 3/2
        ("SDCG@1", [1, 2], {}, 1.0),
        ("SDCG@1", [1, 2], {"gain": "unit"}, 1 / 2),
        ("Recall@1", [1, None, 1], {"Recall_over": "retrieved"}, 1 / 2),
    ],
)
def test_compute_value_switch_of_a_measure_equals_worked_number(
    measure: str, levels: list[float | None], switches: dict[str, str], expected: float
) -> None:
    docs = [f"d{i}" for i in range(len(levels))]
    judged = {doc: level for doc, level in zip(docs, levels, strict=True) if level is not None}
    if measure.startswith("SetF"):
        judged |= dict.fromkeys("xyz", 1)
    data = read_data({"t": judged}, {"t": docs})
    assert compute(data, measure, **switches) == pytest.approx(expected, abs=1e-12)


HOLES: tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]] = (
    {"t": {"a": 1}, "u": {"b": 1}},
    {"t": {"a": 4, "b": 3, "c": 2, "d": 1}, "u": {"b": 1}, "v": {"a": 4, "x": 3, "y": 2, "b": 1}},
)


@pytest.mark.parametrize(
    ("said", "switches"),
    [
        ("0.375", {}),  # unjudged for the topic: 3/4, 0
        ("0.25", {"scope": "collection"}),  # unjudged for any topic: 2/4, 0
        ("0.875", {"unjudged-topics": "in"}),  # (3/4 + 0 + 4/4) / 2: topic v has no judgments
    ],
)
def test_reconcile_holes_equal_worked_numbers(said: str, switches: dict[str, str]) -> None:
    result = cf.reconcile(*HOLES, {"Unjudged@4": said}, changes=1)
    assert switches in [dict(match.switches) for match in result.matches]


def test_reconcile_hole_of_beir_is_found() -> None:
    """Function hole of BEIR 2.2.0: (2/4 + 0 + 2/4) / 2 judged topics."""
    (match, *_) = cf.reconcile(*HOLES, {"Unjudged@4": "0.5"}, changes=1, tool="beir").matches
    assert match.tools == ("beir hole",)


def test_reconcile_score_of_unbounded_measure_is_no_percentage() -> None:
    """DCG: 2 + 1/log2(3). Search length: 2. Neither is a percentage."""
    qrels = {"t": {"a": 2, "b": 1, "c": 0}}
    found = cf.reconcile(qrels, {"t": ["a", "b"]}, {"DCG": "2.6309"}, changes=0)
    assert (found.matches[0].changes, found.notes[0].kind) == (0, "chance")
    assert cf.reconcile(qrels, {"t": ["c", "x", "a"]}, {"ESL": "2.000"}, changes=0)


def test_reconcile_gains_that_a_model_rejects_are_not_tried() -> None:
    """INST needs gains from 0 to 1: of the variants of gain=unit, gain=exp is not computed."""
    qrels, run = {"t": {"a": 2, "b": 1}}, {"t": ["b", "a"]}
    value = cf.evaluate(qrels, run, "INST(T=2, gain=unit)").values.mean()
    result = cf.reconcile(qrels, run, {"INST(gain=unit)": f"{value:.6f}"}, changes=1)
    assert {"T": "2"} in [dict(match.switches) for match in result.matches]
    with pytest.raises(cf.CranfieldError, match=r"gains must be in \[0, 1\], found 2"):
        cf.reconcile(qrels, run, {"INST": "0.5"})


@pytest.mark.parametrize(("measure", "command"), [("BLEU", "text"), ("NuggetV", "answers"), ("sDCG", "session")])
def test_reconcile_measure_of_other_inputs_names_the_command(measure: str, command: str) -> None:
    with pytest.raises(cf.CranfieldError, match=f"does not score rankings.*cranfield {command} "):
        cf.reconcile({"t": {"a": 1}}, {"t": ["a"]}, {measure: "0.5"})


# -- numbers that tools computed ------------------------------------------------------------------

JUDGED = {"q1": {"a": 2, "b": 1, "c": 0, "d": 1}, "q2": {"e": 1, "f": 0, "g": 3}, "q3": {"h": 0}, "q4": {"i": 1}}
UNTIED = {
    "q1": {"b": 3.0, "x": 2.5, "a": 2.0, "d": -0.5, "c": -1.0},
    "q2": {"f": 1.5, "e": 1.2, "y": 0.4, "g": -0.2},
    "q3": {"h": 1.0, "z": 0.5},
}
TIED = {
    "q1": {"x": 2.0, "b": 2.0, "a": 2.0, "c": 1.0, "d": 1.0},
    "q2": {"f": 1.5, "e": 1.5, "g": 0.4, "y": 0.4},
    "q4": {"w": 2.0, "z": 1.0, "i": 1.0},
}
RELEVANT = {
    topic: docs for topic, docs in JUDGED.items() if topic != "q3"
}  # BEIR's recall_cap needs a relevant document
FEW = {topic: docs for topic, docs in TIED.items() if topic != "q4"}


@pytest.mark.parametrize(
    ("tool", "measure", "said", "qrels", "run"),
    [  # computed by LightGBM 4.7.0, XGBoost 3.2.0, scikit-learn 1.9.1 and torchmetrics 1.9.0 (PyTorch 2.13.0)
        ("lightgbm", "nDCG@3", "0.562624", JUDGED, UNTIED),
        ("lightgbm", "AP@3", "0.601852", JUDGED, UNTIED),
        ("xgboost", "nDCG@3", "0.56262374", JUDGED, UNTIED),
        ("xgboost -", "nDCG@3", "0.22929041", JUDGED, UNTIED),
        ("xgboost", "AP@3", "0.60185185", JUDGED, UNTIED),
        ("xgboost -", "AP@3", "0.26851852", JUDGED, UNTIED),
        ("xgboost", "P@3", "0.33333333", JUDGED, UNTIED),
        ("scikit-learn", "nDCG@3", "0.27085108", JUDGED, UNTIED),
        ("torchmetrics", "nDCG@3", "0.27085", JUDGED, UNTIED),
        ("torchmetrics skip", "nDCG@3", "0.40628", JUDGED, UNTIED),
        ("torchmetrics pos", "nDCG@3", "0.60418", JUDGED, UNTIED),
        ("torchmetrics", "AP@3", "0.44444", JUDGED, UNTIED),
        ("torchmetrics skip", "AP@3", "0.66667", JUDGED, UNTIED),
        ("torchmetrics pos", "AP@3", "0.77778", JUDGED, UNTIED),
        ("torchmetrics", "RR@3", "0.50000", JUDGED, UNTIED),
        ("torchmetrics skip", "P@3", "0.50000", JUDGED, UNTIED),
        ("torchmetrics", "Recall@3", "0.38889", JUDGED, UNTIED),
        ("torchmetrics skip", "Recall@3", "0.58333", JUDGED, UNTIED),
        ("torchmetrics pos", "Recall@3", "0.72222", JUDGED, UNTIED),
        ("torchmetrics pos", "Success@3", "1.00000", JUDGED, UNTIED),
        # the functions of BEIR 2.2.0 and MTEB 2.26.24
        ("beir recall_cap", "RelP@2", "0.33333", RELEVANT, FEW),
        ("beir top_k_accuracy", "Success@1", "0.00000", RELEVANT, TIED),
        ("beir mrr", "RR@3", "0.44444", RELEVANT, TIED),
        ("mteb", "RR@3", "0.44444444", RELEVANT, TIED),
        ("mteb", "nDCG@3", "0.39822", RELEVANT, TIED),
        ("mteb skip_first_result", "RR@3", "0.83333333", RELEVANT, TIED),
        ("mteb skip_first_result", "nDCG@3", "0.73386", RELEVANT, TIED),
        ("mteb skip_first_result", "Success@1", "0.66667", RELEVANT, TIED),
        ("mteb hole", "Unjudged@3", "0.33333333", RELEVANT, FEW),
        # ir_measures 0.4.3, with cwl_eval 1.0.12 and max_rel=3
        ("ir_measures", "INST(T=2, gain=unit)", "0.07920117", JUDGED, UNTIED),
        ("ir_measures", "INST(T=2, gain=unit)", "0.08649070", JUDGED, TIED),
        ("ir_measures", "BPM(K=20)", "0.16666667", JUDGED, UNTIED),
        ("ir_measures", "BPM(K=20)", "0.19861111", JUDGED, TIED),
        ("ir_measures", "INSQ", "0.08088283", JUDGED, TIED),
        ("ir_measures", "SDCG@3", "0.16666667", JUDGED, TIED),
        ("ir_measures", "RBP(rel=1)", "0.19648000", JUDGED, TIED),
        ("ir_measures", "SetF(beta=2)", "0.39204545", JUDGED, UNTIED),
    ],
)
def test_reconcile_number_of_a_tool_names_the_tool(tool: str, measure: str, said: str, qrels: Any, run: Any) -> None:
    matches = cf.reconcile(qrels, run, {measure: said}, changes=0).matches
    assert tool in {label for match in matches for label in match.tools}
