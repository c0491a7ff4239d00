"""Collections of ir_datasets by their names; those of the tests are registered here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import (
    BaseQrels,
    BaseQueries,
    BaseScoredDocs,
    GenericQrel,
    GenericQuery,
    GenericScoredDoc,
)
from ir_datasets.formats.trec import TrecPrel, TrecSubQrel

import cranfield as cf
from tests.made import Command


class QrelsHandler(BaseQrels):  # type: ignore[misc]
    def __init__(self, *rows: Any, error: Exception | None = None) -> None:
        self.rows, self.error = rows, error

    def qrels_cls(self) -> Any:
        return type(self.rows[0])

    def qrels_iter(self) -> Iterator[Any]:
        yield from self.rows
        if self.error is not None:
            raise self.error


class QueriesHandler(BaseQueries):  # type: ignore[misc]
    def queries_iter(self) -> Iterator[Any]:
        yield GenericQuery("1", "wing flutter")
        yield GenericQuery("2", "heat transfer")


class ScoredDocsHandler(BaseScoredDocs):  # type: ignore[misc]
    def scoreddocs_iter(self) -> Iterator[Any]:
        yield GenericScoredDoc("1", "b", 2.0)
        yield GenericScoredDoc("1", "a", 1.0)
        yield GenericScoredDoc("2", "d", 1.0)


class TextJudgment(NamedTuple):
    query_id: str
    doc_id: str
    relevance: str
    note: str


class PassageJudgment(NamedTuple):
    query_id: str
    doc_id: str
    start: int
    relevance: int


class UnknownJudgment(NamedTuple):
    query_id: str
    answer: str


DOCUMENTS = (GenericQrel("1", "a", 1), GenericQrel("1", "b", 0), GenericQrel("2", "d", 2))
SUBTOPICS = (
    TrecSubQrel("1", "a", 1, "1"),
    TrecSubQrel("1", "a", 0, "2"),
    TrecSubQrel("1", "b", 1, "2"),
)
DATASETS = {
    "all": (QrelsHandler(*DOCUMENTS), QueriesHandler(), ScoredDocsHandler()),
    "spelt": (QrelsHandler(TextJudgment("1", "a", "1", ""), TextJudgment("2", "d", "2", "good")),),
    "intents": (QrelsHandler(*SUBTOPICS),),
    "topics": (QueriesHandler(),),
    "passages": (QrelsHandler(PassageJudgment("1", "a", 7, 1)),),
    "sample": (QrelsHandler(TrecPrel("1", "a", 1, 1, 0.5)),),
    "strange": (QrelsHandler(UnknownJudgment("1", "a")),),
    "broken": (QrelsHandler(*DOCUMENTS, error=RuntimeError("no\nnetwork")),),
}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = ir_datasets.registry
    monkeypatch.setattr(registry, "_registered", {**registry._registered})
    for name, parts in DATASETS.items():
        registry.register(f"cranfield-tests/{name}", Dataset(*parts))


def test_evaluate_dataset_name_reads_judgments_and_run(here: Path, cranfield: Command) -> None:
    """RR is 1/2 and 1."""
    for run in ({"1": ["b", "a"], "2": ["d"]}, "irds:cranfield-tests/all"):
        assert cf.evaluate("irds:cranfield-tests/all", run, "RR").summary().popitem()[1] == {"RR": 0.75}
    Path("run").write_text("1 Q0 b 1 2 me\n1 Q0 a 2 1 me\n2 Q0 d 1 1 me\n")
    said = cranfield.printed("evaluate irds:cranfield-tests/all run -m RR")
    assert "me   0.7500" in said
    both = cranfield.printed("evaluate irds:cranfield-tests/all run irds:cranfield-tests/all -m RR")
    assert "irds:cranfield-tests/all  0.7500" in both
    pool = cranfield.printed("pool run --depth 1 --qrels irds:cranfield-tests/all")
    assert "pool of 2 topics" in pool


def test_read_qrels_dataset_has_query_texts() -> None:
    qrels = cf.read_qrels("irds:cranfield-tests/all")
    assert qrels.to_dict() == {"1": {"a": 1, "b": 0}, "2": {"d": 2}}
    assert qrels.texts == {"1": "wing flutter", "2": "heat transfer"}
    assert cf.read_qrels("irds:cranfield-tests/spelt").texts == {}
    assert cf.read_qrels({"1": {"a": 1}}).texts == {}


def test_read_qrels_text_levels_become_numbers() -> None:
    assert cf.read_qrels("irds:cranfield-tests/spelt").to_dict() == {"1": {"a": 1}, "2": {"d": 2}}


def test_read_qrels_dataset_by_intent_reads_intents() -> None:
    """Of the two intents the first is met at once, the second at rank 2: (1 + 1/2) / 2."""
    scores = cf.evaluate("irds:cranfield-tests/intents", {"1": ["a", "b"]}, "IA(RR)")
    assert scores.summary() == {"run": {"IA(RR)": 0.75}}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("topics", "irds:cranfield-tests/topics: dataset has no judgments"),
        ("intents", "found judgments for subtopics, expected judgments of documents (use div"),
        ("passages", "found judgments of passages, expected judgments of documents"),
        ("sample", "found judgments of a sample, expected judgments of documents"),
        ("strange", "found judgments without doc_id, expected query_id, doc_id, relevance"),
        ("broken", "ir_datasets cannot provide irds:cranfield-tests/broken: RuntimeError: no netw"),
        ("al", "unknown dataset 'cranfield-tests/al'. Did you mean cranfield-tests/all"),
    ],
)
def test_evaluate_unsupported_dataset_raises(name: str, said: str, here: Path, cranfield: Command) -> None:
    Path("run").write_text("1 Q0 b 1 2 me\n")
    assert said in cranfield.refused("evaluate", f"irds:cranfield-tests/{name}", "run")


def test_evaluate_unsupported_dataset_run_raises(cranfield: Command) -> None:
    words = ("evaluate", "irds:cranfield-tests/all", "irds:cranfield-tests/spelt")
    assert "spelt: dataset has no run (scoreddocs)" in cranfield.refused(*words)
    with pytest.raises(cf.CranfieldError, match="found judgments without subtopic_id"):
        cf.evaluate("irds:cranfield-tests/all", {"1": ["a"]}, "alpha_nDCG@10")
    with pytest.raises(cf.CranfieldError, match="See `ir_datasets list`"):
        cf.read_qrels("irds:zzzzzzzzzzzzzzzzzz")


def test_read_qrels_missing_package_names_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    said = r'^irds:vaswani needs ir_datasets .* -m pip install "ir-datasets>=0.5.9"$'
    with pytest.raises(cf.CranfieldError, match=said):
        cf.read_qrels("irds:vaswani")


def test_read_qrels_existing_file_with_dataset_name_is_read(here: Path) -> None:
    Path("irds:mine").write_text("1 0 a 1\n")
    assert cf.read_qrels("irds:mine").to_dict() == {"1": {"a": 1.0}}
