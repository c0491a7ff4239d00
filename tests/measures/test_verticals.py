"""Verticals: IMine's tasks worked by hand, and what can be wrong with input."""

from __future__ import annotations

import json
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
from cranfield.data.intents import read_intents
from cranfield.data.qrels import read_qrels
from cranfield.data.verticals import embed_verticals, read_verticals
from cranfield.measures.verticals import QUscore, Vscore, compute_h_measure, find_intents
from tests.evidence import checks

# -- pairs of subtopic and vertical -----------------------------------------------------------

QRELS = {"q": {"photo": {"iphone photo": 1}, "review": {"iphone review": 1, "iphone test": 1}}}
VERTICALS = {"q": {"photo": {"Image": 2, "Web": 1}, "review": {"Web": 2, "News": 1}}}
RUN = [
    ("iphone photo", "Image"),  # 2/2
    ("iphone 5", "Web"),  # of no intent
    ("iphone review", "News"),  # 1/2
    ("iphone test", "Video"),  # a vertical that nobody wants
]


def frame(pairs: list[tuple[str, str]], column: str = "type") -> pl.DataFrame:
    """A run with a topic q, in the order of the pairs."""
    docs, verticals = zip(*pairs, strict=True)
    scores = [float(-rank) for rank in range(len(pairs))]
    return pl.DataFrame({"topic": "q", "doc": docs, column: verticals, "score": scores})


def value(measure: str, pairs: list[tuple[str, str]] = RUN, **options: Any) -> float:
    scores = cf.evaluate(QRELS, frame(pairs), measure, **{"verticals": VERTICALS, **options})
    return float(scores["run", "q", measure])


@checks("Vscore", against="by hand")
@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("Vscore@1", 1.0),
        ("Vscore@2", 1 / 2),
        ("Vscore@3", 1.5 / 3),
        ("Vscore@4", 1.5 / 4),
        ("Vscore@10", 1.5 / 10),  # a shorter list is divided by l as well
        ("Vscore", 1.5 / 4),  # and without a cutoff by its length
        ("Vscore(condensed=true)", 1.5 / 3),  # iphone 5 was never judged
        ("Vscore(rel=2)@4", 0.0),  # no subtopic belongs to an intent
    ],
)
def test_vscore_by_hand(measure: str, expected: float) -> None:
    assert value(measure) == pytest.approx(expected, abs=1e-15)


@checks("QUscore", against="by hand")
def test_quscore_by_hand() -> None:
    """Global gains are 1/2 each, at ranks 1, 3 and 4; both intents are served."""
    d = (1 + 1 / 2 + 1 / log2(5)) / (1 + 1 / log2(3) + 1 / 2)
    dsharp = (1 + d) / 2
    assert value("QUscore@4") == pytest.approx((dsharp + 1.5 / 4) / 2)
    assert value("QUscore(share=0.25)@4") == pytest.approx(dsharp / 4 + 1.5 / 4 * 3 / 4)
    assert value("QUscore(share=1)@4") == value("Dsharp(nDCG)@4")
    assert value("QUscore(share=0)@4") == value("Vscore@4")
    assert value("QUscore(Q, share=1)@4") == value("Dsharp(Q)@4")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("QUscore@10", "QUscore@10"),
        ("QUscore(nDCG)@10", "QUscore@10"),
        ("quscore(share=0.3)@5", "QUscore(share=0.3)@5"),
        ("QUscore(nDCG(gain=1:2))@10", "QUscore(nDCG(gain=1:2))@10"),
        ("vscore@10", "Vscore@10"),
    ],
)
def test_names(written: str, canonical: str) -> None:
    assert str(cf.parse_measure(written)) == canonical
    assert cf.parse_measure(canonical) == cf.parse_measure(written)


def test_a_share_is_a_part() -> None:
    with pytest.raises(cf.CranfieldError, match=r"QUscore: share must be a number in \[0, 1\], found 1\.5"):
        QUscore(share=1.5)


