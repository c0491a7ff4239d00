"""The same bits, wherever the data come from."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cranfield as cf
from cranfield.data.reading.source import Source
from tests.made import examples
from tests.properties.made import (
    BUILT_IN,
    COSTS,
    DOCS,
    EACH,
    EACH_MODEL,
    EVERY,
    LENGTHS,
    QRELS,
    RUN,
    UNIT,
    UNIT_GAINS,
    UNIT_QRELS,
    Give,
    Lists,
    collections,
    evaluate,
    few,
    frame_of,
    order,
    same,
    trec,
)

NAMES = [*EACH, *(c() for c in BUILT_IN.values() if not c.effectiveness)]
NAMES += [m for m in EACH_MODEL[::7] if type(m).__name__ not in UNIT_GAINS]  # see TestUserModels
EXPECTED = evaluate(QRELS, {"r": RUN}, NAMES)


def notes_of(scores: cf.Scores) -> list[tuple[str, str, tuple[str, ...]]]:
    said = ((n.kind, re.sub(r"\S*qrels\.txt", "qrels", n.text), n.topics) for n in scores.notes)
    return [(kind, text, tuple(sorted(topics))) for kind, text, topics in said]


def identical(scores: cf.Scores) -> None:
    same(scores, EXPECTED)
    assert scores.runs == ("r",)
    assert scores.summary() == EXPECTED.summary()


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    path = tmp_path / "run.txt"
    path.write_text(trec(RUN), encoding="utf-8")
    return path


@pytest.fixture
def qrels_file(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.txt"
    lines = [f"{t} 0 {d} {x!r}\n" for t, docs in QRELS.items() for d, x in docs.items()]
    path.write_text("".join(lines), encoding="utf-8")
    return path


class TestSameBits:
    def test_there_is_something_to_compare(self) -> None:
        assert len(EXPECTED.topics) == 25
        assert 0.02 < float(np.mean(EXPECTED.values[0, :, 0])) < 0.98
        kinds = [n.kind for n in EXPECTED.notes]
        assert {"ties", "missing-topics", "unjudged-topics", "max-level"} <= set(kinds)

    def test_frame(self) -> None:
        identical(evaluate(QRELS, {"r": frame_of(RUN)}, NAMES))
        identical(evaluate(QRELS, {"r": frame_of(RUN).lazy()}, NAMES))

    def test_frame_of_judgments(self) -> None:
        judged = frame_of(QRELS, "level")
        identical(evaluate(judged, {"r": RUN}, NAMES))
        identical(evaluate(judged, {"r": frame_of(RUN)}, NAMES))

    def test_files(self, run_file: Path, qrels_file: Path) -> None:
        identical(evaluate(cf.read_qrels(qrels_file), cf.read_run(run_file), NAMES))

    def test_notes_are_the_same_too(self, give: Give, qrels_file: Path) -> None:
        scores = evaluate(qrels_file, give(RUN), NAMES)
        identical(scores)
        assert notes_of(scores) == notes_of(EXPECTED)

    def test_paths(self, run_file: Path, qrels_file: Path) -> None:
        identical(evaluate(qrels_file, run_file, NAMES))
        identical(evaluate(str(qrels_file), [str(run_file)], NAMES))

    @pytest.mark.parametrize("cells", [1, 7, 100, 10**9])
    @pytest.mark.parametrize("threads", [1, 2, 4])
    def test_blocks_and_threads(self, cells: int, threads: int) -> None:
        identical(evaluate(QRELS, {"r": RUN}, NAMES, block_cells=cells, threads=threads))

    def test_blocks_of_other_levels(self) -> None:
        """Levels that only other topics of a block have do not change how GAP is added up."""
        rng = np.random.default_rng(0)
        qrels = {
            f"t{t}": {d: float(rng.choice([0, 0.3, 1, 2, 3] if t % 2 else [0, 1, 3])) for d in DOCS} for t in range(40)
        }
        run = {t: {d: rng.random() for d in DOCS} for t in qrels}
        names = "GAP GAP(thresholds=level) GAP@5"
        same(*(evaluate(qrels, run, names, block_cells=cells) for cells in (1, 10**9)))

    def test_blocks_of_other_lengths(self) -> None:
        """What is above a document is added up within its list."""
        rng = np.random.default_rng(0)
        lengths = {d: 1000 * rng.random() for d in DOCS} | {"long": 1e20}
        qrels = {f"t{t}": dict.fromkeys([*DOCS[::2], "long"], 1.0) for t in range(20)}
        run = {t: {d: rng.random() for d in DOCS} for t in qrels}
        run["t3"] = {"long": 1.0, **run["t3"]}
        units = {"words": lengths, "characters": lengths}
        same(*(cf.evaluate(qrels, run, "TBG U", block_cells=c, lengths=units) for c in (1, 10**9)))

    def test_repeated_calls(self, run_file: Path) -> None:
        ev = cf.Evaluator(QRELS, NAMES, lengths=LENGTHS)
        stream = cf.read_run(run_file)
        for _ in range(3):
            identical(ev({"r": RUN}))
            identical(ev(stream))

    @pytest.mark.parametrize("size", [1, 64, 1000])
    @pytest.mark.parametrize("threads", [1, 2, 4])
    def test_pieces(self, run_file: Path, pieces: Callable[[int], None], size: int, threads: int) -> None:
        pieces(size)
        run = cf.read_run(run_file)
        identical(evaluate(QRELS, run, NAMES, threads=threads))

    @pytest.mark.parametrize("size", [1, 64])
    def test_pieces_of_judgments(self, qrels_file: Path, pieces: Callable[[int], None], size: int) -> None:
        pieces(size)
        identical(evaluate(cf.read_qrels(qrels_file), {"r": RUN}, NAMES))

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("size", [64, 1 << 20])
    def test_shuffled_lines(self, tmp_path: Path, pieces: Callable[[int], None], seed: int, size: int) -> None:
        """Topics interleaved, in any order, also where they span pieces."""
        lines = np.random.default_rng(seed).permutation(trec(RUN).splitlines(keepends=True))
        path = tmp_path / "shuffled.txt"
        path.write_text("".join(lines), encoding="utf-8")
        pieces(size)
        scores = evaluate(QRELS, path, NAMES)
        identical(scores)
        assert notes_of(scores) == notes_of(EXPECTED)

    def test_shuffled_within_topics(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(3)
        mixed = {t: {str(d): docs[d] for d in rng.permutation(list(docs))} for t, docs in RUN.items()}
        identical(evaluate(QRELS, {"r": mixed}, NAMES))
        identical(evaluate(QRELS, {"r": frame_of(mixed)}, NAMES))

    def test_shuffled_judgments(self, qrels_file: Path) -> None:
        lines = qrels_file.read_text(encoding="utf-8").splitlines(keepends=True)
        lines = np.random.default_rng(4).permutation(lines).tolist()
        qrels_file.write_text("".join(lines), encoding="utf-8")
        scores = evaluate(qrels_file, {"r": RUN}, NAMES)
        assert scores.summary() == EXPECTED.summary()
        identical(scores.select(topics=list(EXPECTED.topics)))

    def test_other_runs_beside_it(self) -> None:
        other = {t: dict.fromkeys(docs, 1.0) for t, docs in QRELS.items()}
        identical(evaluate(QRELS, {"other": other, "r": RUN}, NAMES).select(runs="r"))

    def test_other_measures_beside_it(self) -> None:
        scores = evaluate(QRELS, {"r": RUN}, EVERY)
        for name in EXPECTED.measures:
            if name in scores.measures:
                same(scores.select(measures=name), EXPECTED.select(measures=name))

    @given(drawn=collections(), size=st.integers(1, 120), threads=st.integers(1, 3), data=st.data())
    @settings(max_examples=examples(60))
    def test_any_collection(
        self,
        scratch: Path,
        drawn: tuple[Lists, Lists],
        size: int,
        threads: int,
        data: st.DataObject,
    ) -> None:
        """A file of any lists, in any order, cut anywhere, is the mapping of the same lists."""
        qrels, run = drawn
        lines = trec({t: docs for t, docs in run.items() if docs}).splitlines(keepends=True)
        assume(lines)
        expected = evaluate(qrels, {"r": {t: d for t, d in run.items() if d}}, NAMES)
        if data.draw(st.booleans()):
            lines = data.draw(st.permutations(lines))
        path = scratch / "any.txt"
        path.write_text("".join(lines), encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Source.iter_pieces, "__defaults__", (size,))
            scores = evaluate(qrels, path, NAMES, threads=threads)
        same(scores, expected)
        assert notes_of(scores) == notes_of(expected)


def modelled(qrels: Any, run: Any, costs: Any, **options: Any) -> cf.Scores:
    return cf.evaluate(qrels, run, EACH_MODEL, costs=costs, residuals=True, **options)


@pytest.fixture(scope="module")
def expected() -> cf.Scores:
    return modelled(UNIT_QRELS, {"r": RUN}, COSTS)


class TestUserModels:
    """The same, for all that every user model measures: gains from 0 to 1, costs, residuals."""

    def test_there_is_something_to_compare(self, expected: cf.Scores) -> None:
        assert np.isfinite(expected.values).all()
        of_one = [f"{m}{bound}" for m in map(str, EACH_MODEL) if "INST" in m
                  for bound in ("", ".lower", ".upper")]  # fmt: skip
        assert len(of_one) == 15
        assert (expected.select(measures=of_one).values.std(axis=1) > 0).all()

    @pytest.mark.parametrize("names", [
        ("INST(gain=unit, max_level=3, n=20)", "INST(gain=unit, max_level=6, n=20)"),
        ("NCU(stop=sat, max_level=3, n=20).ED", "NCU(stop=sat, max_level=6, n=20).ED"),
        ("NCU(n=4).ED", "NCU(n=20)@4.ED", "NCU(n=20).ED"),
        ("NPV(n=4).ED", "NPV@4.ED", "NPV(n=4, totals=W).ETC", "NPV(n=4, condensed=true).EU"),
        ("BPM(rel=2, n=4)", "BPM(gain=exp, n=4)", "BPM(n=4, min_gain=0.5)", "BPM(n=4, max_cost=2)"),
    ], ids=lambda names: names[0])  # fmt: skip
    def test_other_models_beside_it(self, names: tuple[str, ...]) -> None:
        """What models share is what they see alike."""
        alone = [evaluate(QRELS, RUN, name).values[0, :, 0] for name in names]
        for these in (names, names[::-1]):
            among = evaluate(QRELS, RUN, these)
            for name, expected in zip(names, alone, strict=True):
                assert np.array_equal(among.select(measures=name).values[0, :, 0], expected)

    @pytest.mark.parametrize("options", [
        {"block_cells": 1, "threads": 1}, {"block_cells": 1, "threads": 3},
        {"block_cells": 100, "threads": 2}, {"block_cells": 10**9},
    ], ids=str)  # fmt: skip
    def test_blocks_and_threads(self, expected: cf.Scores, options: dict[str, int]) -> None:
        same(modelled(UNIT_QRELS, {"r": RUN}, COSTS, **options), expected)

    def test_one_topic_at_a_time(self, expected: cf.Scores) -> None:
        top = max(x for docs in UNIT_QRELS.values() for x in docs.values())
        for t, topic in enumerate(expected.topics):
            if topic not in RUN:
                continue
            highest = {"top": {"x": top}}  # residuals take it for the best there is
            alone = modelled({topic: UNIT_QRELS[topic], **highest}, RUN, COSTS)
            assert np.array_equal(alone.values[0, 0], expected.values[0, t])

    def test_frames(self, expected: cf.Scores) -> None:
        qrels, costs = frame_of(UNIT_QRELS, "level"), frame_of(COSTS, "cost")
        same(modelled(qrels, {"r": frame_of(RUN)}, costs), expected)

    @pytest.mark.parametrize("size", [64, 1 << 20])
    def test_files(self, expected: cf.Scores, tmp_path: Path, pieces: Callable[[int], None], size: int) -> None:
        files = [tmp_path / name for name in ("qrels", "run", "costs")]
        rows = [(t, d, x) for t, docs in UNIT_QRELS.items() for d, x in docs.items()]
        files[0].write_text("".join(f"{t} 0 {d} {x!r}\n" for t, d, x in rows), encoding="utf-8")
        files[1].write_text(trec(RUN), encoding="utf-8")
        rows = [(t, d, x) for t, docs in COSTS.items() for d, x in docs.items()]
        files[2].write_text("".join(f"{t} {d} {x!r}\n" for t, d, x in rows), encoding="utf-8")
        pieces(size)
        found = modelled(*files)
        same(found, expected)
        assert found.measures == expected.measures

    def test_in_the_order_of_documents(self, expected: cf.Scores) -> None:
        """A list says as much as scores do, and a cost stays with its document."""
        lists = {t: order(docs) for t, docs in RUN.items()}
        same(modelled(UNIT_QRELS, {"r": lists}, COSTS), expected)

    @given(data=st.data(), depth=st.integers(1, 15))
    @few
    def test_condensed_and_cut_by_hand(self, data: st.DataObject, depth: int) -> None:
        """Documents that are left out take their costs with them."""
        qrels, run = data.draw(collections(UNIT))
        costs = {t: {d: 0.5 + i % 4 for i, d in enumerate(DOCS)} for t in run}
        cut = {t: order(docs)[:depth] for t, docs in run.items()}
        same(modelled(qrels, run, costs, depth=depth), modelled(qrels, cut, costs))
        judged = {t: [d for d in docs if d in qrels[t]] for t, docs in cut.items()}
        condensed = modelled(qrels, cut, costs, condensed=True)
        assert np.array_equal(condensed.values, modelled(qrels, judged, costs).values)
