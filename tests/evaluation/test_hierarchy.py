"""Hierarchies of subtopics: IMine's H-measure by hand, and what can be wrong with input."""

from __future__ import annotations

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.hierarchies import read_hierarchy, read_parents
from cranfield.evaluation.hierarchy import evaluate_hierarchy
from cranfield.measures.verticals import compute_h_measure, compute_h_score

# -- hierarchies ------------------------------------------------------------------------------

FIRST = {"q": {"food": {"apple pie": 1, "apple cake": 1}, "company": {"apple inc": 1}}}
SECOND = {"q": {"recipe": {"pie recipe": 1}, "jobs": {"apple jobs": 1}, "ipad": {"ipad air": 1}}}
PARENTS = {"q": {"recipe": "food", "jobs": "company", "ipad": "company"}}
# Right: apple jobs below apple inc. Wrong: pie recipe there; ipad air below a subtopic of no
# intent; apple tree, which is of no intent. So Hscore is 1/4.
TREE = {"q": {"apple inc": ["apple jobs", "pie recipe"], "fruit": ["ipad air"],
              "apple pie": ["apple tree"]}}  # fmt: skip
# First level: gains 1/2 at ranks 1 and 3, three of them ideally. Second: 1/3 at ranks 1, 2 and 3.
D1 = (1 + (1 + 1 / 2) / (1 + 1 / log2(3) + 1 / 2)) / 2
D2 = 1.0


def hierarchy(runs: Any = TREE, *arguments: Any, **options: Any) -> dict[str, float]:
    return evaluate_hierarchy(FIRST, SECOND, PARENTS, runs, *arguments, **options).summary()["run"]


def test_hmeasure_by_hand() -> None:
    expected = {"H": (D1 + D2) / 8, "Hscore": 1 / 4, "D1sharp": D1, "D2sharp": D2}
    assert hierarchy() == pytest.approx(expected)
    assert hierarchy(alpha=0.2)["H"] == pytest.approx((0.2 * D1 + 0.8 * D2) / 4)
    assert hierarchy(measure="IRec@1")["D1sharp"] == 1 / 2
    assert hierarchy(measure="IRec@1")["D2sharp"] == 1 / 3


def test_probabilities_of_both_levels() -> None:
    """All that users want is the company, and of it the jobs."""
    found = hierarchy(
        measure="D(nDCG)@1",
        intents1={"q": {"food": 0.2, "company": 0.8}},
        intents2={"q": {"recipe": 0.2, "jobs": 0.5, "ipad": 0.3}},
    )
    assert (found["D1sharp"], found["D2sharp"]) == (1.0, 1.0)


parts = st.floats(0, 1)


@given(parts, parts, parts, parts)
def test_hmeasure_is_bounded_by_each_of_its_parts(h: float, a: float, b: float, w: float) -> None:
    found = compute_h_measure(np.array(h), np.array(a), np.array(b), w)
    assert 0 <= found <= min(h, max(a, b)) + 1e-12
    assert compute_h_measure(np.array(1.0), np.array(a), np.array(b), 1.0) == a
    assert compute_h_measure(np.array(1.0), np.array(a), np.array(b), 0.0) == b


def test_nothing_returned_is_not_right() -> None:
    assert compute_h_score([], []) == 0
    two = {level: {"q": few["q"], "r": few["q"]} for level, few in (("1", FIRST), ("2", SECOND))}
    parents = {"q": PARENTS["q"], "r": PARENTS["q"]}
    scores = evaluate_hierarchy(two["1"], two["2"], parents, TREE)
    assert scores.select(topics="r").values.ravel().tolist() == [0, 0, 0, 0]
    assert [n.kind for n in scores.notes].count("missing-topics") == 2


def test_several_runs() -> None:
    perfect = {"q": {"apple pie": ["pie recipe"], "apple inc": ["apple jobs", "ipad air"]}}
    scores = evaluate_hierarchy(FIRST, SECOND, PARENTS, {"a": TREE, "b": perfect})
    assert scores.runs == ("a", "b")
    assert scores["b", "q", "Hscore"] == 1.0
    assert scores["a", "q", "Hscore"] == 1 / 4


def written(directory: Path, reverse: bool = False) -> list[str]:
    """The files of the command; the lines of the run may stand in the wrong order."""
    first = "".join(f"q;{i};{s};1\n" for i, few in FIRST["q"].items() for s in few)
    second = "".join(f"q;{i};{s};1\n" for i, few in SECOND["q"].items() for s in few)
    parents = "".join(f"q;{i};{above}\n" for i, above in PARENTS["q"].items())
    lines = [f"q;0;{f};{n};{1 / n};0;{s};" for n, (f, few) in enumerate(TREE["q"].items(), 1)
             for s in few]  # fmt: skip
    lines = [f"{line}{n};{1 / n};sys\n" for n, line in enumerate(lines, 1)]
    run = "".join(reversed(lines) if reverse else lines)
    texts = {"first": first, "second": second, "parents": parents, "run": run}
    for name, text in texts.items():
        (directory / name).write_text(text)
    return [str(directory / name) for name in texts]


