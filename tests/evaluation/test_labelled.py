"""Labelled lists: what stands in them, for people and for programs."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from rich.cells import cell_len

import cranfield as cf
from cranfield.cli.main import main
from cranfield.report import results
from cranfield.report.formats import render
from tests.labelling.made import BY_HAND, Collection, collections, in_trec_order
from tests.made import LIST_C, LIST_Q, LIST_R, Command, examples

# -- cranfield label --------------------------------------------------------------------------


LISTS = """\
mine, topic t: 1 of 3 relevant classes found in 5 documents, 2 unjudged

rank  document  level  status                       group
─────────────────────────────────────────────────────────
   1  d             0  nonrelevant
   2  x             –  unjudged
   3  b             1  relevant                     1
   4  a             2  redundant: counts at rank 3  1
   5  y             –  unjudged
   –  e             2  missed: at rank 6
   –  c             1  missed: not returned         2

mine, topic u: 0 of 1 relevant class found in 0 documents

rank  document  level  status
───────────────────────────────────────────
   –  f             1  missed: not returned
"""

TOGETHER = """\
run, topic t: 1 of 3 relevant groups found in 3 documents

rank  document  level  status                               group
─────────────────────────────────────────────────────────────────
   1  a             1  waiting: counts at rank 3            g1
   2  c             1  incomplete                           g2
   3  b             1  relevant                             g1
   –  d             1  missed: not returned                 g2
   –  e             1  missed: e at rank 4, f not returned  g3"""

NARROW = """\
mine, topic t: 1 of 3 relevant classes found in 5
documents, 2 unjudged

rank  document  level  status
──────────────────────────────────────────────────
   1  d             0  nonrelevant
   2  x             –  unjudged
   3  b             1  relevant
   4  a             2  redundant: counts at rank 3
   5  y             –  unjudged
   –  e             2  missed: at rank 6
   –  c             1  missed: not returned

rank  document  group
─────────────────────
   1  d
   2  x
   3  b         1
   4  a         1
   5  y
   –  e
   –  c         2