def test_a_subtopic_belongs_to_the_intent_of_its_highest_level_the_first_of_several() -> None:
    wanted = {"q": {"a": {"Web": 4, "Image": 1}, "b": {"Web": 1, "Image": 2}}}
    run = frame([("s", "Web")])
    for levels, expected in (((1, 2), 1 / 2), ((2, 1), 1.0), ((1, 1), 1.0), ((0, 1), 1 / 2)):
        qrels = {"q": {"a": {"s": levels[0]}, "b": {"s": levels[1]}}}
        scores = cf.evaluate(qrels, run, "Vscore@1", verticals=wanted)
        assert scores["run", "q", "Vscore@1"] == expected


@given(st.floats(0.01, 100), st.floats(0.01, 100))
def test_the_scale_of_the_values_does_not_matter(a: float, b: float) -> None:
    scaled = {
        "q": {
            "photo": {"Image": 2 * a, "Web": a},
            "review": {"Web": 2 * b, "News": b},
        }
    }
    assert value("Vscore@4", verticals=scaled) == pytest.approx(value("Vscore@4"))


NAMES = ("Web", "News", "Image")


@checks("Vscore", against="second writing")
@given(
    levels=st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=6),
    wanted=st.lists(st.tuples(*[st.integers(0, 2)] * 3).filter(any), min_size=3, max_size=3),
    named=st.lists(st.sampled_from((*NAMES, "Video")), min_size=6, max_size=6),
    cutoff=st.integers(1, 8),
)
def test_vscore_as_the_paper_writes_it(
    levels: list[tuple[int, ...]], wanted: list[tuple[int, ...]], named: list[str], cutoff: int
) -> None:
    """Eq. 12 with loops and dicts, of lists that have every judged subtopic."""
    intents = ("1", "2", "3")
    qrels = {"q": {i: {f"s{k}": x[n] for k, x in enumerate(levels)} for n, i in enumerate(intents)}}
    pr = {i: dict(zip(NAMES, wanted[n], strict=True)) for n, i in enumerate(intents)}
    expected = 0.0
    for own, vertical in list(zip(levels, named, strict=False))[:cutoff]:
        if any(own):
            of_intent = pr[intents[own.index(max(own))]]
            expected += of_intent.get(vertical, 0) / max(of_intent.values()) / cutoff
    run = frame([(f"s{k}", named[k]) for k in range(len(levels))])
    measure = f"Vscore@{cutoff}"
    scores = cf.evaluate(qrels, run, measure, verticals={"q": pr})
    assert scores["run", "q", measure] == pytest.approx(expected, abs=1e-12)


@checks("QUscore", against="second writing")
@given(
    levels=st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=6).filter(
        lambda levels: any(map(any, levels))
    ),
    named=st.lists(st.sampled_from(NAMES), min_size=6, max_size=6),
    cutoff=st.integers(1, 8),
    share=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
def test_quscore_written_again(levels: list[tuple[int, ...]], named: list[str], cutoff: int, share: float) -> None:
    """Intents are as probable, so a subtopic gains the mean of its levels; I-rec and nDCG count
    alike in D♯.
    """
    intents, pr = ("1", "2", "3"), dict(zip(NAMES, (1, 3, 2), strict=True))
    qrels = {"q": {i: {f"s{k}": x[n] for k, x in enumerate(levels)} for n, i in enumerate(intents)}}
    gains = [sum(own) / 3 for own in levels]

    def dcg(ranked: list[float]) -> float:
        return sum(g / log2(r + 1) for r, g in enumerate(ranked[:cutoff], 1))

    found = {n for own in levels[:cutoff] for n, x in enumerate(own) if x}
    dsharp = (len(found) / 3 + dcg(gains) / dcg(sorted(gains, reverse=True))) / 2
    shown = zip(levels[:cutoff], named, strict=False)
    vscore = sum(pr[vertical] / 3 for own, vertical in shown if any(own)) / cutoff
    run = frame([(f"s{k}", named[k]) for k in range(len(levels))])
    measure = f"QUscore(share={share})@{cutoff}"
    verticals = {"q": dict.fromkeys(intents, pr)}
    scores = cf.evaluate(qrels, run, [measure], verticals=verticals)
    assert scores.values.item() == pytest.approx(share * dsharp + (1 - share) * vscore, abs=1e-12)


def test_lists_without_files() -> None:
    pairs = [[1, 0], None, [0, 1], [0, 1]]
    wanted = [[1, 0, 2], [2, 1, 0]]  # Web, News and Image for photos and for reviews
    assert (Vscore @ 4)(pairs, verticals=[2, 0, 1, 2], importance=wanted) == 1.5 / 4
    with pytest.raises(cf.CranfieldError, match="Vscore@4: found 1 verticals, expected 4"):
        (Vscore @ 4)(pairs, verticals=[2], importance=wanted)