@pytest.mark.parametrize("reverse", [False, True])
def test_the_command(reverse: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["hierarchy", *written(tmp_path, reverse), "-q", "-f", "tsv"]
    for ties in ([], ["--ties", "rank"], ["--ties", "file"]):
        assert main([*command, *ties]) == 0
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        values = {name: float(x) for _, topic, name, x in rows if topic == "q"}
        assert values == pytest.approx(hierarchy(), rel=1e-12)


def test_tables_and_tuples(tmp_path: Path) -> None:
    rows = [("q", f, s) for f, few in TREE["q"].items() for s in few]
    table = pl.DataFrame(rows, schema=["topic", "first", "second"], orient="row")
    table.write_csv(tmp_path / "run.csv")
    places = table.with_columns(rank1=pl.Series([1, 1, 2, 3]), rank2=pl.Series([1, 2, 3, 4]))
    assert hierarchy(table) == hierarchy(rows) == hierarchy(places.reverse()) == hierarchy()
    from_file = evaluate_hierarchy(FIRST, SECOND, PARENTS, tmp_path / "run.csv")
    assert list(from_file.summary().values()) == [hierarchy()]
    assert read_parents(PARENTS).by_topic == PARENTS


MISTAKES: dict[str, tuple[str, str, str]] = {  # file, text, what is said
    "fields": ("run", "q;a;b\n", "run:1: found 3 fields ('q a b'), expected 10: topic 0 first ra"),
    "score": ("run", "q;0;a;1;x;0;b;1;1;s\n", "run:1: found score 'x', expected a finite number"),
    "name": ("run", "q;0;;1;1;0;b;1;1;s\n", "run:1: found first '', expected an identifier"),
    "again": (
        "run", "q;0;a;1;1;0;b;1;2;s\nq;0;c;2;0.5;0;b;2;1;s\n",
        "run:2: duplicate second-level subtopic 'b' in topic q",
    ),
    "two scores": (
        "run", "q;0;a;1;1;0;b;1;2;s\nq;0;a;1;3;0;c;2;1;s\n",
        "run:2: found score 3 of 'a' in topic q, expected the same as on the lines before",
    ),
    "empty": ("run", "\n", "run: found no run, expected topic 0 first rank1 score1 0 second rank2"),
    "first": (
        "parents", "q;recipe;foods\n",
        "parents:1: found first-level intent 'foods' of topic q, expected one of company, food",
    ),
    "second": (
        "parents", "q;recipes;food\n",
        "parents:1: found second-level intent 'recipes' of topic q, expected one of ipad, jobs",
    ),
    "no parent": (
        "parents", "q;recipe;food\nq;jobs;company\n",
        "parents: no parent of second-level intent 'ipad' of topic q",
    ),
    "two parents": (
        "parents", "q;recipe;food\nq;recipe;company\n",
        "parents:2: duplicate parent of 'recipe' in topic q",
    ),
    "topics": ("second", "r;recipe;s;1\n", "second: found no topic q, expected the topics of"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_hierarchies(mistake: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = written(tmp_path)
    name, text, said = MISTAKES[mistake]
    (tmp_path / name).write_text(text)
    assert main(["hierarchy", *paths]) == 2
    assert f"{tmp_path}/{said}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measure": "nDCG@10"}, "found nDCG@10, expected one diversity measure, such as Dsh"),
        ({"measure": "IRec@5 IRec@10"}, "found IRec@5, IRec@10, expected one diversity measure"),
        ({"alpha": 1.5}, "alpha must be in [0, 1], found 1.5"),
        ({"ties": "best"}, "found ties='best', expected one of trec, rank, given, file"),
        ({"ties": "rank"}, "run: found no ranks, expected ranks of both levels for ties=rank"),
    ],
)
def test_settings_that_make_no_sense(options: dict[str, Any], said: str) -> None:
    with pytest.raises(cf.CranfieldError) as told:
        hierarchy(**options)
    assert said in str(told.value)


def test_several_tags_are_several_runs(tmp_path: Path) -> None:
    first, second, parents, run = written(tmp_path)
    alone = evaluate_hierarchy(first, second, parents, run)
    lines = Path(run).read_text().splitlines()
    tag = lines[0].rpartition(";")[2]
    both = tmp_path / "both"
    other = [line.removesuffix(tag) + "other" for line in lines]
    both.write_text("\n".join(f"{a}\n{b}" for a, b in zip(lines, other, strict=True)))
    scores = evaluate_hierarchy(first, second, parents, both)
    assert scores.runs == (tag, "other")
    assert scores.values.tolist() == [*alone.values.tolist()] * 2
    with pytest.raises(cf.CranfieldError, match="duplicate second-level subtopic"):
        evaluate_hierarchy(first, second, parents, both, run_names="file")
    with pytest.raises(cf.CranfieldError, match=r"found 2 run tags .*, expected one run"):
        evaluate_hierarchy(first, second, parents, {"mine": both})
    assert evaluate_hierarchy(first, second, parents, run, run_names="file").runs == (run,)


def test_runs_of_one_name_are_told_apart_by_their_files(tmp_path: Path) -> None:
    first, second, parents, run = written(tmp_path)
    other = tmp_path / "other"
    other.write_text(Path(run).read_text())
    assert evaluate_hierarchy(first, second, parents, [run, other]).runs == (run, str(other))
    with pytest.raises(cf.CranfieldError, match="duplicate run"):
        evaluate_hierarchy(first, second, parents, [run, run])
    assert repr(read_hierarchy(run)) == ("Hierarchy 'sys': 3 first-level and 4 second-level subtopics of 1 topic")
