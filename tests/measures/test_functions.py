"""Measures of one's own as plain functions, names of columns, and errors in users' code."""

from __future__ import annotations

import copy
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.cli.main import main

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "z": -1}, "2": {"d": 1}, "3": {"e": 1}}
RUN = {"bm25": {"1": ["b", "x", "a"], "2": ["d", "z"]}}  # 3 is not answered


pytestmark = pytest.mark.usefixtures("registry")


def seen(measure: str = "Seen", **options: Any) -> list[tuple[list[float], list[float]]]:
    """What a function is given, list by list."""
    given = []

    @cf.measure
    def Seen(levels: list[float], judged: list[float]) -> float:
        given.append((levels, judged))
        return len(levels)

    cf.evaluate(QRELS, RUN, measure, **options)
    return given


IDEALS = [[2, 1, 0, -1], [1], [1]]


class TestFunctions:
    @pytest.mark.parametrize(
        ("measure", "options", "levels"),
        [
            ("Seen", {}, [[0, 0, 2], [1, 0], []]),
            ("Seen@2", {}, [[0, 0], [1, 0], []]),
            ("Seen@9", {}, [[0, 0, 2], [1, 0], []]),
            ("Seen", {"depth": 1}, [[0], [1], []]),
            ("Seen(condensed=true)", {}, [[0, 2], [1], []]),
            ("Seen(condensed=true)@1", {}, [[0], [1], []]),
            ("Seen", {"condensed": True}, [[0, 2], [1], []]),
            ("Seen", {"ties": "worst"}, [[0, 0, 2], [1, 0], []]),
        ],
    )
    def test_what_they_are_given(self, measure: str, options: dict[str, Any], levels: list[list[float]]) -> None:
        given = seen(measure, **options)
        assert given == list(zip(levels, IDEALS, strict=True))
        assert all(isinstance(x, float) for lists in given for one in lists for x in one)

    def test_levels_of_a_topic_in_many_blocks(self) -> None:
        qrels = {str(t): {f"d{i}": i % 3 for i in range(t)} for t in range(1, 40)}
        run = {t: [*docs, "unjudged"][::-1] for t, docs in qrels.items()}

        @cf.measure
        def Cumulated(levels: list[float]) -> float:
            return float(sum(level / np.log2(r + 1) for r, level in enumerate(levels, 1)))

        scores = cf.evaluate(qrels, run, "Cumulated@10 DCG@10", threads=2)
        assert scores.values[0, :, 0] == pytest.approx(scores.values[0, :, 1], abs=1e-12)

    def test_parameters(self) -> None:
        @cf.measure
        def Top(levels: list[float], k: int = 2, p: float = 1.0, strict: bool = False) -> float:
            """The sum of the first k."""
            assert isinstance(k, int)
            assert isinstance(strict, bool)
            return p * sum(levels[:k])

        levels = [1, 2, 4, None, 8]
        assert Top()(levels) == 3
        assert Top(k=3)(levels) == 7
        assert (Top(k=3, p=0.5) @ 2)(levels) == 1.5
        assert (Top @ 1)([[1, 2], [3, 4]]).tolist() == [1, 3]
        same = cf.parse_measure("top(k=3, p=0.5)@2")
        assert same == Top(k=3, p=0.5) @ 2
        assert str(same) == "Top(k=3, p=0.5)@2"
        assert cf.parse_measure(str(same)) == same
        assert cf.evaluate(QRELS, RUN, [Top, Top @ 1]).measures == ("Top", "Top@1")
        for wrong, problem in (
            ("Top(k=x)", "k must be a number, found x"),
            ("Top(strict=2)", "strict must be true or false, found 2"),
            ("Top(q=1)", "unknown parameter 'q'. Valid: k, p, strict, condensed"),
        ):
            with pytest.raises(cf.CranfieldError) as error:
                cf.parse_measure(wrong)
            assert str(error.value) == f"measure '{wrong}': {problem}"

    def test_parameters_say_what_they_may_be(self) -> None:
        @cf.measure
        def Often(levels: list[float], p: float = cf.param(0.5, "patience", low=0, high=1)) -> float:
            return p

        assert Often()([1]) == 0.5
        assert "p = 0.5: patience" in (Often.__doc__ or "")
        with pytest.raises(cf.InputError, match=r"Often: p must be a number in \[0, 1\], found 2"):
            Often(p=2)

    def test_settings_of_all_measures(self) -> None:
        @cf.measure
        def Good(levels: list[float], rel: float = 1) -> float:
            return sum(level >= rel for level in levels)

        scores = cf.evaluate(QRELS, RUN, "Good", rel=2)
        assert scores.measures == ("Good(rel=2)",)
        assert scores.values[0, :, 0].tolist() == [1, 0, 0]

    def test_without_judged(self) -> None:
        @cf.measure
        def Found(levels: list[float]) -> int:
            return sum(level > 0 for level in levels)

        @cf.measure
        def Missed(levels: list[float], judged: list[float]) -> int:
            return sum(level > 0 for level in judged) - sum(level > 0 for level in levels)

        assert Found()([1, 0, 2]) == 2
        assert Missed()([1, 0], judged=[1, 1, 1, 0]) == 2
        with pytest.raises(cf.CranfieldError, match=r"Missed requires an ideal list. Pass all judged"):
            Missed()([1, 0])
        with pytest.raises(TypeError, match=r"To score a list, use Found\(\)\(levels\)"):
            Found([1, 0])

    def test_their_lists_are_their_own(self) -> None:
        @cf.measure
        def Rude(levels: list[float], judged: list[float]) -> float:
            levels.clear()
            return judged.pop(0)

        scores = cf.evaluate(QRELS, RUN, "Rude AP Rude@1")
        assert scores.values[0, :, 0].tolist() == scores.values[0, :, 2].tolist() == [2, 1, 1]

    @pytest.mark.parametrize("returned", [1, True, np.float32(1), np.int8(1), np.True_])
    def test_numbers_of_every_kind(self, returned: Any) -> None:
        @cf.measure
        def Given(levels: list[float]) -> Any:
            return returned

        assert Given()([]) == 1.0

    @pytest.mark.parametrize("returned", [None, "1", np.nan, float("inf"), [1], np.zeros((2, 2)), 1j])
    def test_what_is_no_number(self, returned: Any) -> None:
        @cf.measure
        def Given(levels: list[float]) -> Any:
            return returned

        with pytest.raises(cf.InputError) as error:
            (Given @ 3)([])
        said = r"\S*test_functions.py:\d+: Given@3 returned .*, expected a number"
        assert re.fullmatch(said, str(error.value))

    def test_other_functions(self) -> None:
        def Nothing() -> float:
            return 1

        def Needy(levels: list[float], judged: list[float], p: float) -> float:
            return p

        def Named(levels: list[float], *, p: float) -> float:
            return p

        def Anything(levels: list[float], judged: list[float], **settings: float) -> float:
            return 1

        def Reordered(levels: list[float], /) -> float:
            return 1

        def Sklearn(y_true: list[float], y_score: list[float]) -> float:
            return 1

        def Near(level: list[float]) -> float:
            return 1

        valid = "levels, judged, topic, docs, judged_docs"
        also = f"Valid: {valid}, and parameters with a default"
        for function, problem in (
            (
                Nothing,
                rf"function Nothing\(.* is not a measure. Use .* with some of .* {valid}",
            ),
            (lambda levels: 1, "function <lambda>.* is not a measure. Use a named function"),
            (Needy, f"measure Needy has the unknown argument 'p'. {also}"),
            (Named, f"measure Named has the unknown argument 'p'. {also}"),
            (Anything, rf"measure Anything has the unknown argument '\*\*settings'. {also}"),
            (Sklearn, f"measure Sklearn has the unknown argument 'y_true'. {also}"),
            (Near, f"unknown argument 'level'. Did you mean 'levels'. {also}"),
            (Reordered, "has the positional-only argument 'levels'. Remove the slash"),
        ):
            with pytest.raises(cf.InputError, match=rf"^\S*test_functions.py:\d+: .*{problem}"):
                cf.measure(function)

    def test_arguments_are_bound_by_name(self) -> None:
        @cf.measure
        def Turned(judged: list[float], levels: list[float]) -> float:
            return sum(levels) / sum(judged)

        @cf.measure
        def Named(*, k: int = 1, levels: list[float]) -> float:
            return k * levels[0]

        assert Turned()([1, 0], judged=[1, 1, 1]) == pytest.approx(1 / 3)
        assert Named(k=3)([2]) == 6

    def test_lower_is_better(self) -> None:
        @cf.measure(lower_is_better=True)
        def Wasted(levels: list[float]) -> float:
            return sum(level <= 0 for level in levels)

        @cf.measure(lower_is_better=True)
        class Length(cf.Measure):
            """How long it is."""

            def score(self, x: cf.Lists) -> Any:
                return x.n * 1.0

        scores = cf.evaluate(QRELS, {"x": {"1": ["b"]}, "y": {"1": ["a"]}}, "Wasted Length AP")
        assert scores.better == ("lower", "lower", "higher")
        assert scores.sorted_by("Wasted").runs == ("y", "x")
        assert cf.compare(scores).pair("y", "x", "Wasted").wins == 1

    def test_names_that_are_taken(self) -> None:
        def AP(levels: list[float]) -> float:
            return 1

        def Deep(levels: list[float], last_rank: int = 3) -> float:
            return last_rank

        with pytest.raises(cf.CranfieldError, match="AP is a built-in measure"):
            cf.measure(AP)
        with pytest.raises(cf.CranfieldError, match="parameter name 'last_rank' is reserved"):
            cf.measure(Deep)
        with pytest.raises(cf.InputError, match=r"5 is not a subclass of cranfield.Measure and not a function"):
            cf.measure(5)  # type: ignore[call-overload]

    def test_of_diversity(self) -> None:
        """A function is a measure as any other: IA is its mean over intents."""

        @cf.measure
        def Found(levels: list[float]) -> int:
            return sum(level > 0 for level in levels)

        qrels = [("1", "x", "a", 1), ("1", "y", "a", 1), ("1", "y", "b", 1)]
        scores = cf.evaluate(qrels, {"1": ["b", "a"]}, "IA(Found)@2")
        assert scores.values[0, 0, 0] == 1.5


