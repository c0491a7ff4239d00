"""`evaluate_answers` and `cranfield answers`: files of all kinds, joins, notices, refusals."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.answers import read_answers
from cranfield.data.judged_answers import read_support
from cranfield.scores.tables import build_caption
from tests.made import Command

NAMES = ("born in 1942", "a knight", "left-handed", "vegetarian", "Wings")
LABELS = ("support", "partial_support", "support", "not_support", "not_support")
IMPORTANCE = ("vital", "vital", "okay", "okay", "okay")
NUGGETS = [
    {"text": name, "importance": importance, "assignment": label}
    for name, importance, label in zip(NAMES, IMPORTANCE, LABELS, strict=True)
]
RECORD = {"qid": "q1", "query": "Who?", "run_id": "a", "response_length": 9, "nuggets": NUGGETS}
ROWS = [
    {
        "topic": "q1",
        "run": "a",
        "nugget": x["text"],
        **{k: x[k] for k in ("importance", "assignment")},
    }
    for x in NUGGETS
]
BANK = {"qid": "q1", "nuggets": [{k: x[k] for k in ("text", "importance")} for x in NUGGETS]}
SCORES = {"NuggetV(strict=true)": 0.5, "NuggetV": 0.75, "NuggetA": 0.5, "NuggetW": 4 / 7}

TREC_25 = {
    "metadata": {"team_id": "t", "narrative_id": "q1", "run_id": "a"},
    "references": ["d1", "d2", "d3", "7"],
    "answer": [
        {"text": "One.", "citations": [0, "d2"]},
        {"text": "Two.", "citations": [2]},
        {"text": "Three.", "citations": []},
        {"text": "Four.", "citations": [1, 0, "7"]},
    ],
}
TREC_24 = {"run_id": "a", "topic_id": "q1", "topic": "Who?", "references": TREC_25["references"],
           "answer": TREC_25["answer"]}  # fmt: skip
RAGTIME = {
    "metadata": {"team_id": "t", "topic_id": "q1", "run_id": "a"},
    "references": ["d1", "d2", "d3", "7"],
    "responses": [
        {"text": "One.", "citations": {"d1": 0.9, "d2": 0.2}},
        {"text": "Two.", "citations": {"d3": 1}},
        {"text": "Three.", "citations": {}},
        {"text": "Four.", "citations": {"d2": 0.4, "d1": 0.3, "7": 0.1}},
    ],
}
SUPPORT = [
    ("q1", "a", 1, "d1", "full"), ("q1", "a", 1, "d2", "partial"), ("q1", "a", 2, "d3", "none"),
    ("q1", "a", 4, "d1", "full"), ("q1", "a", 4, "d2", "partial"), ("q1", "a", 4, "7", "none"),
]  # fmt: skip


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def nuggets_of(data: Any, **given: Any) -> dict[str, float]:
    found = cf.evaluate_answers(data, list(SCORES), **given).mean()
    assert list(found) == ["a"]
    return found["a"]


class TestNuggets:
    @pytest.mark.parametrize(
        "data",
        [
            [RECORD],
            ROWS,
            [tuple(row.values()) for row in ROWS],
            pl.DataFrame(ROWS),
            pd.DataFrame(ROWS),
            {"a": {"q1": {x["text"]: (x["importance"], x["assignment"]) for x in NUGGETS}}},
            {"a": {"q1": NUGGETS}},
            {"a": [{**RECORD, "run_id": "other"}]},
        ],
        ids=["records", "rows", "tuples", "polars", "pandas", "dict", "dict of lists", "by run"],
    )
    def test_in_memory(self, data: Any) -> None:
        assert nuggets_of(data) == pytest.approx(SCORES)

    def test_in_files(self, here: Path) -> None:
        table = "".join("\t".join(row.values()) + "\n" for row in ROWS)
        header = "topic\trun\tnugget\timportance\tassignment\n"
        plain = "".join(f"q1 a n{i} {x['importance']} {x['assignment']}\n" for i, x in enumerate(ROWS))
        files = [
            write("a.jsonl", lines(RECORD)),
            write("rows.jsonl", lines(*ROWS)),
            write("a.json", json.dumps([RECORD])),
            write("a.tsv", header + table),
            write("a.csv", (header + table).replace("\t", ",")),
            write("a.txt", plain),
        ]
        pl.DataFrame(ROWS).write_parquet("a.parquet")
        for file in [*files, "a.parquet"]:
            assert nuggets_of(file) == pytest.approx(SCORES), file

    def test_bank_and_assignments_apart(self, here: Path) -> None:
        apart = {**RECORD, "nuggets": [{k: x[k] for k in ("text", "assignment")} for x in NUGGETS]}
        bank = write("bank.jsonl", lines(BANK))
        assert nuggets_of([apart], nuggets=bank) == pytest.approx(SCORES)
        by_name = {"a": {"q1": dict(zip(NAMES, LABELS, strict=True))}}
        assert nuggets_of(by_name, nuggets={"q1": dict(zip(NAMES, IMPORTANCE, strict=True))}) == (pytest.approx(SCORES))

    def test_a_run_is_called_by_its_file_if_nothing_names_it(self, here: Path) -> None:
        unnamed = {k: x for k, x in RECORD.items() if k != "run_id"}
        files = [write(name, lines(unnamed)) for name in ("one.jsonl", "two.jsonl")]
        assert cf.evaluate_answers(files, "NuggetA").runs == ("one.jsonl", "two.jsonl")
        assert cf.evaluate_answers([unnamed], "NuggetA").runs == ("run",)

    def test_sub_narratives_without_their_quotation_marks(self) -> None:
        told = [{**x, "mapped_sub_narrative": f'"{x["importance"]}"'} for x in NUGGETS]
        told[3]["mapped_sub_narrative"] = "vital"
        scores = cf.evaluate_answers([{**RECORD, "nuggets": told}])
        assert scores["a", "q1", "SubNarratives"] == 0.5
        assert "SubNarratives" not in cf.evaluate_answers([RECORD]).measures


WORKED = {"CitationP": 0.5, "CitationR": 0.375, "CitationF": 3 / 7}


class TestCitations:
    """[1, ½], [0], [], [½, 1, 0] in the order of the answer."""

    @pytest.mark.parametrize("answer", [TREC_25, TREC_24, RAGTIME])
    @pytest.mark.parametrize("first", [0, 1])
    def test_answers_of_all_tracks(self, answer: Any, first: int, here: Path) -> None:
        rows = [(t, r, s - 1 + first, c, label) for t, r, s, c, label in SUPPORT]
        support = write("support.txt", "".join(" ".join(map(str, row)) + "\n" for row in rows))
        answers = write("answers.jsonl", lines(answer))
        found = cf.evaluate_answers(answers=answers, support=support)
        assert found.mean()["a"] == pytest.approx(WORKED)
        assert found.notes == ()

    def test_the_order_of_citations_is_that_of_the_answer(self) -> None:
        """Support lists d1 first; the fourth sentence of the answer cites d2 first."""
        found = cf.evaluate_answers(support=SUPPORT, measures="CitationR")
        assert found["a", "q1", "CitationR"] == 0.5  # 1, 0, 0, 1
        assert "its last listed sentence" in found.notes[0].text

    def test_places_among_the_references(self) -> None:
        """7 is a document; 1 is none, and so the place of d2."""
        rows = [*SUPPORT[:4], ("q1", "a", 4, "1", "partial"), SUPPORT[5]]
        found = cf.evaluate_answers(answers=[TREC_25], support=rows)
        assert found.mean()["a"] == pytest.approx(WORKED)

    def test_in_memory(self) -> None:
        judged = [{"d1": "full", "d2": "partial"}, {"d3": "none"}, {},
                  {"x": "partial", "y": "full", "z": "none"}]  # fmt: skip
        found = cf.evaluate_answers(support={"a": {"q1": judged}})
        assert found.mean()["a"] == pytest.approx(WORKED)

    def test_sentences_without_citations_in_a_table(self) -> None:
        rows = [("q1", "a", 1, "d1", "full"), ("q1", "a", 2, "-", "-")]
        assert cf.evaluate_answers(support=rows, measures="CitationR").mean()["a"]["CitationR"] == 0.5

    def test_unjudged_citations_are_left_out_and_told_of(self) -> None:
        found = cf.evaluate_answers(answers=[TREC_25], support=SUPPORT[:3])
        assert found.mean()["a"] == pytest.approx({"CitationP": 0.5, "CitationR": 0.25,
                                                   "CitationF": 1 / 3})  # fmt: skip
        assert [n.text for n in found.notes] == ["a: 3 of 6 citations not judged, excluded"]

    def test_support_without_its_answer_is_told_of(self) -> None:
        rows = [*SUPPORT, ("q2", "a", 1, "d1", "full")]
        found = cf.evaluate_answers(support=rows, answers=[TREC_25], measures="CitationR")
        assert found["a", "q2", "CitationR"] == 1.0
        assert [n.text for n in found.notes] == [
            "a: 1 topic (q2) with support but without an answer, scored up to the last listed sentence"
        ]

    def test_the_caption_says_over_how_many_topics(self) -> None:
        support = {"a": {"q1": [{"d": "full"}], "q2": [{"d": "none"}], "q3": [{"d": "none"}]}}
        one = {"a": {"q1": {"x": ("vital", "support")}}}
        found = cf.evaluate_answers(one, "NuggetV NuggetA CitationP", support=support)
        assert build_caption(found, per_topic=False) == "mean over 3 topics, NuggetV, NuggetA over 1"

    def test_an_answer_that_cites_nothing(self) -> None:
        silent = {"run_id": "b", "topic_id": "q1", "answer": [{"text": "No.", "citations": []}]}
        found = cf.evaluate_answers(answers=[TREC_24, silent], support=SUPPORT)
        assert found.mean()["b"] == {"CitationP": 0.0, "CitationR": 0.0, "CitationF": 0.0}
        assert [n.text for n in found.notes] == ["b: 1 topic (q1) for which CitationP is undefined, scored 0"]
        left_out = cf.evaluate_answers(answers=[TREC_24, silent], support=SUPPORT, undefined="skip")
        assert math.isnan(left_out.mean()["b"]["CitationP"])


JUDGED = {
    "a": {"q1": {"x": ("vital", "support")}, "q2": {"y": ("okay", "support")}},
    "b": {"q1": {"x": ("vital", "partial_support")}},
}


class TestUndefinedAndMissing:
    @pytest.mark.parametrize(("undefined", "a", "b"), [("zero", 0.5, 0.25), ("skip", 1.0, 0.5), ("nan", None, None)])
    def test_no_vital_nugget(self, undefined: Any, a: float | None, b: float | None) -> None:
        found = cf.evaluate_answers(JUDGED, "NuggetV", undefined=undefined).summary()
        got = {run: x["NuggetV"] for run, x in found.items()}
        assert got == pytest.approx({"a": a or math.nan, "b": b or math.nan}, nan_ok=True)

    def test_it_is_an_error_if_asked_for(self) -> None:
        with pytest.raises(cf.InputError, match="NuggetV is undefined for topic q2"):
            cf.evaluate_answers(JUDGED, "NuggetV", undefined="error")

    def test_a_missing_answer_counts_as_0(self) -> None:
        scores = cf.evaluate_answers(JUDGED, "NuggetA")
        assert scores.mean() == {"a": {"NuggetA": 1.0}, "b": {"NuggetA": 0.25}}
        assert [n.text for n in scores.notes] == ["b: 1 topic (q2) missing, scored 0"]

    def test_topics_that_nobody_judged_are_left_out(self) -> None:
        support = {run: {"q1": [{"d": "full"}]} for run in "ab"}
        scores = cf.evaluate_answers(JUDGED, "NuggetA CitationP", support=support)
        assert scores.mean()["a"] == {"NuggetA": 1.0, "CitationP": 1.0}
        said = [n.text for n in scores.notes]
        assert "CitationP: 1 topic (q2) without support by citations, excluded from the means" in said

    def test_an_answer_that_nobody_judged_is_refused(self) -> None:
        answers = {"a": {"q1": "x", "q2": "y"}, "b": {"q1": "x", "q2": "y"}}
        with pytest.raises(cf.InputError, match="an answer of run b to topic q2, and no assignments"):
            cf.evaluate_answers(JUDGED, "NuggetA", answers=answers)

    def test_a_run_that_nobody_judged_is_refused(self) -> None:
        with pytest.raises(cf.InputError, match="no assignments of nuggets of run c"):
            cf.evaluate_answers(JUDGED, "NuggetA", answers={"c": {"q1": "x"}})


class TestShort:
    def test_texts_and_sentences_alike(self, here: Path) -> None:
        write("gold.tsv", "q1\tOne two\nq1\tOne. Two. Three. Four.\n")
        sentences = cf.evaluate_answers(answers=[TREC_25], gold="gold.tsv", measures="short").mean()
        assert sentences == {"a": {"EM": 1.0, "TokenF1": 1.0, "Contains": 1.0, "ROUGEL": 1.0}}
        write("a.tsv", "q1\tone, two\nq9\tmore\n")
        texts = cf.evaluate_answers(answers="a.tsv", gold="gold.tsv", measures="EM rouge-1")
        assert texts.mean() == {"a.tsv": {"EM": 1.0, "ROUGE": 1.0}}
        assert [n.kind for n in texts.notes] == ["unjudged-topics", "tokens"]

    @pytest.mark.parametrize(("answer", "gold"), [("answer", "ground_truth"), ("response", "reference")])
    def test_gold_answers_beside_the_answers(self, answer: str, gold: str) -> None:
        """As ragas has both in a record: what the system said is not what is right."""
        records = [
            {"user_input": "capital?", answer: "Lyon", gold: "Paris"},
            {"user_input": "tower?", answer: "Eiffel", gold: ["La tour", "Eiffel"]},
            {"user_input": "river?", answer: "Seine", gold: None},
        ]
        found = cf.evaluate_answers(answers=records, gold=records, measures="EM")
        assert found.mean() == {"run": {"EM": 0.5}}
        assert found.notes[0].text == "run: 1 topic (river?) without gold answers, ignored"

    def test_marks_of_citations_are_told_of(self) -> None:
        gold = {"q1": "In Paris.", "q2": "No."}
        marked = {"a": {"q1": "In Paris.[1][2, 3]", "q2": "No."}, "b": gold}
        found = cf.evaluate_answers(answers=marked, gold=gold, measures="EM")
        assert found.mean() == {"a": {"EM": 0.5}, "b": {"EM": 1.0}}
        assert [(n.kind, n.text.partition(", ")[0]) for n in found.notes] == [
            ("marked-citations", "a: 1 of 2 answers with citation marks such as [1]")
        ]

    def test_as_cranfield_text(self, here: Path, cranfield: Command) -> None:
        write("gold.tsv", "q1\tParis\n")
        write("a.tsv", "q1\tIn Paris.\n")
        by_text = cranfield.printed("text gold.tsv a.tsv -m short -f csv")
        assert by_text == cranfield.printed("answers --answers a.tsv --gold gold.tsv -f csv")
        assert by_text.splitlines()[1:3] == [
            "a.tsv,all,EM,0.0",
            "a.tsv,all,TokenF1,0.6666666666666666",
        ]


class TestNamesOfRuns:
    def test_other_names_in_other_files(self) -> None:
        with pytest.raises(cf.InputError, match=r"of run mine, only of 1 run \(a\).*run_id"):
            cf.evaluate_answers([RECORD], "NuggetV", answers={"mine": {"q1": "x"}})

    def test_a_lacking_run_id(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        nameless = {key: value for key, value in TREC_24.items() if key != "run_id"}
        write("answers.jsonl", lines(nameless, nameless))
        said = "To separate runs, add a column or key run_id"
        with pytest.raises(cf.InputError, match=f"answers.jsonl:2: .*{said}"):
            cf.evaluate_answers(answers="answers.jsonl", gold={"q1": "x"})
        assert main(["validate", "answers.jsonl"]) == 2
        assert "answers.jsonl:2: error: duplicate topic 'q1'" in capsys.readouterr().out


class TestBeside:
    def test_retrieval_and_answers_in_one_comparison(self, here: Path) -> None:
        answers = [TREC_24, {**TREC_24, "run_id": "b", "references": ["d3"], "answer": "Two."}]
        more = [{**record, "topic_id": "q2"} for record in answers]
        write("answers.jsonl", lines(*answers, *more))
        retrieval = cf.evaluate({"q1": {"d1": 1}, "q2": {"d3": 1}}, "answers.jsonl", "RR")
        gold = {"q1": "Two", "q2": "Four"}
        short = cf.evaluate_answers(answers="answers.jsonl", gold=gold, measures="Contains EM")
        both = cf.compare([retrieval, short], test="t")
        assert both.scores.measures == ("RR", "Contains", "EM")
        assert both.scores.mean()["a"] == pytest.approx({"RR": (1 + 1 / 3) / 2, "Contains": 1, "EM": 0})
        drawn = cf.plot.agreement([retrieval, short], measures="RR EM")
        assert drawn.data.height == 2


# -- what is refused ------------------------------------------------------------------------------

MISTAKES: dict[str, tuple[str, Any, str]] = {  # option, records or text, what is said
    "no JSON": ("", '{"qid": "q1", "run_id": "a", "nuggets": [}\n', "f.jsonl:1: found .*JSON"),
    "no nuggets": (
        "",
        [{"qid": "q1", "run_id": "a"}],
        "f.jsonl:1: found no nuggets, expected a list of them, or columns topic, run",
    ),
    "no topic": ("", [{"run_id": "a", "nuggets": NUGGETS}], "expected a column named topic"),
    "null topic": ("", [{**RECORD, "qid": None}], "f.jsonl:1: no topic. Add topic_id"),
    "no list": (
        "",
        [{**RECORD, "nuggets": "x"}],
        "f.jsonl:1: found nuggets 'x', expected a list",
    ),
    "no object": ("", [{**RECORD, "nuggets": ["x"]}], "found nugget 1 'x', expected an object"),
    "label": (
        "",
        [RECORD, {**RECORD, "qid": "q2", "nuggets": [{**NUGGETS[0], "assignment": "yes"}]}],
        "f.jsonl:2: found assignment 'yes' for nugget 'born in 1942', expected support, partial_support or not_support",
    ),
    "importance": (
        "",
        [{**RECORD, "nuggets": [{**NUGGETS[0], "importance": None}]}],
        "found no importance for nugget 'born in 1942', expected vital or okay",
    ),
    "twice": ("", [RECORD, RECORD], "f.jsonl:2: duplicate topic 'q1' in run 'a'"),
    "row twice": (
        "",
        [ROWS[0], ROWS[1], ROWS[0]],
        "f.jsonl:3: duplicate nugget 'born in 1942'",
    ),
    "answers": ("", [TREC_25], "topic, or qid .answers go to --answers"),
    "citation": (
        "--answers",
        [{**TREC_24, "answer": [{"text": "x", "citations": [4]}]}],
        "f.jsonl:1: found citation 4 in sentence 1, expected one of the answer's 4 references",
    ),
    "document": (
        "--answers",
        [{**TREC_24, "answer": [{"text": "x", "citations": ["d9"]}]}],
        "found citation 'd9' in sentence 1",
    ),
    "citations": (
        "--answers",
        [{**TREC_24, "answer": [{"text": "x", "citations": 3}]}],
        "found citations 3 in sentence 1, expected a list",
    ),
    "text": (
        "--answers",
        [{**TREC_24, "answer": [{"citations": []}]}],
        "found no text in sentence 1",
    ),
    "references": ("--answers", [{**TREC_24, "references": "d1"}], "found references 'd1'"),
    "support": (
        "--support",
        [("q1", "a", 1, "d1", "maybe")],
        "f.txt:1: found support 'maybe' for citation 'd1', expected full, partial or none",
    ),
    "sentence": (
        "--support",
        [("q1", "a", "x", "d1", "full")],
        "found sentence 'x', expected its number",
    ),
    "citation twice": (
        "--support",
        [SUPPORT[0], SUPPORT[0]],
        "f.txt:2: duplicate citation 'd1' in sen",
    ),
    "fields": ("--support", [("q1", "a", 1, "full")], "f.txt:1: found 4 fields"),
    "weight": (
        "--rubric",
        [("q1", "a", "c", "x", "five", "1")],
        "found weight 'five' for criterion 'c', expected a finite number",
    ),
    "met": (
        "--rubric",
        [("q1", "a", "c", "x", "5", "0.7")],
        "found met '0.7' for criterion 'c', expected 1, 0.5 or 0",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_told_with_their_lines(mistake: str, here: Path, cranfield: Command) -> None:
    option, given, said = MISTAKES[mistake]
    name = "f.jsonl"
    if isinstance(given[0], tuple):
        name, given = "f.txt", "".join(" ".join(map(str, row)) + "\n" for row in given)
    write(name, given if isinstance(given, str) else lines(*given))
    gold = ["--gold", write("gold.tsv", "q1\tx\n")]
    told = cranfield.refused("answers", *([option] if option else []), name, *gold)
    assert re.search(said, told), told


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            ("q1", "a", 5, "d1", "full"),
            "sentence 5 of topic q1 of run a, expected 1 to 4: sentences",
        ),
        (
            ("q1", "a", 2, "d1", "full"),
            "citation d1 of sentence 2 .* expected d3, which it cites .* from 0",
        ),
        (("q1", "a", 2, "d9", "full"), "citation d9 of sentence 2"),
    ],
)
def test_support_for_what_was_not_cited(row: Any, said: str, here: Path) -> None:
    rows = "".join(" ".join(map(str, one)) + "\n" for one in [SUPPORT[0], row])
    with pytest.raises(cf.InputError, match=f"s.txt:2: found {said}"):
        cf.evaluate_answers(answers=[TREC_25], support=write("s.txt", rows))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no judgments given"),
        (
            {"assignments": [RECORD], "measures": "CitationP"},
            "CitationP needs support by citations",
        ),
        ({"assignments": [RECORD], "measures": "EM"}, "EM needs answers and gold answers"),
        (
            {"assignments": [RECORD], "measures": "AP"},
            "is no measure of answers. Use `cranfield e",
        ),
        (
            {"assignments": [RECORD], "nuggets": {"q2": {"x": "vital"}}},
            "found topic q1, expected a topic with nuggets",
        ),
        (
            {"assignments": [RECORD], "nuggets": {"q1": {"x": "vital"}}},
            "found nugget 'born in 1942'",
        ),
        (
            {
                "assignments": {"a": {"q1": {"x": ("okay", "support")}}},
                "nuggets": {"q1": {"x": "vital"}},
            },
            "importance okay .* expected vital, as in the nuggets",
        ),
        ({"assignments": {"a": ["q1"]}}, "found list for run 'a', expected {run: {topic: …}}"),
        (
            {"answers": {"a": {"q1": "text"}}, "support": SUPPORT},
            "found a text as the answer of run a",
        ),
        ({"support": {"a": {"q1": ["full"]}}}, "found sentence 1 'full'"),
        ({"assignments": [RECORD], "undefined": "never"}, "undefined='never'"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(cf.CranfieldError, match=said):
        cf.evaluate_answers(**given)


# -- the command ----------------------------------------------------------------------------------


class TestCommand:
    def test_explain_shows_each_piece(self, here: Path, cranfield: Command) -> None:
        write("a.jsonl", lines(RECORD))
        write("answers.jsonl", lines(TREC_25))
        write("s.txt", "".join(" ".join(map(str, row)) + "\n" for row in SUPPORT[:-1]))
        write("r.txt", "q1 a names-it facts 5 1\nq1 a shouts tone -2 0.5\n")
        command = ("answers a.jsonl --answers answers.jsonl --support s.txt --rubric r.txt "
                   "--gold answers.tsv --explain q1")  # fmt: skip
        write("answers.tsv", "q1\tOne\n")
        out = cranfield.printed(command)
        rows = [line.split() for line in out.splitlines()]
        assert ["vital", "partial", "a", "knight"] in rows
        assert ["1", "d1", "full", "One."] in rows
        assert ["7", "not", "judged"] in rows
        assert ["3", "–", "–", "Three."] in rows
        assert ["-2", "0.5", "tone", "shouts"] in rows
        assert "Rubric = 0.8000 · Rubric(axis=facts) = 1.0000 · Rubric(axis=tone) = nan" in out
        assert "a, topic q1: 2 criteria" in out
        table = cranfield.printed(f"{command} --table sentences -f jsonl")
        read = [json.loads(line) for line in table.splitlines()]
        assert [x["support"] for x in read] == [1.0, 0.5, 0.0, None, 0.5, 1.0, None]
        assert read[2] == {"run": "a", "topic": "q1", "sentence": 2, "text": "Two.",
                           "citation": "d3", "support": 0.0}  # fmt: skip
        assert "unknown topic 'q9'. Topics: 1 topic (q1)" in cranfield.refused(
            *command.replace("explain q1", "explain q9").split()
        )

    def test_names_do_not_reach_the_terminal_as_escapes(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        evil = [{**NUGGETS[0], "text": "\x1b[31mred"}]
        write("a.jsonl", lines({**RECORD, "nuggets": evil}))
        assert main(["answers", "a.jsonl", "--explain", "q1"]) == 0
        assert "\x1b" not in capsys.readouterr().out


class TestValidate:
    def test_answers_in_order(self, here: Path, cranfield: Command) -> None:
        write("answers.jsonl", lines(TREC_25))
        assert cranfield.printed("validate answers.jsonl") == (
            "answers.jsonl: 4 results (TREC RAG answers), 1 topic: fine\n"
        )

    @pytest.mark.parametrize(("start", "many", "told"), [(1, 5, True), (0, 5, False), (1, 4, False)])
    def test_places_from_1(
        self, start: int, many: int, told: bool, here: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        sentences = [{"text": "x", "citations": [start]}, {"text": "y", "citations": [1, 2]}]
        each = {"run_id": "a", "references": ["d1", "d2", "d3"], "answer": sentences}
        write("answers.jsonl", lines(*({"topic_id": f"q{i}", **each} for i in range(many))))
        assert main(["validate", "answers.jsonl"]) == 0
        said = "warning: found place 0 among the references in none of 5 answers that cite places"
        assert (said in capsys.readouterr().out) is told

    @pytest.mark.parametrize("asked", [False, True])
    def test_limits(self, here: Path, capsys: pytest.CaptureFixture[str], asked: bool) -> None:
        long = {"text": "word " * (6 if asked else 1030), "citations": [0, 1, 2, "7"]}
        write("answers.jsonl", lines(TREC_25, {**TREC_25, "answer": [long], "metadata": {
            **TREC_25["metadata"], "narrative_id": "q2"}}))  # type: ignore[dict-item]  # fmt: skip
        limits = ["--max-words", "5", "--max-citations", "3"] if asked else []
        assert main(["validate", "answers.jsonl", *limits]) == (2 if asked else 0)
        severity = "error" if asked else "warning"
        words = "6 words, expected at most 5" if asked else "1,030 words, expected at most 1,024"
        assert capsys.readouterr().out.splitlines()[:2] == [
            f"answers.jsonl:2: {severity}: found 4 citations in sentence 1, expected at most 3",
            f"answers.jsonl:2: {severity}: found {words}",
        ]

    def test_rules_of_trec_rag_2026(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """Every reference is cited, and metadata have the track's keys only; if that is asked."""
        about = {"team_id": "t", "run_id": "a"}
        said = [{"text": "x", "citations": [0]}, {"text": "y", "citations": {"d3": 1}}]
        given = {"metadata": {**about, "narrative_id": "q1", "prompt": "Go!"}, "answer": said,
                 "references": ["d1", "d2", "d3"]}  # fmt: skip
        fine = {"metadata": {**about, "narrative_id": "q2"}, "answer": said,
                "references": ["d1", "d3"]}  # fmt: skip
        write("answers.jsonl", lines(given, fine))
        assert main(["validate", "answers.jsonl"]) == 0
        capsys.readouterr()
        rules = ["--all-cited", "--metadata-keys", "team_id, narrative_id,run_id"]
        assert main(["validate", "answers.jsonl", *rules]) == 2
        assert capsys.readouterr().out.splitlines() == [
            "answers.jsonl:1: error: reference 'd2' is not cited by any sentence",
            "answers.jsonl:1: error: found key 'prompt' in metadata, expected one of team_id, narrative_id, run_id",
            "answers.jsonl: 5 results (TREC RAG answers), 2 topics: 2 errors",
        ]

    def test_metadata_that_are_no_object(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        said = [{"text": "x", "citations": [0]}]
        given = {"metadata": ["a"], "topic_id": "q1", "run_id": "a", "references": ["d1"]}
        write("answers.jsonl", lines({**given, "answer": said}))
        assert main(["validate", "answers.jsonl", "--metadata-keys", "run_id"]) == 2
        assert "answers.jsonl:1: error: found metadata ['a']" in capsys.readouterr().out

    def test_every_problem_has_its_line(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        def of(topic: str, **more: Any) -> dict[str, Any]:
            told = {"metadata": {"narrative_id": topic, "run_id": "a"}, "references": ["d1"]}
            return {**told, "answer": [{"text": "x", "citations": [0]}], **more}

        text = lines(
            of("q1"),
            of("q1"),
            of("q2", answer=[{"text": "x", "citations": [1]}, {"text": 3}]),
            {k: x for k, x in of("q3").items() if k != "answer"},
            of("q4", answer=7),
        )
        write(
            "answers.jsonl",
            text + "{broken\n" + lines(of("q5", answer=[{"text": "x", "citations": {"d2": 1}}])),
        )
        assert main(["validate", "answers.jsonl"]) == 2
        found = [line.split(": error: ") for line in capsys.readouterr().out.splitlines()[:-1]]
        assert [(place, said[:36]) for place, said in found] == [
            ("answers.jsonl:2", "duplicate topic 'q1'"),
            ("answers.jsonl:3", "found citation 1 in sentence 1, expe"),
            ("answers.jsonl:3", "found text 3 in sentence 2, expected"),
            ("answers.jsonl:4", "found no answer, expected a column n"),
            ("answers.jsonl:5", "found sentences 7, expected a list o"),
            ("answers.jsonl:6", "found '{broken', expected a JSON obj"),
            ("answers.jsonl:7", "found citation 'd2' in sentence 1, e"),
        ]


# -- support by columns ---------------------------------------------------------------------------

LISTED = ["q1 a 1 d1 full", "q1 a 1 d2 partial", "q2 a 1 d1 none", "q1 b 2 é full", "q1 b 3 - none",
          "q1 a 2 d1 partial", "q2 a 1 d9 none"]  # fmt: skip


def test_support_of_text_is_that_of_a_table(tmp_path: Path) -> None:
    """Lines of one sentence need not stand together."""
    path = tmp_path / "support.txt"
    path.write_text("\n".join(LISTED) + "\n", encoding="utf-8")
    names = ("topic", "run", "sentence", "citation", "support")
    rows = [dict(zip(names, line.split(), strict=True)) for line in LISTED]
    by_columns, by_rows = (
        {run: {topic: {number: {name: x.support for name, x in cited.items()}
                       for number, cited in entry.value.items()}
               for topic, entry in topics.items()}
         for run, topics in read_support(given).by_run.items()}
        for given in (path, rows)
    )  # fmt: skip
    assert by_columns == by_rows
    assert [*by_columns["a"]["q1"]] == [1, 2]
    assert by_columns["b"]["q1"] == {2: {"é": 1.0}, 3: {}}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q1 a 1 d1 full", "duplicate citation 'd1' in sentence 1"),
        ("q1 a 1 d3 maybe", "found support 'maybe' for citation 'd3'"),
        ("q1 a 1.5 d3 full", "found sentence '1.5'"),
        ("q1 a one d3 full", "found sentence 'one'"),
        ("q1 a 1 d3", "found 4 fields"),
    ],
)
def test_support_of_text_that_is_odd(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "support.txt"
    path.write_text("\n".join([*LISTED, line]) + "\n", encoding="utf-8")
    with pytest.raises(cf.InputError, match=re.escape(f"support.txt:8: {said}")):
        read_support(path)


def test_citations_that_are_numbers_and_no_references() -> None:
    """Without references they are names, in the support as in the answer."""
    answers = [{"qid": "q1", "run_id": "a", "answer": [{"text": "One.", "citations": ["12"]}]}]
    support = [{"topic": "q1", "run": "a", "sentence": 1, "citation": "12", "support": "full"}]
    found = cf.evaluate_answers(answers=answers, support=support, measures="CitationP")
    assert found["a", "q1", "CitationP"] == 1.0


def test_a_place_may_be_a_name() -> None:
    """A document that is called 1 is cited by 1, whatever is at that place."""
    said = [{"text": "One.", "citations": [1, 2, "0"]}]
    given = [{"qid": "q1", "references": ["x", "y", "1", "0"], "answer": said}]
    entry = read_answers(given).get("run", "q1")
    assert entry is not None
    assert entry.value.sentences is not None
    assert entry.value.sentences[0].citations == ("1", "0")


# -- mistakes that gave numbers, or were told in other words ---------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"run_id": None}, "x.jsonl:2: found no run, expected one, as on the lines before"),
        ({"qid": None}, "x.jsonl:2: no topic. Add topic_id"),
    ],
)
def test_lines_that_lack_a_name(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    """A run that is named on some lines only would be two."""
    path = tmp_path / "x.jsonl"
    path.write_text(lines(RECORD, {**RECORD, "qid": "q2", **change}), encoding="utf-8")
    with pytest.raises(cf.InputError, match=re.escape(said)):
        cf.evaluate_answers(path)


def test_a_run_that_is_named_later(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(lines({**RECORD, "run_id": ""}, {**RECORD, "qid": "q2"}), encoding="utf-8")
    with pytest.raises(cf.InputError, match=r"x\.jsonl:2: found a run, expected none, as on the lines before"):
        cf.evaluate_answers(path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"metadata": "a"}, "found metadata 'a', expected an object"),
        ({"answer": [{"text": "x", "citations": ["0"]}]}, "or its index from 0, a number"),
    ],
)
def test_answers_of_another_form(given: dict[str, Any], said: str) -> None:
    with pytest.raises(cf.InputError, match=re.escape(said)):
        read_answers([{**TREC_25, **given}])


