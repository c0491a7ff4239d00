"""JSON and Python objects as other tools write them: what each shape says, and what is refused.

All say the same of one collection, whose scores are known by hand: the first relevant document of
q1 is the second of its list and that of q2 the first, so RR is 1/2 and 1.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import numpy as np
import pytest

import cranfield as cf
from cranfield.data.reading.shapes import RELEVANT, SHAPES
from cranfield.errors import InputError
from tests.data.shapes import OBJECTS, Shape
from tests.made import Command
from tests.properties.test_shapes import variants

QRELS = {"q1": {"a1": 1, "a3": 1}, "q2": {"b1": 1}}
RUN = {"q1": {"a2": 0.9, "a1": 0.8, "a3": 0.5}, "q2": {"b1": 0.7, "b9": 0.6}}
LISTS = {topic: list(docs) for topic, docs in RUN.items()}
GOLD = {topic: list(docs) for topic, docs in QRELS.items()}
Records: TypeAlias = list[Any]


def hits(topic: str, doc: str = "docid", **more: Any) -> Records:
    return [{doc: d, "score": score, **more} for d, score in RUN[topic].items()]


def pages(docs: Iterable[str]) -> Records:
    return [{"wikipedia_id": doc, "title": "a page"} for doc in docs]


# Each shape as records, one for each topic; and whether topics are q1 and q2.
JUDGMENTS: dict[str, Records] = {
    "rows": [{"qid": t, "docno": d, "label": 1} for t, docs in GOLD.items() for d in docs],
    "golden": [{"id": t, "query": f"about {t}", "relevant": GOLD[t]} for t in GOLD],
    "golden with grades": [{"id": t, "relevant": QRELS[t]} for t in GOLD],
    "golden objects": [{"id": t, "relevant": [{"doc_id": d, "grade": 1} for d in GOLD[t]]} for t in GOLD],
    "ragas": [{"id": t, "user_input": "?", "reference_context_ids": GOLD[t]} for t in GOLD],
    "KILT": [{"id": t, "input": "?", "output": [{"answer": "!", "provenance": pages(GOLD[t])}, {}]} for t in GOLD],
    "DPR": [
        {
            "question": t,
            "answers": ["!"],
            "positive_ctxs": [{"passage_id": d, "text": "…", "score": 1000} for d in GOLD[t]],
            "negative_ctxs": [],
        }
        for t in GOLD
    ],
}
RUNS: dict[str, Records] = {
    "rows": [{"qid": t, "docno": d, "score": s} for t, docs in RUN.items() for d, s in docs.items()],
    "RankLLM": [
        {
            "query": {"qid": t, "text": "?"},
            "candidates": [{**hit, "doc": {"contents": "…"}} for hit in hits(t)],
        }
        for t in RUN
    ],
    "castorini": [{"query": "?", "hits": hits(t, qid=t, content="…")} for t in RUN],
    "ragas": [{"id": t, "user_input": "?", "retrieved_context_ids": LISTS[t]} for t in RUN],
    "KILT": [{"id": t, "output": [{"provenance": pages(LISTS[t])}]} for t in RUN],
    "DPR": [
        {
            "question": t,
            "answers": ["!"],
            "ctxs": [{"id": d, "score": str(s), "has_answer": True} for d, s in RUN[t].items()],
        }
        for t in RUN
    ],
    "TREC RAG": [
        {
            "run_id": "mine",
            "topic_id": t,
            "topic": "?",
            "references": LISTS[t],
            "response_length": 2,
            "answer": [{"text": "one two", "citations": [0]}],
        }
        for t in RUN
    ],
    "TREC RAG of 2025": [
        {"metadata": {"run_id": "mine", "narrative_id": t}, "references": LISTS[t], "answer": []} for t in RUN
    ],
    "retrieved": [{"id": t, "query": "?", "retrieved": LISTS[t]} for t in RUN],
}


def written(folder: Path, name: str, data: Any) -> str:
    """A file with some objects: JSON, compressed or not, or one on each line."""
    path = folder / name
    if name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(one) + "\n" for one in data))
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(json.dumps(data).encode()))
    else:
        path.write_text(json.dumps(data, indent=1))
    return str(path)


def scores(qrels: Any, run: Any) -> dict[str, float]:
    found = cf.evaluate(qrels, run, "RR")
    return dict(zip(found.topics, found.values[0, :, 0].tolist(), strict=True))


def used(kind: str, data: Any) -> cf.Scores | cf.Qrels:
    """What is read of judgments; a run is evaluated."""
    judged = {"q1": {"d": 1}, "a": {"x": 1}}
    return cf.evaluate(judged, data, "RR") if kind == "run" else cf.read_qrels(data)


FORMS = ("x.json", "x.json.gz", "x.jsonl", "memory")
in_each_form = pytest.mark.parametrize("form", FORMS)


def held(folder: Path, form: str, data: Any) -> Any:
    return data if form == "memory" else written(folder, form, data)


class TestRecords:
    @in_each_form
    @pytest.mark.parametrize("name", JUDGMENTS)
    def test_judgments(self, tmp_path: Path, name: str, form: str) -> None:
        qrels = cf.read_qrels(held(tmp_path, form, JUDGMENTS[name]))
        assert qrels.to_dict() == QRELS
        assert scores(qrels, RUN) == {"q1": 0.5, "q2": 1.0}

    @in_each_form
    @pytest.mark.parametrize("name", RUNS)
    def test_runs(self, tmp_path: Path, name: str, form: str) -> None:
        data = held(tmp_path, form, RUNS[name])
        assert cf.read_run(data).rankings() == LISTS
        assert scores(QRELS, data) == {"q1": 0.5, "q2": 1.0}
        assert scores(QRELS, {"mine": data}) == {"q1": 0.5, "q2": 1.0}

    @pytest.mark.parametrize("name", RUNS)
    def test_scores_are_kept(self, name: str) -> None:
        run = cf.read_run(RUNS[name])
        scored = name in ("rows", "RankLLM", "castorini", "DPR")
        assert run.keeps_order is not scored
        assert not scored or run.to_dict() == RUN

    @in_each_form
    def test_under_their_topics(self, tmp_path: Path, form: str) -> None:
        """As Pyserini writes DPR's runs, and as golden sets are kept in a dict."""
        if form.endswith("l"):
            return
        run = {t: {"question": "?", "answers": [], "contexts": hits(t)} for t in RUN}
        golden = {t: {"seconds": 0.5, "relevant": docs} for t, docs in GOLD.items()}
        data = held(tmp_path, form, run)
        assert scores(golden, data) == {"q1": 0.5, "q2": 1.0}
        assert cf.read_qrels(held(tmp_path, form, golden)).to_dict() == QRELS

    def test_ranks_order_what_has_no_scores(self) -> None:
        places = {"a": 3, "b": 1, "c": 2}
        found = [{"qid": "q1", "docid": d, "rank": r} for d, r in places.items()]
        run = [{"query": "?", "hits": found}]
        assert cf.read_run(run).rankings() == {"q1": ["b", "c", "a"]}
        scored = [{"query": "?", "hits": [{**x, "score": -places[str(x["docid"])]} for x in found]}]
        for ties in (None, "rank"):
            assert cf.read_run(scored, ties=ties).rankings() == {"q1": ["b", "c", "a"]}

    def test_one_alone(self, tmp_path: Path) -> None:
        for name, data in RUNS.items():
            if name != "rows":
                path = written(tmp_path, f"{name}.json", data[0])
                assert cf.read_run(path).rankings() == {"q1": LISTS["q1"]}, name
                assert cf.read_run(data[0]).rankings() == {"q1": LISTS["q1"]}, name

    def test_lines_are_told_whatever_the_file_is_called(self, tmp_path: Path) -> None:
        for name in ("x.json", "x"):
            path = tmp_path / name
            path.write_text("".join(json.dumps(one) + "\n" for one in RUNS["RankLLM"]))
            assert cf.read_run(path).rankings() == LISTS

    def test_a_list_of_them_is_one_run(self) -> None:
        found = cf.evaluate(QRELS, [RUNS["RankLLM"], RUNS["ragas"]], "RR")
        assert found.values[:, :, 0].tolist() == [[0.5, 1.0], [0.5, 1.0]]

    def test_a_generator_of_rows(self) -> None:
        assert cf.read_qrels(iter(JUDGMENTS["rows"])).to_dict() == QRELS
        assert cf.read_run(iter(RUNS["rows"])).to_dict() == RUN

    def test_topics_without_documents(self, tmp_path: Path) -> None:
        more = [*RUNS["ragas"], {"id": "q3", "user_input": "?", "retrieved_context_ids": []}]
        for form in FORMS:
            assert list(cf.read_run(held(tmp_path, form, more)).rankings()) == ["q1", "q2", "q3"]
        gold = [*JUDGMENTS["golden"], {"id": "q3", "query": "?", "relevant": []}]
        for form in FORMS:
            assert cf.read_qrels(held(tmp_path, form, gold)).topics == ("q1", "q2", "q3")

    @pytest.mark.parametrize("key", RELEVANT)
    def test_spellings_of_relevant(self, key: str) -> None:
        data = [{"id": t, "query": "?", key: docs} for t, docs in GOLD.items()]
        assert cf.read_qrels(data).to_dict() == QRELS

    def test_run_ids_are_names(self, tmp_path: Path) -> None:
        path = written(tmp_path, "x.jsonl", RUNS["TREC RAG"])
        assert cf.read_run(path).name == "mine"
        others = [{**one, "run_id": "other", "topic_id": "q1"} for one in RUNS["TREC RAG"][:1]]
        path = written(tmp_path, "y.jsonl", [*RUNS["TREC RAG"], *others])
        assert [run.name for run in cf.read_runs(path)] == ["mine", "other"]

    def test_whole_numbers_of_numpy(self) -> None:
        rows = [{"qid": np.int64(1), "docno": np.int32(7), "score": np.float32(0.5)}]
        assert cf.read_run(rows).to_dict() == {"1": {"7": 0.5}}

    def test_intents_of_rows(self) -> None:
        rows = [{"qid": "q1", "subtopic": "1", "docno": "d", "level": 1}]
        assert cf.read_qrels(rows, by_intent=True).by_intent is not None


