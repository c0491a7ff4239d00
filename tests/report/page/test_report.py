"""Pages of real inputs in a browser: every view of them opens, and nothing goes wrong."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import cranfield as cf
from cranfield.report.page.limits import Limits

pytest.importorskip("jinja2", reason="no Jinja2")
pytestmark = pytest.mark.slow

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "e": 1}, "q3": {"f": 1}}
SECOND = {"q1": {"a": 0, "b": 0, "c": 3}, "q2": {"d": 1, "e": 0}, "q3": {"f": 1}}
RUNS = {
    "x": {"q1": ["a", "b", "u"], "q2": ["d", "v"], "q3": ["f"]},
    "y": {"q1": ["b", "c"], "q2": ["e", "d"], "q3": ["w", "f"]},
    "z": {"q1": ["u", "a"], "q3": ["f"]},
}
INTENTS = [("q", "1", "a", 1), ("q", "2", "b", 1), ("r", "1", "c", 1)]
BAD = "</script><script>alert(1)</script>\u202e\x00\"'&#?/%" + "x" * 1000


SENTENCES = [{"text": "So.", "citations": ["a", "q"]}, {"text": "And so.", "citations": []}]
ANSWERED: dict[str, Any] = {
    "answers": {"x": {"q1": SENTENCES, "q9": SENTENCES}, "new": {"q1": SENTENCES, "q9": "A text."}},
    "assignments": {run: {"q1": {"n": ("vital", "support")}} for run in ("x", "new")},
}
SUPPORT = {"x": {"q1": [{"a": "full"}, {}]}, "new": {"q1": [{"q": "none", "a": "partial"}, {}]}}
BAD_ANSWERS: dict[str, Any] = {
    "answers": {BAD: {BAD: [{"text": BAD, "citations": [BAD]}]}, "y": {BAD: BAD}},
    "assignments": {run: {BAD: {BAD: ("vital", "support")}} for run in (BAD, "y")},
    "gold": {BAD: BAD},
}


def pages() -> dict[str, cf.ReportPage]:
    """What a page may be made of."""
    q1 = {run: {"q1": lists["q1"]} for run, lists in RUNS.items()}
    bad_runs = {BAD: {BAD: [BAD], "q": ["d"]}, "y": {BAD: ["e"], "q": ["d"]}}
    of_intents = {"x": {"q": ["a", "b"], "r": ["c"]}, "y": {"q": ["a"], "r": ["z"]}}
    queries = [{"qid": "q1", "query": "hello", "lang": "en"}]
    page = partial(cf.report_page, trials=99)
    return {
        "all": page(QRELS, RUNS, "RR AP NumRet RBP(gain=unit).EU", second_qrels=SECOND,
                    queries=queries, docs={"a": {"title": "T", "text": "long"}}),
        "one run": page(QRELS, RUNS["x"], "RR"),
        "one topic": page({"q1": QRELS["q1"]}, q1, "RR AP"),
        "undefined": page({"q": {"a": 0}, "r": {"b": 0}}, {"x": {"q": ["a"]}, "y": {"q": []}},
                          "AP", undefined="nan"),
        "equal runs": page(QRELS, {"x": RUNS["x"], "y": RUNS["x"]}, "RR"),
        "counts": page(QRELS, RUNS, "NumRet"),
        "no order": page(QRELS, RUNS, "RR nDCG@3", ties="expected"),
        "hostile": page({BAD: {BAD: 1}, "q": {"d": 1}}, bad_runs, "RR", queries={BAD: BAD},
                        docs={BAD: BAD}, title=BAD),
        "scores": page(cf.evaluate(QRELS, RUNS, "RR AP")),
        "answers": page(QRELS, RUNS, "RR CitationF NuggetV", **ANSWERED, support=SUPPORT),
        "answers alone": page(**ANSWERED),
        "hostile answers": page(**BAD_ANSWERS),
        "answers not judged": page(QRELS, RUNS, "RR", answers=ANSWERED["answers"]),
        "intents": page(INTENTS, of_intents, "IRec@10 alpha_nDCG@10"),
    }  # fmt: skip


def limited(monkeypatch: pytest.MonkeyPatch) -> cf.ReportPage:
    """A page that has no space for most of what is asked for."""
    small = Limits(scores=9, pairs=3, bounds=2, lists=400, relevant=9)
    monkeypatch.setattr(Limits, "from_complete", classmethod(lambda cls, complete: small))
    return cf.report_page(QRELS, RUNS, "RR AP", list_depth=4)


def views(data: dict[str, Any]) -> list[str]:
    """The addresses of a page."""
    topics = [f"#topic/{quote(topic['id'], safe='')}" for topic in data["topics"]]
    sections = [f"#section/{section['id']}" for section in data["sections"]]
    last = quote(data["measures"][-1]["name"], safe="")
    by_measure = [f"#{view}?m={last}" for view in ("topics", "pairs")]
    return ["", "#topics", "#pairs", "#measures", "#about", *by_measure, *sections, *topics]


def test_every_view_of_every_page_opens(browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = pages() | {"limited": limited(monkeypatch)}
    tab = browser.new_page()
    errors: list[str] = []
    tab.on("console", lambda message: errors.append(message.text))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    for name, page in made.items():
        path = tmp_path / f"{name}.html"
        page.save(path)
        for view in views(page.data):
            tab.goto(f"{path.as_uri()}{view}")  # all but the first stay on the page
            assert len(tab.inner_text("main")) > 20, (name, view)
        assert errors == [], name
    tab.close()