def test_gold_answers_of_other_topics() -> None:
    """All would be 0."""
    said = r"gold: no answer to 1 topic \(x\). Answers: 1 topic"
    with pytest.raises(cf.InputError, match=said):
        cf.evaluate_answers(answers={"a": {"q": "Paris"}}, gold={"x": "Paris"})


def test_answers_are_not_their_own_gold_answers(tmp_path: Path) -> None:
    """One file may have both, in two columns; answers alone would all be right."""
    path = tmp_path / "short.csv"
    path.write_text("run,topic,answer,reference\na,q,Rome,Paris\n", encoding="utf-8")
    assert cf.evaluate_answers(answers=path, gold=path, measures="EM")["a", "q", "EM"] == 0.0
    path.write_text("run,topic,answer\na,q,Rome\n", encoding="utf-8")
    with pytest.raises(cf.InputError, match="found columns run, topic, answer, expected a column"):
        cf.evaluate_answers(answers=[path], gold=str(path), measures="EM")


def test_a_criterion_without_a_weight() -> None:
    rubric = [{"qid": "q1", "run_id": "a", "criteria": [{"criterion": "x", "met": 1}]}]
    with pytest.raises(cf.InputError, match="found no weight for criterion 'x'"):
        cf.evaluate_answers(rubric=rubric)