@pytest.mark.parametrize("shape", OBJECTS, ids=str)
def test_in_a_file_as_in_memory(tmp_path: Path, shape: Shape) -> None:
    """Whatever is changed: the same is read of both, or both are refused."""
    text = shape.content.decode()
    lined = shape.suffix == ".jsonl"
    data = [json.loads(line) for line in text.splitlines()] if lined else json.loads(text)
    for what, changed in [("nothing", data), *variants(data)]:
        path = written(tmp_path, "x.jsonl" if lined else "x.json", changed)
        assert read(shape.kind, path) == read(shape.kind, changed), what


def read(kind: str, data: Any) -> object:
    """What is read, None if that is an error."""
    try:
        if kind == "qrels":
            qrels = cf.read_qrels(data)
            return qrels.to_dict(), qrels.in_doubt, qrels.repeated
        run = cf.read_run(data)
        return run.rankings(), run.in_doubt
    except cf.CranfieldError:
        return None


class TestKilt:
    def test_pages_of_several_outputs(self) -> None:
        outputs = [{"provenance": pages(["1", "2"])}, {"answer": "!"}, {"provenance": pages("2")}]
        assert cf.read_qrels([{"id": 7, "output": outputs}]).to_dict() == {"7": {"1": 1, "2": 1}}

    def test_a_run_has_one_list(self) -> None:
        outputs = [{"provenance": pages(["1"])}, {"provenance": pages(["2"])}]
        with pytest.raises(cf.CranfieldError, match="provenance in 2 outputs in record 1"):
            cf.read_run([{"id": 7, "output": outputs}])

    def test_a_run_may_have_found_nothing_but_says_so(self) -> None:
        nothing = [{"id": 7, "output": [{"provenance": []}]}]
        assert cf.read_run(nothing).rankings() == {"7": []}
        with pytest.raises(cf.CranfieldError, match="provenance in no output in record 1"):
            cf.read_run([{"id": 7, "output": [{"answer": "!"}]}])

    def test_a_page_twice(self) -> None:
        with pytest.raises(cf.CranfieldError, match="duplicate document '1' in topic 7"):
            cf.read_run([{"id": 7, "output": [{"provenance": pages(["1", "1"])}]}])