# -- where runs and verticals come from -------------------------------------------------------


def files(directory: Path) -> tuple[Path, Path, Path]:
    """Judgments, verticals and run as text with semicolons."""
    qrels, verticals, run = (directory / name for name in ("qrels", "verticals", "run"))
    qrels.write_text("".join(f"q;{i};{s};{x}\n" for i, few in QRELS["q"].items()
                             for s, x in few.items()))  # fmt: skip
    verticals.write_text("".join(f"q;{i};{v};{x}\n" for i, few in VERTICALS["q"].items()
                                 for v, x in few.items()))  # fmt: skip
    run.write_text("".join(f"q;{v};{s};{r};{9 - r};run\n" for r, (s, v) in enumerate(RUN, 1)))
    return qrels, verticals, run


def test_files_and_memory_agree(tmp_path: Path) -> None:
    qrels, verticals, run = files(tmp_path)
    table = tmp_path / "run.csv"
    frame(RUN).write_csv(table)
    trec = tmp_path / "run.trec"
    trec.write_text("".join(f"q {v} {s.replace(' ', '_')} {r} {9 - r} run\n"
                            for r, (s, v) in enumerate(RUN, 1)))  # fmt: skip
    short = {"q": {i: {s.replace(" ", "_"): x for s, x in few.items()}
                   for i, few in QRELS["q"].items()}}  # fmt: skip
    rows = [("q", i, v, x) for i, few in VERTICALS["q"].items() for v, x in few.items()]
    named = pl.DataFrame(rows, schema=["topic", "intent", "vertical", "probability"], orient="row")
    named.write_csv(tmp_path / "verticals.csv")
    (tmp_path / "verticals.json").write_text(json.dumps(VERTICALS))
    found = [
        cf.evaluate(qrels, run, "QUscore@4", verticals=verticals, separator=";"),
        cf.evaluate(QRELS, frame(RUN), "QUscore@4", verticals=rows),
        cf.evaluate(QRELS, table, "QUscore@4", verticals=named),
        cf.evaluate(short, trec, "QUscore@4", verticals=named.to_pandas()),
        cf.evaluate(QRELS, frame(RUN, "kind"), "QUscore@4", verticals=tmp_path / "verticals.csv"),
        cf.evaluate(QRELS, frame(RUN), "QUscore@4", verticals=tmp_path / "verticals.json"),
    ]
    assert len({float(scores.values[0, 0, 0]) for scores in found}) == 1


def test_unknown_verticals_are_told(tmp_path: Path) -> None:
    scores = cf.evaluate(QRELS, frame(RUN), "Vscore@4", verticals=VERTICALS)
    said = [note.text for note in scores.notes if note.kind == "verticals"]
    assert said == ["run: 1 vertical (Video) not in verticals, value 0"]
    known = cf.evaluate(QRELS, frame(RUN[:3]), "Vscore@4", verticals=VERTICALS)
    assert not [note for note in known.notes if note.kind == "verticals"]


def test_tied_subtopics_with_different_verticals_are_told() -> None:
    run = frame(RUN[:1] + RUN[2:3]).with_columns(score=pl.lit(1.0))
    scores = cf.evaluate(QRELS, run, "Vscore@1", verticals=VERTICALS)
    assert [note.kind for note in scores.notes] == ["ties"]
    # Either pair may come first: the mean of 1 and 1/2.
    mean = cf.evaluate(QRELS, run, "Vscore@1", verticals=VERTICALS, ties="expected")
    assert mean["run", "q", "Vscore@1"] == pytest.approx(0.75, abs=5 * mean.values[0, 0, 1])


def test_blocks_do_not_matter() -> None:
    qrels = {f"q{t}": QRELS["q"] | {"x": {"other": 1}} if t % 2 else QRELS["q"] for t in range(6)}
    wanted = {t: {i: VERTICALS["q"].get(i, {"Web": 1}) for i in few} for t, few in qrels.items()}
    run = pl.concat([frame(RUN).with_columns(topic=pl.lit(t)) for t in qrels])
    whole, cut = (cf.evaluate(qrels, run, "QUscore@4 Vscore@3", verticals=wanted, block_cells=n)
                  for n in (1 << 19, 1))  # fmt: skip
    assert np.array_equal(whole.values, cut.values)
    assert whole["run", "q3", "Vscore@3"] == 0.5