def test_judged_and_not_among_the_answers() -> None:
    answers = {"a": {"q2": "Paris"}}
    judged = {"a": {"q1": {"x": ("vital", "support")}, "q2": {"y": ("vital", "support")}}}
    found = cf.evaluate_answers(judged, "NuggetV", answers=answers)
    assert [n.text for n in found.notes] == ["a: 1 topic (q1) with assignments of nuggets but without an answer"]


# -- incomplete data ------------------------------------------------------------------------------


def test_scores_mean_clipped_measure_equals_table() -> None:
    """(−3/4 − 3/4)/2 = −0.75 is clipped to 0: in the mean, the summary and the interval."""
    harm = [
        {"criterion": "good", "weight": 4, "met": 0},
        {"criterion": "harm", "weight": -3, "met": 1},
    ]
    scores = cf.evaluate_answers(rubric={"a": {"q1": harm, "q2": harm}}, measures="Rubric")
    assert scores.values.ravel().tolist() == [-0.75, -0.75]
    assert scores.mean() == scores.summary() == {"a": {"Rubric": 0.0}}
    interval = scores.interval()["a"]["Rubric"]
    assert (interval.low, interval.mean, interval.high) == (0.0, 0.0, 0.0)


def cited(run: str, topic: str, *citations: list[str]) -> dict[str, Any]:
    """An answer of one sentence for each list of citations."""
    answer = [{"text": "x", "citations": each} for each in citations]
    return {"run_id": run, "topic_id": topic, "answer": answer}