class TestMteb:
    META: ClassVar = {"mteb_model_meta": {"model_name": "mine", "revision": None}}

    @pytest.mark.parametrize("form", ["x.json", "memory"])
    def test_one_subset(self, tmp_path: Path, form: str) -> None:
        data = held(tmp_path, form, {**self.META, "default": {"test": RUN}})
        run = cf.read_run(data)
        assert (run.name, run.to_dict()) == ("mine", RUN)
        assert scores(QRELS, data) == {"q1": 0.5, "q2": 1.0}

    @pytest.mark.parametrize(
        ("parts", "found"),
        [
            ({"en": {"test": RUN}, "fr": {"test": RUN}}, "predictions for en/test, fr/test"),
            ({"en": {"dev": RUN, "test": RUN}}, "predictions for en/dev, en/test"),
            ({}, "predictions for no subset"),
            ({"en": {"test": [1]}}, "list for en/test"),
        ],
    )
    def test_others_are_refused(self, parts: dict[str, Any], found: str) -> None:
        with pytest.raises(cf.CranfieldError, match=found):
            cf.read_run({**self.META, **parts})


class TestPlaces:
    """Topics that nothing names are the places of their records, and that is said."""

    SAID = "topics are named by the positions of their records, counted from 0"

    def notes(self, qrels: Any, run: Any) -> tuple[list[float], list[str]]:
        found = cf.evaluate(qrels, run, "RR")
        said = [note.text for note in found.notes if note.kind == "columns"]
        return found.values[0, :, 0].tolist(), said

    @in_each_form
    def test_ragas(self, tmp_path: Path, form: str) -> None:
        rows = [{"reference_context_ids": GOLD[t], "retrieved_context_ids": LISTS[t]} for t in GOLD]
        data = held(tmp_path, form, rows)
        values, said = self.notes(data, data)
        assert values == [0.5, 1.0]
        assert len(said) == 2
        assert all(self.SAID in text for text in said)

    def test_questions_name_topics_in_any_order(self) -> None:
        """Better than places: rows of two files need not be in the same order."""
        rows = [{"user_input": t, "reference_context_ids": GOLD[t], "retrieved_context_ids": LISTS[t]} for t in GOLD]
        values, said = self.notes(rows, rows[::-1])
        assert values == [0.5, 1.0]
        assert all("topics are named by their user_input" in text for text in said)

    @pytest.mark.parametrize("form", ["x.json", "x.json.gz", "memory"])
    def test_hits_of_sentence_transformers(self, tmp_path: Path, form: str) -> None:
        lists = [[{"corpus_id": 4, "score": 0.9}, {"corpus_id": 2, "score": 0.5}], []]
        data = held(tmp_path, form, lists)
        assert cf.read_run(data).rankings() == {"0": ["4", "2"], "1": []}
        values, said = self.notes({"0": {"2": 1}}, data)
        assert values == [0.5]
        assert [self.SAID in text for text in said] == [True]
        assert self.notes({"0": {"2": 1}}, {"mine": data})[0] == [0.5]

    def test_hits_under_their_topics(self, tmp_path: Path) -> None:
        data = {"q1": [{"corpus_id": 4, "score": 0.1}, {"corpus_id": 2, "score": 0.5}], "q2": []}
        for form in ("x.json", "memory"):
            assert cf.read_run(held(tmp_path, form, data)).rankings() == {
                "q1": ["2", "4"],
                "q2": [],
            }

    def test_two_ids(self) -> None:
        rows = [{"id": "x", "query_id": t, "relevant": GOLD[t]} for t in ("q1",)]
        assert cf.read_qrels(rows).in_doubt == ("the topic is id, not query_id; documents without a level have level 1")

    def test_validate_says_it(self, tmp_path: Path, cranfield: Command) -> None:
        path = written(tmp_path, "x.jsonl", [{"reference_context_ids": ["d"]}])
        done = cranfield("validate", "--kind", "qrels", path)
        assert done.code == 0
        assert self.SAID in done.out + done.err