LETTERS = {f"q{t}": {f"d{t}-{i}": i % 3 for i in range(4 + t % 3)} for t in range(30)}
LISTS = {
    topic: {doc: float(len(docs) - i // 2) for i, doc in enumerate([*docs, "new", "more"])}
    for topic, docs in LETTERS.items()
}  # with ties


class TestDocuments:
    """Functions that ask for the ids of topics and documents."""

    @staticmethod
    def given(qrels: Any, run: Any, measure: str = "Ids", **options: Any) -> list[tuple[Any, ...]]:
        given = []

        @cf.measure
        def Ids(judged_docs: Any, docs: Any, topic: Any, levels: Any, judged: Any) -> float:
            given.append((topic, docs, levels, judged_docs, judged))
            return len(docs)

        cf.evaluate(qrels, run, measure, **options)
        return sorted(given)

    def test_docs_are_those_of_the_levels(self) -> None:
        assert self.given(QRELS, RUN) == [
            ("1", ["b", "x", "a"], [0, 0, 2], ["a", "c", "b", "z"], [2, 1, 0, -1]),
            ("2", ["d", "z"], [1, 0], ["d"], [1]),
            ("3", [], [], ["e"], [1]),
        ]
        assert [x[1] for x in self.given(QRELS, RUN, "Ids@2")] == [["b", "x"], ["d", "z"], []]
        assert [x[1] for x in self.given(QRELS, RUN, depth=1)] == [["b"], ["d"], []]
        assert [x[1] for x in self.given(QRELS, RUN, "Ids(condensed=true)")] == [
            ["b", "a"], ["d"], [],
        ]  # fmt: skip

    @pytest.mark.parametrize("ties", [None, "best", "worst"])
    @pytest.mark.parametrize("kernel", ["on", "off"])
    def test_docs_of_files_equal_those_of_dicts(
        self, ties: Any, kernel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if kernel == "off":
            monkeypatch.setattr("cranfield.kernel.KERNEL", None)
        expected = self.given(LETTERS, LISTS, ties=ties)
        for topic, docs, levels, judged_docs, judged in expected:
            assert levels == [LETTERS[topic].get(doc, 0) for doc in docs]
            assert judged == [LETTERS[topic][doc] for doc in judged_docs]
            assert sorted(docs) == sorted(LISTS[topic])
        path = tmp_path / "run.txt"
        path.write_text("".join(
            f"{topic} Q0 {doc} {rank} {score} x\n"
            for topic, docs in LISTS.items()
            for rank, (doc, score) in enumerate(docs.items(), 1)
        ))  # fmt: skip
        every: list[dict[str, Any]] = [{}, {"threads": 3}, {"block_cells": 10}]
        for options in every:
            assert self.given(LETTERS, path, ties=ties, **options) == expected

    def test_docs_in_random_orders_follow_their_levels(self) -> None:
        given = self.given(LETTERS, LISTS, ties="expected", tie_samples=5)
        assert len({tuple(docs) for _, docs, *_ in given}) > len(LETTERS)
        for topic, docs, levels, judged_docs, judged in given:
            assert levels == [LETTERS[topic].get(doc, 0) for doc in docs]
            assert judged == [LETTERS[topic][doc] for doc in judged_docs]

    def test_several_runs_and_strategies(self) -> None:
        class Half(cf.Labelling):
            """Only documents before m are to be found."""

            def ideal(self, topic: str, judged: Any) -> Any:
                return {doc: level for doc, level in judged.items() if doc != "z"}

        runs = {"a": {"1": ["x", "b"]}, "b": {"1": ["b", "new"]}}
        given = self.given(QRELS, runs, labelling=Half())
        assert [(x[1], x[3]) for x in given if x[0] == "1"] == [
            (["b", "new"], ["a", "c", "b"]),
            (["x", "b"], ["a", "c", "b"]),
        ]

    def test_topic_and_docs_of_intents(self) -> None:
        @cf.measure
        def Here(levels: list[float], topic: str, docs: list[str]) -> float:
            assert (topic, docs) == ("1", ["b", "a"])
            return sum(level > 0 for level in levels)

        qrels = [("1", "x", "a", 1), ("1", "y", "a", 1), ("1", "y", "b", 1)]
        assert cf.evaluate(qrels, {"1": ["b", "a"]}, "IA(Here)@2").values[0, 0, 0] == 1.5

    def test_where_there_are_no_ids(self) -> None:
        @cf.measure
        def Ids(docs: list[str]) -> float:
            return len(docs)

        @cf.measure
        def Named(levels: list[float], topic: str) -> float:
            return len(topic)

        with pytest.raises(cf.CranfieldError, match=r"Ids requires document ids. Use"):
            Ids()([1, 0])
        with pytest.raises(cf.CranfieldError, match=r"Named requires the topic. Use"):
            Named()([1, 0])
        with pytest.raises(cf.InputError, match="Ids requires document ids, but arrays have"):
            cf.evaluate_arrays([1, 0], [0.5, 0.2], [2], "Ids")
        assert cf.evaluate_arrays([1, 0], [0.5, 0.2], [2], "Named").values.item() == 1

    def test_on_the_command_line(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("mine.py").write_text(
            "import cranfield as cf\n\n@cf.measure(lower_is_better=True)\n"
            "def Long(docs, topic):\n    return sum(map(len, docs)) + len(topic)\n"
        )
        Path("qrels").write_text("1 0 a 2\n1 0 c 1\n")
        Path("run").write_text("1 Q0 a 1 2 bm25\n1 Q0 xyz 2 1 bm25\n")
        asked = ["qrels", "run", "--import", "mine.py", "-m", "Long", "-f", "tsv"]
        assert main(["evaluate", *asked]) == 0
        assert capsys.readouterr().out.splitlines()[1] == "bm25\tall\tLong\t5.0"
        assert main(["explain", "Long@1", "--on", "qrels", "run", "--import", "mine.py"]) == 0
        assert "Long@1 = 2.0000" in capsys.readouterr().out


MINE = '''import cranfield as cf


@cf.measure
def Share(levels, judged, least=1):
    """How many of the documents worth finding were found.

    Share = found / there
    """
    worth = sum(level >= least for level in judged)
    return sum(level >= least for level in levels) / worth if worth else 0
'''


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    Path("qrels").write_text("1 0 a 2\n1 0 c 1\n2 0 d 1\n")
    Path("run").write_text("1 Q0 a 1 2 bm25\n1 Q0 x 2 1 bm25\n")


@pytest.mark.usefixtures("files")
class TestCommands:
    def test_function(self, capsys: pytest.CaptureFixture[str]) -> None:
        own = ["--import", "mine.py"]
        asked = ["-m", "Share@1 Share(least=2)@1", "-f", "tsv", "-q"]
        assert main(["evaluate", "qrels", "run", *own, *asked]) == 0
        rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
        values = {(topic, m): float(value) for _, topic, m, value in rows[1:]}
        assert values["1", "Share@1"] == 0.5
        assert values["1", "Share(least=2)@1"] == 1.0
        assert values["2", "Share@1"] == 0.0
        assert main(["explain", "Share", *own]) == 0
        assert "Share = found / there" in capsys.readouterr().out
        assert main(["measures", "worth finding", *own]) == 0
        assert "How many of the documents worth finding were found." in capsys.readouterr().out
        assert main(["explain", "Share@1", "--on", "qrels", "run", *own]) == 0
        assert "Share@1 = 0.5000" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("def Bad(levels):\n    return sum(levels) + 'x'", "5: TypeError: unsupported operand"),
            ("def Bad(levels):\n    return help_(levels)\ndef help_(x):\n    return x[9]",
             "7: IndexError: list index out of range"),
            ("def Bad(levels):\n    import json\n    return json.loads('{')",
             "6: JSONDecodeError: Expecting property name"),
            ("def Bad(levels):\n    assert not levels", "5: AssertionError"),
            ("def Bad(levels):\n    raise ValueError('two\\nlines')", "5: ValueError: two lines"),
            ("def Bad(levels):\n    pass", "3: Bad@2 returned None, expected a number"),
            ("class Bad(cf.Measure):\n    'x'\n    def score(self, x):\n        return x.nothing",
             "7: AttributeError: 'Lists' object has no attribute 'nothing'"),
        ],
    )  # fmt: skip
    def test_errors_while_scoring(self, code: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
        Path("bad.py").write_text(f"import cranfield as cf\n\n@cf.measure\n{code}\n")
        assert main(["evaluate", "qrels", "run", "-m", "Bad@2", "--import", "bad.py"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"bad.py:{said}")
        assert len(err.splitlines()) == 1

    def test_import_verbose_prints_the_traceback_before_the_error(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("bad.py").write_text("def f():\n    1 / 0\nf()\n")
        assert main(["measures", "--import", "bad.py", "-v"]) == 2
        err = capsys.readouterr().err
        assert "Traceback (most recent call last):" in err
        assert "in f" in err
        assert err.endswith("bad.py:2: ZeroDivisionError: division by zero\n")

    def test_errors_of_other_files(self, capsys: pytest.CaptureFixture[str]) -> None:
        """The line is that of the file that was named, even if another one is wrong."""
        Path("broken.py").write_text("\n\n\ndef f(:\n")
        Path("bad.py").write_text("import sys\nsys.path.insert(0, '.')\nimport broken\n")
        assert main(["measures", "--import", "bad.py"]) == 2
        assert capsys.readouterr().err.startswith("bad.py:3: SyntaxError: ")

    def test_names_of_columns(self, capsys: pytest.CaptureFixture[str]) -> None:
        asked = ["-m", "hit=Success@10 P@5", "-m", "AP best=nDCG(gain=exp)@10"]
        assert main(["evaluate", "qrels", "run", *asked]) == 0
        head = capsys.readouterr().out.splitlines()[0]
        assert head.split() == ["run", "hit", "P@5", "AP", "best"]
        assert main(["evaluate", "qrels", "run", *asked, "-f", "json"]) == 0
        assert '"measures": [\n    "hit",' in capsys.readouterr().out
        assert main(["evaluate", "qrels", "run", "-q", "-f", "tsv", "-o", "scores.tsv", *asked]) == 0
        read = cf.read_scores("scores.tsv", measures="found=hit P@5")
        assert read.measures == ("found", "P@5")
        capsys.readouterr()
        assert main(["evaluate", "qrels", "run", "-m", "a=AP a=RR"]) == 2
        told = "a=AP and a=RR have the same name a\n"
        assert capsys.readouterr().err == told


class TestErrors:
    def test_in_python(self) -> None:
        @cf.measure
        def Bad(levels: list[float]) -> float:
            return levels["first"]  # type: ignore[call-overload, no-any-return]

        with pytest.raises(cf.UserCodeError, match=r"test_functions.py:\d+: TypeError: list ind"):
            cf.evaluate(QRELS, RUN, "Bad")
        with pytest.raises(cf.UserCodeError) as error:
            Bad()([1])
        assert isinstance(error.value.__cause__, TypeError)

    def test_in_a_labelling_strategy(self) -> None:
        class Bad(cf.Labelling):
            def found(self, topic: str, ranked: Any) -> Any:
                return {"a": ranked["nothing"]}

        with pytest.raises(cf.UserCodeError, match=r"test_functions.py:\d+: KeyError: 'nothing'"):
            cf.evaluate(QRELS, RUN, "AP", labelling=Bad())

    def test_in_a_user_model(self) -> None:
        @cf.user_model
        def Bad(x: cf.Items) -> Any:
            return 1 / 0

        with pytest.raises(cf.UserCodeError, match=r"test_functions.py:\d+: ZeroDivisionError: "):
            cf.evaluate(QRELS, RUN, "Bad(gain=unit)")

    def test_ours_are_not_theirs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """An error that never was in the user's file stays what it is."""

        @cf.measure
        class Fine(cf.Measure):
            """Fine."""

            def score(self, x: cf.Lists) -> Any:
                return np.zeros(len(x))

        monkeypatch.setattr(cf.Measure, "view", math.floor)  # of lists?
        with pytest.raises(TypeError):
            Fine().compute(Fine().build_lists([1], None, None, None, None, None))

    def test_what_is_no_number(self) -> None:
        @cf.measure
        class Words(cf.Measure):
            """Says words."""

            def score(self, x: cf.Lists) -> Any:
                return "many"

        with pytest.raises(cf.CranfieldError, match="Words: score returned str, expected numbers"):
            Words()([1])


class TestNames:
    def test_in_the_grammar(self) -> None:
        m = cf.parse_measure("best=nDCG(gain=exp)@10")
        assert m.names() == ("best",)
        assert str(m) == "best=nDCG(gain=exp)@10"
        assert cf.parse_measure(str(m)) == m == cf.nDCG(gain="exp", called="best") @ 10
        assert m != cf.nDCG(gain="exp") @ 10
        assert cf.parse_measures({"best": cf.nDCG(gain="exp") @ 10}) == (m,)
        assert str(cf.D(cf.nDCG(called="x"))) == "D(nDCG)"

    def test_in_scores(self) -> None:
        scores = cf.evaluate(QRELS, RUN, "hit=Success@1 Success@1 AP first=AP second=AP")
        assert scores.measures == ("hit", "Success@1", "AP", "first", "second")
        assert scores.values[0, :, 0].tolist() == scores.values[0, :, 1].tolist() == [0, 1, 0]
        assert cf.evaluate(QRELS, RUN, {"hit": "Success@1", "x": cf.AP}).measures == ("hit", "x")
        other = cf.evaluate(QRELS, RUN, "n=NumRelRet")
        assert other.summaries == ("sum",)

    def test_of_several_columns(self) -> None:
        def columns(measures: str, **options: Any) -> list[str]:
            return [*cf.evaluate(QRELS, RUN, measures, **options).measures]

        assert columns("x=RBP", measurements=True) == ["x.EU", "x.ETU", "x.EC", "x.ETC", "x.ED"]
        assert columns("x=RBP.EU", residuals=True) == ["x", "x.lower", "x.upper"]
        assert columns("x=ERR", ties="expected") == ["x", "x.se"]
        assert columns("x=IPrec")[:2] == ["x@0", "x@0.1"]
        assert columns("x=IPrec@0.5 IPrec@0.5") == ["x", "IPrec@0.5"]
        assert columns("x=AP", rel=2) == ["x"]

    @pytest.mark.parametrize(
        ("measures", "said"),
        [
            ("a=AP a=RR", "a=AP and a=RR have the same name a"),
            ("AP=RR AP", "AP=RR and AP have the same name AP"),
            ({"a.b": "AP", "": "RR"}, "empty column name of a measure"),
            ({"a b": "AP"}, "invalid column name 'a b'. Spaces"),
            ({"a=b": "AP"}, "invalid column name 'a=b'"),
            ({"a(b)": "AP"}, r"invalid column name 'a\(b\)'"),
            ("=AP", "write name=measure without spaces"),
            ("a = AP", "write name=measure without spaces"),
            ("AP a=", "write name=measure without spaces"),
        ],
    )
    def test_that_are_refused(self, measures: Any, said: str) -> None:
        with pytest.raises(cf.CranfieldError, match=said):
            cf.evaluate(QRELS, RUN, measures)

    def test_of_texts(self) -> None:
        scores = cf.evaluate_texts({"q": ["a b"]}, {"q": "a b"}, "one=ROUGE")
        assert scores.measures == ("one",)

    def test_of_scores_that_are_read(self) -> None:
        given = {"bm25": {"1": {"map": 0.5, "P_5": 0.1}, "2": {"map": 0.25, "P_5": 0.2}}}
        scores = cf.read_scores(given, measures="p=P@5 AP")
        assert scores.measures == ("p", "map")
        assert scores.values[0, :, 0].tolist() == [0.1, 0.2]


class TestAskedFor:
    def test_as_written(self) -> None:
        scores = cf.evaluate(QRELS, RUN, "map ndcg_cut_10 hit=Success@3")
        assert scores.measures == ("AP", "nDCG@10", "hit")
        half = scores["bm25", "1", "AP"]
        assert half == pytest.approx(1 / 6)  # one of two relevant documents, at rank 3
        name: Any
        for name in ("map", "ap", cf.AP, cf.AP()):
            assert scores["bm25", "1", name] == half
        for name in ("ndcg_cut_10", "nDCG @ 10", "ndcg@10", "ndcg_cut.10", cf.nDCG @ 10):
            assert scores["bm25", "1", name] == scores["bm25", "1", "nDCG@10"]
        for name in ("hit=Success@3", "success_3", cf.Success @ 3):
            assert scores["bm25", "1", name] == scores["bm25", "1", "hit"] == 1
        assert scores.select(measures=["ndcg_cut_10", "map"]).measures == ("nDCG@10", "AP")
        assert scores[:, :, "map"].measures == ("AP",)
        for other in ("P@5", "nDCG@5", "nonsense(", "AP(rel=2)"):
            with pytest.raises(KeyError, match="no measure"):
                scores["bm25", "1", other]

    def test_with_settings_for_all(self) -> None:
        scores = cf.evaluate(QRELS, RUN, "map P@1", rel=2)
        assert scores.measures == ("AP(rel=2)", "P(rel=2)@1")
        assert scores["bm25", "1", "map"] == scores["bm25", "1", "AP(rel=2)"] == pytest.approx(1 / 3)
        assert scores["bm25", "1", cf.P @ 1] == 0

    def test_are_kept(self, tmp_path: Path) -> None:
        scores = cf.evaluate(QRELS, RUN, "map ndcg_cut_10")
        for suffix in ("json", "parquet"):
            path = tmp_path / f"scores.{suffix}"
            scores.save(path)
            read = cf.Scores.load(path)
            assert read == scores
            assert read["bm25", "1", "map"] == scores["bm25", "1", "AP"]
        part = cf.Scores.from_json(scores.select(measures="map").to_json())
        assert part.asked == {"map": "AP"}
        again = copy.deepcopy(scores)
        assert again["bm25", "1", "ndcg_cut_10"] == scores["bm25", "1", "nDCG@10"]

    def test_old_files_have_none(self) -> None:
        scores = cf.evaluate(QRELS, RUN, "AP")
        assert "asked" not in scores.to_json()
        assert cf.Scores.from_json(scores.to_json()).asked == {}

    def test_names_come_first(self) -> None:
        """A column that is called as another measure is the one that is meant."""
        scores = cf.evaluate(QRELS, RUN, "AP=P@1 x=AP")
        assert scores["bm25", "1", "AP"] == 0
        assert scores["bm25", "1", "map"] == pytest.approx(1 / 6)


class TestSafeNames:
    def test_safe(self) -> None:
        names = "nDCG@10 AP(rel=2) nDCG(gain=exp,rel=1)@5 RBP(p=0.5).EU 11pt=AP11 a.b=AP a-b=AP a_b=AP"
        scores = cf.evaluate(QRELS, RUN, names)
        found = scores.to_dict(safe_names=True)
        assert [*found["bm25"]["1"]] == [
            "nDCG_10", "AP_rel_2", "nDCG_gain_exp_rel_1_5", "RBP_p_0_5_EU", "_11pt",
            "a_b", "a_b_2", "a_b_3",
        ]  # fmt: skip
        assert [*found["bm25"]["1"].values()] == [*scores.to_dict()["bm25"]["1"].values()]
        assert [*scores.to_dict()["bm25"]["1"]] == [*scores.measures]
        safe = [*found["bm25"]["1"]]
        for plain, named in (
            (scores.summary(), scores.summary(safe_names=True)),
            (scores.interval(), scores.interval(safe_names=True)),
        ):
            assert [*named["bm25"]] == safe
            assert [*named["bm25"].values()] == [*plain["bm25"].values()]

    def test_each_once(self) -> None:
        names = ("a@2", "a", "a_2", "a(2)", "♯", "")
        scores = cf.Scores(np.zeros((1, 1, 6)), ("r",), ("t",), names, ("mean",) * 6)
        safe = [*scores.to_dict(safe_names=True)["r"]["t"]]
        assert safe == ["a_2", "a", "a_2_2", "a_2_3", "_", "__2"]
        assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in safe)