def test_citation_recall_topic_without_citations_counts_as_zero() -> None:
    """q1: 1 of 1 sentence supported; q2: 0 of 2, as no sentence cites. (1 + 0)/2 = 0.5."""
    answers = [cited("a", "q1", ["d1"]), cited("a", "q2", [], [])]
    support = [("q1", "a", 1, "d1", "full")]
    found = cf.evaluate_answers(answers=answers, support=support, measures="CitationR CitationF")
    assert found.mean() == {"a": {"CitationR": 0.5, "CitationF": 0.5}}
    assert found.topics == ("q1", "q2")


def test_citation_recall_topic_with_unjudged_citations_is_excluded_with_note() -> None:
    """q2 has a citation without any support judgment: its recall is unknown, not 0."""
    answers = [cited("a", "q1", ["d1"]), cited("a", "q2", ["d2"], [])]
    support = [("q1", "a", 1, "d1", "full")]
    found = cf.evaluate_answers(answers=answers, support=support, measures="CitationR")
    assert found.mean() == {"a": {"CitationR": 1.0}}
    assert [n.text for n in found.notes] == [
        "CitationR: 1 topic (q2) without support by citations, excluded from the means"
    ]


def test_nuggets_answered_topic_without_nuggets_is_noted() -> None:
    answers = {"a": {"q1": "x", "q2": "y"}}
    judged = {"a": {"q1": {"x": ("vital", "support")}}}
    found = cf.evaluate_answers(judged, "NuggetA", answers=answers)
    assert [n.text for n in found.notes] == [
        "NuggetA: 1 topic (q2) without assignments of nuggets, excluded from the means"
    ]