class TestValidate:
    """What a file was taken as is said in words."""

    def said(self, cranfield: Command, path: str, kind: str | None) -> str:
        asked = () if kind is None else ("--kind", kind)
        return cranfield("validate", *asked, path).out

    @pytest.mark.parametrize("form", ["x.json", "x.jsonl"])
    def test_names_of_shapes(self, tmp_path: Path, cranfield: Command, form: str) -> None:
        for records, kind, name in (
            (RUNS["RankLLM"], None, "5 results (RankLLM run), 2 topics"),
            (RUNS["DPR"], None, "5 results (DPR run), 2 topics"),
            (JUDGMENTS["golden"], None, "3 judgments (golden judgments), 2 topics"),
            (JUDGMENTS["KILT"], "qrels", "3 judgments (KILT judgments), 2 topics"),
            (RUNS["KILT"], "run", "5 results (KILT run), 2 topics"),
            (RUNS["rows"], None, f"5 results ({form[2:]}), 2 topics"),
            (JUDGMENTS["rows"], None, f"3 judgments ({form[2:]}), 2 topics"),
        ):
            assert name in self.said(cranfield, written(tmp_path, form, records), kind)

    def test_others(self, tmp_path: Path, cranfield: Command) -> None:
        hits = [[{"corpus_id": 4, "score": 0.9}]]
        for data, name in (
            (hits, "1 result (sentence-transformers hits), 1 topic"),
            (RUN, "5 results (json), 2 topics"),
            ({**TestMteb.META, "default": {"test": RUN}}, "5 results (MTEB predictions), 2 topics"),
        ):
            assert name in self.said(cranfield, written(tmp_path, "x.json", data), None)

    @pytest.mark.parametrize("text", ["[", "[]", '[{"qid": 1}, 5]', "[[[]]]", '{"a": 5}'])
    def test_what_is_nothing(self, tmp_path: Path, cranfield: Command, text: str) -> None:
        for form in ("x.json", "x.jsonl"):
            (tmp_path / form).write_text(text)
            for kind in ((), ("--kind", "qrels"), ("--kind", "run")):
                assert cranfield("validate", *kind, str(tmp_path / form)).code == 2