"""

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def lists(small: Path) -> Sequence[Any]:
    Path("q").write_text(LIST_Q)
    Path("c").write_text(LIST_C)
    Path("r").write_text(LIST_R)
    return cf.label("q", "r", labelling=cf.EquivalenceClasses("c"), depth=5)


def test_label_shows_the_list_and_what_was_missed(lists: Any, cranfield: Command) -> None:
    assert cranfield.printed("label q r --classes c --depth 5") == LISTS
    assert "\n\n".join(map(str, lists)) + "\n" == LISTS


def test_label_shows_groups_that_wait_or_lack_something() -> None:
    groups = {"t": dict(zip("abcdef", ["g1", "g1", "g2", "g2", "g3", "g3"], strict=True))}
    qrels, run = {"t": dict.fromkeys("abcdef", 1)}, {"t": ["a", "c", "b", "e"]}
    [shown] = cf.label(qrels, run, labelling=cf.Combinations(groups), depth=3)
    assert str(shown) == TOGETHER


def on_a_terminal(found: Any, width: int, colour: bool = False) -> str:
    made = replace(results.prepare_output(found, "table", {}), width=width, colour=colour)
    return render(made, "table").decode()


def test_colours_do_not_move_anything(lists: Any) -> None:
    for width in (160, 50):
        coloured = on_a_terminal(lists[0], width, colour=True)
        plain = [line.rstrip() for line in ANSI.sub("", coloured).splitlines()]
        assert plain == on_a_terminal(lists[0], width).splitlines()
        for rank, code in ((3, "32"), (4, "35"), (2, "33"), (1, "31"), ("–", "31")):
            assert re.search(rf"\x1b\[{code}m +{rank}\x1b", coloured)


def test_colours_only_on_a_terminal(
    lists: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((50, 24)))
    command = "label q r --classes c --depth 5 --topic t"
    assert main(command.split()) == 0
    shown = capsys.readouterr().out
    assert ANSI.search(shown)
    assert [line.rstrip() for line in ANSI.sub("", shown).splitlines()] == NARROW.splitlines()
    assert main([*command.split(), "-o", "out"]) == 0
    assert Path("out").read_text() == LISTS.partition("\n\nmine, topic u")[0] + "\n"


TSV = """\
run|topic|rank|doc|level|counts|status|group|note
mine|t|1|d|0|0|nonrelevant||
mine|t|2|x||0|unjudged||
mine|t|3|b|1|1|relevant|1|
mine|t|4|a|2|0|redundant|1|counts at rank 3
mine|t|5|y||0|unjudged||
mine|t||e|2|2|missed||at rank 6
mine|t||c|1|1|missed|2|not returned
""".replace("|", "\t")


def test_label_for_programs(lists: Any, cranfield: Command) -> None:
    command = "label q r --classes c --depth 5 --topic t"
    assert cranfield.printed(f"{command} -f tsv") == TSV
    rows = json.loads(cranfield.printed(f"{command} -f json"))
    assert rows == lists[0].to_dict()
    names, *lines = (line.split("\t") for line in TSV.splitlines())
    for row, line in zip(rows, lines, strict=True):
        assert list(row) == names
        assert ["" if x is None else f"{x:g}" if isinstance(x, float) else str(x)
                for x in row.values()] == line  # fmt: skip
    assert rows[1]["level"] is None
    assert rows[3] == {
        "run": "mine", "topic": "t", "rank": 4, "doc": "a", "level": 2.0, "counts": 0.0,
        "status": "redundant", "group": "1", "note": "counts at rank 3",
    }  # fmt: skip


def statuses(labelled: Any) -> dict[str, str]:
    return {item.doc: item.status for item in (*labelled.items, *labelled.missed)}


def test_rel_decides_what_is_relevant(lists: Any, cranfield: Command) -> None:
    plain = cf.label("q", "r", ["t"], rel=2)[0]
    assert statuses(plain) == {
        "d": "nonrelevant", "x": "unjudged", "b": "nonrelevant", "a": "relevant", "y": "unjudged",
        "e": "relevant",
    }  # fmt: skip
    assert (plain.found, plain.relevant) == (2, 2)
    assert ": 2 of 2 relevant documents found in 6" in cranfield.printed("label q r --topic t --rel 2")


def test_condensed_lists_leave_out_what_nobody_judged(lists: Any, cranfield: Command) -> None:
    [shown] = cf.label("q", "r", ["t"], condensed=True, depth=5)
    assert [(item.rank, item.doc) for item in shown.items] == [(1, "d"), (2, "b"), (3, "a")]
    rows = cranfield.printed("label q r --topic t --condensed --depth 5 -f tsv").splitlines()
    assert [row.split("\t")[2:4] for row in rows[1:]] == [
        ["1", "d"], ["2", "b"], ["3", "a"], ["", "e"], ["", "c"],
    ]  # fmt: skip


def test_several_topics_in_the_order_asked_for(lists: Any, cranfield: Command) -> None:
    shown = cranfield.printed("label q r --topic u --topic t -f tsv").splitlines()
    assert [line.split("\t")[1] for line in shown[1:]] == ["u", *["t"] * 7]
    assert [one.topic for one in cf.label("q", "r")] == ["t", "u"]


def test_label_refuses_what_it_does_not_know(lists: Any, cranfield: Command) -> None:
    for arguments, said in (
        ("label q r --topic zz", "topic 'zz' is not in the judgments: 2"),
        ("label - -", "standard input (-) can be used only once"),
        ("label q nowhere", "cannot read nowhere"),
        (
            "label q r --classes c --groups c",
            "use either --classes or --groups, not both",
        ),
    ):
        assert said in cranfield.refused(arguments)
    assert "'expected'" in cranfield.refused("label q r --ties expected")


def test_long_lists_are_shortened_where_nothing_is_found() -> None:
    docs = [f"d{n}" for n in range(1, 31)]
    [shown] = cf.label({"t": {"d1": 1, "d29": 1, "d20": 0}}, {"t": docs})
    lines = str(shown).splitlines()
    assert lines[4 + 10] == "11–28  1 nonrelevant, 17 unjudged      …"
    assert len(shown.items) == 30
    assert "d29" in lines[15]


def test_what_a_strategy_of_one_s_own_leaves_out_does_not_count() -> None:
    class NotA(cf.Labelling):
        def found(self, topic: str, ranked: Mapping[str, float]) -> Mapping[str, float]:
            return {doc: level for doc, level in ranked.items() if doc != "a"}

    [shown] = cf.label({"t": {"a": 1, "b": 1}}, {"t": ["a", "b"]}, labelling=NotA())
    assert statuses(shown)["b"] == "relevant"
    assert shown.items[0].status == "does not count"
    assert shown.items[0].counts == 0


@given(collections())
@settings(max_examples=examples(60))
def test_label_agrees_with_the_counts(collection: Collection) -> None:
    kind, qrels, classes, run = collection
    labelling = kind(classes)
    scores = cf.evaluate(qrels, run, ["NumRel", "NumRelRet", "NumRet"], labelling=labelling)
    for shown in cf.label(qrels, run, labelling=labelling):
        found = [scores["run", shown.topic, m] for m in ("NumRel", "NumRelRet", "NumRet")]
        assert [shown.relevant, shown.found, len(shown.items)] == found
        assert len(shown.missed) == shown.relevant - shown.found
        ranked = in_trec_order(run[shown.topic])
        assert [item.doc for item in shown.items] == ranked
        counts, _ = BY_HAND[kind](qrels[shown.topic], classes.get(shown.topic, {}), ranked)
        assert [item.counts for item in shown.items] == [count or 0.0 for count in counts]


def test_a_class_that_counts_below_rel_is_not_incomplete() -> None:
    """a (L1) came first and counts, so b (L2) is redundant; only groups can be incomplete."""
    classes = cf.EquivalenceClasses({"t": {"a": "1", "b": "1"}})
    [shown] = cf.label({"t": {"a": 1, "b": 2}}, {"t": ["a", "b"]}, rel=2, labelling=classes)
    assert [item.status for item in shown.items] == ["nonrelevant", "redundant"]
    assert shown.items[1].note == "counts at rank 1"
    assert (shown.found, shown.relevant) == (0, 1)
    assert [(item.doc, item.note) for item in shown.missed] == [("b", "counts as 1 at rank 1")]


def test_items_of_no_use_are_not_missed() -> None:
    classes = cf.EquivalenceClasses({"t": {"a": "1", "z": "1"}})
    [shown] = cf.label({"t": {"a": 1, "z": 0}}, {"t": ["x"]}, labelling=classes)
    assert [item.note for item in shown.missed] == ["not returned"]


@pytest.mark.parametrize(
    ("run", "options"),
    [
        # b and a are relevant and tied with x and y: by level they stand first.
        ({"t": {"a": 1.0, "x": 1.0, "b": 1.0, "y": 1.0}}, {"ties": "best", "depth": 1}),
        # Without the document t itself the list is b, a, x.
        ({"t": ["t", "b", "a", "x"]}, {"exclude_self": True, "depth": 1}),
    ],
)
def test_what_was_missed_stands_where_the_list_has_it(run: Any, options: dict[str, Any]) -> None:
    [shown] = cf.label({"t": {"a": 1, "b": 1}}, run, **options)
    assert [(item.doc, item.note) for item in shown.missed] == [("a", "at rank 2")]


def test_long_documents_stand_above_what_they_are_on_narrow_terminals() -> None:
    long = "ヴェルナー・カール・ハイゼンベルク"  # 17 characters of two cells each
    [one] = cf.label({"t": {long: 1}}, {"t": [long, "x"]})
    lines = on_a_terminal(one, 40).splitlines()
    assert max(map(cell_len, lines[2:])) <= 40
    place = lines.index(f"   1  {long}")
    assert lines[place + 1].split() == ["1", "relevant"]
    assert "\u3000" in str(cf.label({"t": {"a\u3000b": 1}}, {"t": ["a\u3000b"]})[0])


def test_an_empty_list_that_misses_nothing_is_told() -> None:
    [one] = cf.label({"t": {"a": 0}}, {"t": []})
    assert str(one).startswith("run, topic t: 0 of 0 relevant documents found in 0 documents\n")


def test_label_with_a_threshold_of_nothing() -> None:
    """At rel=0 what was judged nonrelevant is relevant: found, and missed."""
    [one] = cf.label({"t": {"a": 0, "b": 0, "c": 1}}, {"t": ["a"]}, rel=0)
    assert [item.status for item in one.items] == ["relevant"]
    assert [item.doc for item in one.missed] == ["c", "b"]
    assert (one.found, one.relevant) == (1, 3)
    with pytest.raises(cf.CranfieldError, match="found rel nan, expected a finite number"):
        cf.label({"t": {"a": 0}}, {"t": ["a"]}, rel=math.nan)


def test_label_takes_a_preset_s_labels(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("q").write_text("1 0 a S\n1 0 b C\n")
    Path("r").write_text("1 Q0 b 1 2 r\n")
    assert main(["label", "q", "r", "--preset", "ntcir6-clir"]) == 0
    assert "0 of 1 relevant document found" in capsys.readouterr().out