def judged_nuggets(**labels: str | None) -> dict[str, tuple[str, str]]:
    """Vital nuggets, by name; None if the judge omitted one."""
    return {name: ("vital", label) for name, label in labels.items() if label is not None}


def test_nuggets_omitted_by_the_judge_count_as_not_supported() -> None:
    """a: 1 of 3; b has 1 of the union n1, n2, n3, of which it was assigned n1 only: 1/3, not 1."""
    given = {
        "a": {"q1": judged_nuggets(n1="support", n2="not_support", n3="not_support")},
        "b": {"q1": judged_nuggets(n1="support")},
    }
    found = cf.evaluate_answers(given, "NuggetA NuggetV")
    assert found.mean()["b"] == pytest.approx({"NuggetA": 1 / 3, "NuggetV": 1 / 3})
    (note,) = found.notes
    assert (note.kind, note.run, note.topics) == ("missing-nuggets", "b", ("q1",))
    assert note.text == (
        "b: 2 of 3 nuggets without an assignment in 1 topic (q1), counted as not supported, so "
        "scores can only be too low"
    )


def test_nuggets_union_over_runs_contains_nuggets_of_every_run() -> None:
    """n1 and n2 of a, n2 and n3 of b: three nuggets, of which each supports one in full."""
    given = {
        "a": {"q1": judged_nuggets(n1="support", n2="not_support")},
        "b": {"q1": judged_nuggets(n2="not_support", n3="support")},
    }
    found = cf.evaluate_answers(given, "NuggetA")
    assert found.mean() == {"a": {"NuggetA": pytest.approx(1 / 3)}, "b": {"NuggetA": 1 / 3}}