class TestLists:
    """What the documents of a topic may be."""

    @pytest.mark.parametrize("form", ["x.json", "memory"])
    @pytest.mark.parametrize("lists", [GOLD, {t: dict.fromkeys(d, True) for t, d in GOLD.items()}])
    def test_judgments(self, tmp_path: Path, form: str, lists: Any) -> None:
        assert cf.read_qrels(held(tmp_path, form, lists)).to_dict() == QRELS

    @pytest.mark.parametrize("form", ["x.json", "memory"])
    def test_true_and_false(self, tmp_path: Path, form: str) -> None:
        data = held(tmp_path, form, {"q1": {"a": True, "b": False}})
        assert cf.read_qrels(data).to_dict() == {"q1": {"a": 1.0, "b": 0.0}}

    @pytest.mark.parametrize("kind", [set, frozenset, tuple, lambda docs: dict.fromkeys(docs).keys()])
    def test_other_kinds_of_python(self, kind: Any) -> None:
        assert cf.read_qrels({t: kind(docs) for t, docs in GOLD.items()}).to_dict() == QRELS

    @pytest.mark.parametrize("form", ["x.json", "memory"])
    def test_pairs(self, tmp_path: Path, form: str) -> None:
        pairs: Any = {t: [[d, s] for d, s in docs.items()][::-1] for t, docs in RUN.items()}
        assert cf.read_run(held(tmp_path, form, pairs)).to_dict() == RUN
        assert cf.read_run({t: list(map(tuple, x)) for t, x in pairs.items()}).to_dict() == RUN
        levels = {t: [[d, x] for d, x in docs.items()] for t, docs in QRELS.items()}
        assert cf.read_qrels(held(tmp_path, form, levels)).to_dict() == QRELS

    def test_a_run_is_no_set(self) -> None:
        for data in ({"q1": {"a", "b"}}, [{"id": "q1", "retrieved": {"a", "b"}}]):
            with pytest.raises(cf.CranfieldError, match=r"found a set .*a run needs an order"):
                cf.read_run(data)

    @pytest.mark.parametrize("form", ["x.json", "memory"])
    @pytest.mark.parametrize(
        ("kind", "data", "message"),
        [
            ("run", {"q1": {"d": True}}, "score True for document d of topic q1"),
            ("qrels", {"a": {"x": True, "y": 2}}, "level True for document x of topic a"),
            ("qrels", {"a": {"x": True}, "b": {"y": 2}}, "level True for document x of topic a"),
            ("run", {"a": [["x", 1], "y"]}, "document 'y' without score for topic 'a'"),
            ("run", {"a": [["x", 1, 2]]}, r"\['x', 1, 2\] for topic 'a', expected \[doc, score\]"),
            ("run", {"a": [[0.5, "x"]]}, "0.5"),
            ("run", {"a": [["x", "y"]]}, "score 'y' for document x of topic a"),
            ("run", {"a": [["x", None]]}, "score None for document x of topic a"),
            ("run", {"a": [["x", float("nan")]]}, "score nan for document x of topic a"),
            ("run", {"a": [["z", True]]}, "score True for document z of topic a"),
            ("run", {"a": [["x", 1], ["x", 2]]}, "duplicate document 'x' in topic a"),
            ("run", {"a": {"x": 1}, "b": ["x"]}, "score"),
            ("run", {"a": [["x", 1]], "b": ["x"]}, "score"),
            ("run", {"a": ["x", None]}, "None"),
            ("qrels", {"a": [["x", 1], ["x", 2]]}, "document 'x' in topic a"),
            ("qrels", {"a": "x"}, "str for topic 'a'"),
            ("run", {"a": 5}, "int for topic 'a'"),
            ("run", {"a": [{"score": 1}]}, "a document with score for topic 'a'"),
        ],
    )
    def test_mistakes(self, tmp_path: Path, form: str, kind: str, data: Any, message: str) -> None:
        given = held(tmp_path, form, data)
        with pytest.raises(cf.CranfieldError, match=message):
            used(kind, given)

    def test_judged_again(self) -> None:
        assert cf.read_qrels({"a": ["x", "x"]}).repeated == 1