BAD = {
    "q;photo;Image": "verticals:1: found 3 fields ('q photo Image'), expected 4: topic intent ver",
    "q;photo;Image;x": "verticals:1: found 'x' for vertical Image of intent photo of topic q, expe",
    "q;photo;Image;-1": "verticals:1: found '-1' for vertical Image of intent photo of topic q",
    "q;photo;Image;nan": "verticals:1: found 'nan' for vertical Image",
    "q;photo;;1": "verticals:1: found vertical '', expected an identifier",
    "q;photo;Web;1\nq;photo;Web;1": ("verticals:2: duplicate vertical Web of intent photo of topic q"),
    "q;photo;Web;1\nq;review;Web;0\nq;review;News;0": (
        "verticals:2: found 0 for every vertical of intent review of topic q, expected a value > 0"
    ),
    "q;photo;Web;1\nq;review;Web;1\nq;prize;Web;1": (
        "verticals:3: found intent prize of topic q, expected one of photo, review"
    ),
    "q;photo;Web;1": "verticals: no vertical for intent review of topic q",
    "": "verticals: found no verticals, expected topic intent vertical value",
}


@pytest.mark.parametrize("text", BAD)
def test_mistakes_in_verticals(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, verticals, run = files(tmp_path)
    verticals.write_text(text + "\n")
    command = ["evaluate", str(qrels), str(run), "--sep", ";", "-m", "Vscore@4"]
    assert main([*command, "--verticals", str(verticals)]) == 2
    assert f"{tmp_path}/{BAD[text]}" in capsys.readouterr().err


@pytest.mark.parametrize("data", [{"q": {"photo": 1}}, {"q": 1}, 3])
def test_verticals_of_another_shape(data: Any) -> None:
    with pytest.raises(cf.CranfieldError, match="expected"):
        read_verticals(data)


def test_a_run_must_have_verticals() -> None:
    with pytest.raises(cf.CranfieldError, match="found a run without verticals, expected a vertical for"):
        cf.evaluate(QRELS, {"q": ["iphone photo"]}, "Vscore@4", verticals=VERTICALS)


def test_verticals_must_be_given_where_they_count_and_not_elsewhere() -> None:
    with pytest.raises(cf.CranfieldError, match=r"QUscore@4: no verticals. Use verticals="):
        cf.evaluate(QRELS, frame(RUN), "QUscore@4")
    scores = cf.evaluate(QRELS, frame(RUN), "IRec@4", verticals=VERTICALS)
    assert any(n.text.startswith("verticals has no effect") for n in scores.notes)
    with pytest.raises(cf.CranfieldError, match="Vscore@4 has no value for a single intent"):
        cf.evaluate(QRELS, frame(RUN), "Vscore@4", verticals=VERTICALS, per_intent=True)


# -- verticals as items -----------------------------------------------------------------------

DOCS = {"q": {"a": {"d1": 2, "d2": 1}, "b": {"d3": 2, "d1": 0}}}
WANTED = {"q": {"a": {"Web": 3, "Vertical-News": 1}, "b": {"Web": 1, "Vertical-Image": 4}}}


def judged(qrels: cf.Qrels) -> dict[str, dict[str, float]]:
    """{intent: {doc: level}} of the only topic."""
    by_intent = qrels.by_intent
    assert by_intent is not None
    made: dict[str, dict[str, float]] = {}
    for row, i, x in zip(by_intent.rows, by_intent.intents, by_intent.levels, strict=True):
        made.setdefault(by_intent.names[0][i], {})[qrels.doc_names[row]] = float(x)
    return made


def test_embedding_by_hand() -> None:
    """Pr(Web|a) = 3/4, Pr(News|a) = 1/4, Pr(Web|b) = 1/5, Pr(Image|b) = 4/5."""
    qrels = read_qrels(DOCS, by_intent=True)
    made = judged(embed_verticals(qrels, read_verticals(WANTED)))
    assert made["a"] == pytest.approx({"d1": 1.5, "d2": 0.75, "Vertical-News": 0.5})
    assert made["b"] == pytest.approx({"d3": 0.4, "d1": 0, "Vertical-Image": 1.6})
    assert judged(qrels) == DOCS["q"]  # which are left as they were


def test_embedded_verticals_by_hand() -> None:
    """Global gains: d1 0.75, d2 0.375, d3 0.2, Vertical-News 0.25, Vertical-Image 0.8."""
    run = {"q": ["Vertical-Image", "x", "Vertical-News", "d2"]}
    ideal = 0.8 + 0.75 / log2(3) + 0.375 / 2 + 0.25 / log2(5)
    d = (0.8 + 0.25 / 2 + 0.375 / log2(5)) / ideal
    scores = cf.evaluate(DOCS, run, "D(nDCG)@4 IRec@4 Dsharp(nDCG)@4", verticals=WANTED, embed_verticals=True)
    assert scores.values[0, 0].tolist() == pytest.approx([d, 1.0, (1 + d) / 2])


def test_only_the_web_changes_nothing() -> None:
    run = {"q": ["d3", "x", "d1"]}
    web = {"q": {"a": {"Web": 2}, "b": {"Web": 1}}}
    measures = "D(nDCG)@4 IRec@4 alpha_nDCG@3"
    plain = cf.evaluate(DOCS, run, measures)
    same = cf.evaluate(DOCS, run, measures, verticals=web, embed_verticals=True)
    assert np.array_equal(plain.values, same.values)


def test_a_vertical_may_be_all_that_serves_an_intent() -> None:
    """Intent c has a probability, and no document is relevant to it."""
    known = read_intents({"q": {"a": 0.5, "b": 0.25, "c": 0.25}})
    wanted = {"q": {**WANTED["q"], "c": {"Vertical-Image": 1}}}
    made = judged(embed_verticals(read_qrels(DOCS, by_intent=True), read_verticals(wanted), known))
    assert made["c"] == {"Vertical-Image": 2.0}
    with pytest.raises(cf.CranfieldError, match="found intent c of topic q, expected one of a, b"):
        cf.evaluate(DOCS, {"q": ["d1"]}, "IRec@4", verticals=wanted, embed_verticals=True)


def test_what_cannot_be_embedded() -> None:
    qrels = read_qrels(DOCS, by_intent=True)
    with pytest.raises(cf.CranfieldError, match=r"found 1 vertical \(News\), expected also Web"):
        embed_verticals(qrels, read_verticals({"q": {"a": {"News": 1}, "b": {"News": 1}}}))
    clash = {"q": {"a": {"Web": 1, "d1": 1}, "b": {"Web": 1}}}
    with pytest.raises(cf.CranfieldError, match="judgment of vertical d1 of intent a"):
        embed_verticals(qrels, read_verticals(clash))
    with pytest.raises(cf.CranfieldError, match="found judgments without intents"):
        embed_verticals(read_qrels({"q": {"d": 1}}), read_verticals(WANTED))
    with pytest.raises(cf.CranfieldError, match="embed_verticals: no verticals"):
        cf.evaluate(DOCS, {"q": ["d1"]}, "IRec@4", embed_verticals=True)


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_shares_are_from_0_to_1(share: float) -> None:
    with pytest.raises(cf.CranfieldError, match=rf"share must be a number in \[0, 1\], found {share}"):
        cf.parse_measure(f"QUscore(share={share})")


def test_an_item_belongs_to_an_intent_from_a_level_on() -> None:
    levels = np.array([[0, 2, 1], [1, 0, 0], [0, 0, 0]])
    assert find_intents(levels, rel=1).tolist() == [1, 0, -1]
    assert find_intents(levels, rel=2).tolist() == [1, -1, -1]


def test_without_intents_items_belong_to_none() -> None:
    assert find_intents(np.zeros((2, 3, 0))).tolist() == [[-1] * 3] * 2
    assert find_intents(np.zeros((2, 0, 3))).shape == (2, 0)


def test_h_measure_weighs_the_levels_of_a_hierarchy() -> None:
    """0.5 · (0.2 · 0.5 + 0.8 · 1)."""
    assert compute_h_measure(0.5, 0.5, 1.0, alpha=0.2) == pytest.approx(0.45)  # type: ignore[arg-type]