def test_nuggets_missing_from_assignments_of_a_bank_count_as_not_supported() -> None:
    found = cf.evaluate_answers({"a": {"q1": {"x": "support"}}}, "NuggetA", nuggets={"q1": {"x": "vital", "y": "okay"}})
    assert found.mean() == {"a": {"NuggetA": 0.5}}
    assert found.notes[0].text.startswith("a: 1 of 2 nuggets without an assignment in 1 topic")


@pytest.mark.parametrize("label", [-1, None, "N/A", "Error: timeout", 0.5, "", float("nan")])
def test_nugget_label_outside_the_scale_raises_or_is_missing(label: Any) -> None:
    """By default an error; with invalid=missing as if it were not there: 1 of 2, with a note."""
    nuggets = [
        {"text": "n1", "importance": "vital", "assignment": "support"},
        {"text": "n2", "importance": "vital", "assignment": label},
    ]
    with pytest.raises(cf.InputError, match=r"assignment.* for nugget 'n2', expected support"):
        cf.evaluate_answers({"a": {"q1": nuggets}}, "NuggetA")
    found = cf.evaluate_answers({"a": {"q1": nuggets}}, "NuggetA", invalid="missing")
    assert found.mean() == {"a": {"NuggetA": 0.5}}
    assert [n.kind for n in found.notes] == ["invalid-labels", "missing-nuggets"]
    assert found.notes[0].text.startswith("1 label outside the scale (")