MISTAKES: list[tuple[str, Records, str]] = [
    ("run", [{"query": {"text": "?"}, "candidates": hits("q1")}], "topic None"),
    ("run", [{"query": {"qid": "q1"}, "candidates": [{"docid": "d", "score": None}]}],
     "score None for document d of topic q1|score None, expected"),
    ("run", [{"query": {"qid": "q1"}, "candidates": [{"docid": "d", "score": float("nan")}]}],
     "score nan"),
    ("run", [{"query": {"qid": "q1"}, "candidates": [{"docid": "d", "score": True}]}],
     "score True"),
    ("run", [{"query": {"qid": "q1"}, "candidates": [{"score": 1.0}]}], "a document with score"),
    ("run", [{"query": {"qid": "q1"}, "candidates": hits("q1") * 2}], "document 'a2' in topic q1"),
    ("run", [{"id": "q1", "retrieved": [{"docno": "d", "docid": 7}]}], "docno and docid"),
    ("run", [RUNS["RankLLM"][0]] * 2, "duplicate topic 'q1'"),
    ("run", [RUNS["RankLLM"][0], {"query": {"qid": "q2"}}], "keys query"),
    ("run", [{"query": "?", "hits": [*hits("q1", qid="q1"), *hits("q2", qid="q2")]}],
     "hits with different qids"),
    ("run", [{"id": "q1", "retrieved_context_ids": None}], "null for retrieved_context_ids"),
    ("run", [{"id": None, "retrieved_context_ids": ["d"]}], "topic None"),
    ("run", [{"id": 1.5, "retrieved_context_ids": ["d"]}], "topic 1.5"),
    ("run", [{"id": "q1", "retrieved_context_ids": ["d"]}, {"retrieved_context_ids": ["d"]}],
     "no id"),
    ("run", [{"id": "q1", "ctxs": hits("q1", "id"), "references": ["d"]}],
     r"DPR run \(with ctxs\) or TREC RAG answers \(with references\)"),
    ("qrels", RUNS["RankLLM"], r"RankLLM run \(with candidates\)[^,]*, expected judgments"),
    ("run", JUDGMENTS["golden"], r"golden judgments \(with relevant\)[^,]*, expected a run"),
    ("qrels", [{"id": "q1", "relevant": ["d"], "relevant_ids": ["e"]}],
     "relevant and relevant_ids"),
    ("qrels", [{"id": "q1", "relevant": [{"id": "d", "score": 0.8}]}], "with a score"),
    ("qrels", [{"question": "?", "positive_ctxs": [{"title": "t", "text": "…"}]}],
     "a document with title, text"),
    ("qrels", [{"id": "q1", "output": [{"provenance": [{"title": "t"}]}]}], "wikipedia_id"),
    ("run", [{"qid": "q1", "score": 1.0}], "columns qid, score"),
    ("run", [{"qid": "q1", "docno": None, "score": 1.0}], "doc None"),
    ("run", [{"qid": "q1", "docno": "d", "score": True}], "score True"),
    ("run", [{"qid": "q1", "docno": "d", "score": 1}, {"qid": "q1", "docno": "d", "score": 2}],
     "duplicate document 'd' in topic q1"),
]  # fmt: skip


class TestMistakes:
    @in_each_form
    @pytest.mark.parametrize(("kind", "data", "message"), MISTAKES)
    def test_refused(self, tmp_path: Path, form: str, kind: str, data: Records, message: str) -> None:
        given = held(tmp_path, form, data)
        with pytest.raises(InputError, match=message) as caught:
            used(kind, given)
        if form == "x.jsonl":
            assert caught.value.line in range(1, len(data) + 1)
        elif not re.search(" (of|in) topic ", str(caught.value)):
            assert " in record " in str(caught.value)

    @pytest.mark.parametrize("text", ['["d1", "d2"]', "[1, 2]", '[{"qid": "a"}, 5]', "[[1], [2]]"])
    def test_arrays_of_anything_else(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "x.json"
        path.write_text(text)
        with pytest.raises(cf.CranfieldError, match=r"x\.json: found .* in record \d, expected"):
            cf.read_run(path)

    def test_hits_are_no_judgments(self) -> None:
        with pytest.raises(cf.CranfieldError, match="sentence-transformers hits, expected judg"):
            cf.read_qrels([[{"corpus_id": 1, "score": 0.5}]])

    def test_names_are_told_apart(self) -> None:
        assert len({shape.name for shape in SHAPES}) == len(SHAPES)