def test_support_label_outside_the_scale_is_missing_if_asked() -> None:
    """The citation of the second sentence is unjudged: P = 1 of 1."""
    rows = [("q1", "a", 1, "d1", "full"), ("q1", "a", 2, "d2", "-1")]
    with pytest.raises(cf.InputError, match="found support '-1' for citation 'd2'"):
        cf.evaluate_answers(support=rows, measures="CitationP")
    answers = [cited("a", "q1", ["d1"], ["d2"])]
    found = cf.evaluate_answers(answers=answers, support=rows, measures="CitationP", invalid="missing")
    assert found.mean() == {"a": {"CitationP": 1.0}}
    kinds = [n.kind for n in found.notes]
    assert kinds == ["invalid-labels", "unjudged-citations"]


def test_support_file_label_outside_the_scale_is_missing_if_asked(here: Path) -> None:
    path = write("s.txt", "q1 a 1 d1 full\nq1 a 2 d2 N/A\nq1 a 3 - none\n")
    found = cf.evaluate_answers(support=path, measures="CitationP", invalid="missing")
    assert found.mean() == {"a": {"CitationP": 1.0}}


@pytest.mark.parametrize("met", [-1, None, "N/A", 2])
def test_criterion_label_outside_the_scale_raises_or_is_missing(met: Any) -> None:
    criteria = [
        {"criterion": "good", "weight": 4, "met": 1},
        {"criterion": "more", "weight": 4, "met": met},
    ]
    with pytest.raises(cf.InputError, match=r"met.* for criterion 'more'"):
        cf.evaluate_answers(rubric={"a": {"q1": criteria}})
    found = cf.evaluate_answers(rubric={"a": {"q1": criteria}}, measures="Rubric", invalid="missing")
    assert found.mean() == {"a": {"Rubric": 0.5}}
    assert [n.kind for n in found.notes] == ["invalid-labels", "missing-criteria"]


@pytest.mark.parametrize("bank", [None, {"q1": {"n1": "vital"}}])
def test_nugget_with_two_labels_in_one_answer_raises(bank: Any) -> None:
    nuggets = [{"text": "n1", "importance": "vital", "assignment": label} for label in ("support", "not_support")]
    with pytest.raises(cf.InputError, match="conflicting labels for nugget 'n1' in topic q1"):
        cf.evaluate_answers({"a": {"q1": nuggets}}, "NuggetA", nuggets=bank)


def test_nugget_with_two_importances_between_runs_raises() -> None:
    given = {"a": {"q1": {"x": ("vital", "support")}}, "b": {"q1": {"x": ("okay", "support")}}}
    with pytest.raises(cf.InputError, match="conflicting labels of nugget 'x' of topic q1: okay for run b, vital"):
        cf.evaluate_answers(given, "NuggetA")


def test_criteria_omitted_by_the_judge_count_as_not_met() -> None:
    """b: 4·1/(4 + 4) = 0.5, not 1; a negative one that is omitted can only make it too high."""
    every = [
        {"criterion": "good", "weight": 4, "met": 1},
        {"criterion": "more", "weight": 4, "met": 1},
        {"criterion": "harm", "weight": -2, "met": 0},
    ]
    found = cf.evaluate_answers(rubric={"a": {"q1": every}, "b": {"q1": every[:1]}}, measures="Rubric")
    assert found.mean() == {"a": {"Rubric": 1.0}, "b": {"Rubric": 0.5}}
    (note,) = found.notes
    assert note.kind == "missing-criteria"
    assert note.text == (
        "b: 2 of 3 criteria without a label in 1 topic (q1), counted as not met, so scores can be "
        "too low, or too high by 1 of negative weight"
    )


def test_answers_command_invalid_missing_prints_a_score(here: Path, cranfield: Command) -> None:
    rows = ["q1,a,n1,vital,support", "q1,a,n2,vital,N/A"]
    write("a.csv", "topic,run,nugget,importance,assignment\n" + "\n".join(rows) + "\n")
    told = cranfield.refused("answers", "a.csv", "-m", "NuggetA")
    assert "a.csv:3: " in told
    assert "--invalid missing" in told
    assert "0.5" in cranfield.printed("answers a.csv -m NuggetA --invalid missing -f tsv")
