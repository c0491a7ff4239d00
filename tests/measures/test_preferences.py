"""Preference judgments and judgment groups: by hand, by a second writing, beside trec_eval."""

from __future__ import annotations

import gzip
import itertools
import math
import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield as cf
from cranfield.cli.main import main
from cranfield.data.preferences import (
    FIELDS,
    Preferences,
    read_judgment_groups,
    read_preferences,
)
from cranfield.labelling.preferences import count_preferences
from cranfield.measures.preferences import MEASURES, PRINTED
from tests.peers.recorded import original

Row = tuple[str, str, str, str, float]  # topic, group, sub group, document, level
Pair = tuple[str, str]  # the better and the worse one


def scores(rows: Iterable[Row], ranking: Sequence[str]) -> dict[str, float]:
    """All measures of the only topic."""
    preferences = read_preferences(rows)
    (topic,) = preferences.topics
    counts = count_preferences(preferences, topic, ranking)
    return {name: measure(counts) for name, measure in MEASURES.items()}


def rows(text: str, topic: str = "t") -> list[Row]:
    """Judgments from ``group subgroup: doc=level …``, a line for each sub group."""
    found: list[Row] = []
    for line in text.strip().splitlines():
        (group, subgroup), docs = (part.split() for part in line.split(":"))
        for doc, level in (one.split("=") for one in docs):
            found.append((topic, group, subgroup, doc, float(level)))
    return found


def preferred(judged: Iterable[Row]) -> list[set[Pair]]:
    """What each group of the only topic prefers, as it was read."""
    (groups,) = read_preferences(judged).groups.values()
    names = [[(a, b) for a in group.docs for b in group.docs] for group in groups]
    return [
        {pair for pair, yes in zip(pairs, group.prefers.flat, strict=True) if yes}
        for pairs, group in zip(names, groups, strict=True)
    ]


def pairs(text: str) -> set[Pair]:
    """Preferences from ``ab cd``: a is preferred to b, and c to d."""
    return {(pair[0], pair[1]) for pair in text.split()}


# -- by hand ----------------------------------------------------------------------------------


class TestWhatIsPreferred:
    def test_levels_of_one_sub_group(self) -> None:
        """f to all five others, e to four; c and d are tied, and are preferred to a and b."""
        judged = rows("g s: a=0 b=0 c=1.5 d=1.5 e=2 f=70")
        assert preferred(judged) == [pairs("fa fb fc fd fe ea eb ec ed ca cb da db")]
        assert scores(judged, [])["prefs_num_prefs_poss"] == 13

    def test_only_the_order_of_levels_counts(self) -> None:
        assert preferred(rows("g s: a=3 b=2 c=1")) == preferred(rows("g s: a=9e9 b=.2 c=.1"))

    def test_what_is_said_twice_is_one_preference(self) -> None:
        judged = rows("g 1: a=3 b=2 c=1\ng 2: d=3 a=2 b=1")
        assert preferred(judged) == [pairs("ab ac bc da db dc")]

    def test_preferences_are_transitive(self) -> None:
        """a > b > d; nobody compared c and d."""
        judged = rows("g 1: a=3 b=2 c=1\ng 2: b=5 d=4")
        assert preferred(judged) == [pairs("ab ac bc bd ad")]

    def test_over_many_sub_groups(self) -> None:
        judged = rows("\n".join(f"g {i}: {a}=2 {b}=1" for i, (a, b) in enumerate(pairs("ab bc cd"))))
        assert preferred(judged) == [pairs("ab bc cd ac bd ad")]

    def test_ties_imply_nothing(self) -> None:
        """a and b are equal in one sub group: what is worse than b need not be worse than a."""
        assert preferred(rows("g 1: a=1 b=1\ng 2: b=2 c=1")) == [pairs("bc")]

    def test_groups_may_contradict_each_other(self) -> None:
        judged = rows("g 1: a=3 b=2\nh 1: a=0 c=6 d=2\nh 2: a=0 b=8")
        assert preferred(judged) == [pairs("ab"), pairs("ca da cd ba")]


# ann: a > b, c > d. bob: b > a > e > f, in three pieces. The list has neither c nor e nor f.
JUDGED = rows("ann 1: a=3 b=2 c=2 d=0\nbob 1: b=2 a=1\nbob 2: a=5 e=4\nbob 3: e=2 f=1")
LIST = ["b", "x", "a", "d"]
BY_HAND = {
    # ann: ab ac ad bd cd. bob: ba be bf ae af ef.
    "prefs_num_prefs_poss": 5 + 6,
    # ann: ac ad bd. bob: ba be bf ae af.
    "prefs_num_prefs_ful": 3 + 5,
    # ann: ad bd. bob: ba.
    "prefs_num_prefs_ful_ret": 2 + 1,
    "prefs_simp": 8 / 11,
    # Of ten pairs, 1/2 for ab; 0 for cd, ef; 1 for ac ad bd be bf ae af.
    "prefs_pair": 7.5 / 10,
    "prefs_avgjg": (3 / 5 + 5 / 6) / 2,
    # ann: R = 3, N = 1: two more for each of a b c, of which a and b are retrieved.
    # bob: R = 4, N = 0: four more for each of a b e f, of which a and b are retrieved.
    "prefs_avgjg_Rnonrel": ((3 + 2 * 2) / (5 + 3 * 2) + (5 + 2 * 4) / (6 + 4 * 4)) / 2,
    # ann: ab ad bd. bob: ba.
    "prefs_simp_ret": 3 / 4,
    "prefs_pair_ret": (1 / 2 + 1 + 1) / 3,
    "prefs_avgjg_ret": (2 / 3 + 1) / 2,
    # ann: R = 2, N = 1: one more for each. bob: R = 2, N = 0: two more for each.
    "prefs_avgjg_Rnonrel_ret": ((2 + 2 * 1) / (3 + 2 * 1) + (1 + 2 * 2) / (1 + 2 * 2)) / 2,
    # All but ef.
    "prefs_simp_imp": 8 / 10,
    "prefs_pair_imp": 7.5 / 9,
    "prefs_avgjg_imp": (3 / 5 + 5 / 5) / 2,
}


class TestMeasures:
    def test_by_hand(self) -> None:
        found = scores(JUDGED, LIST)
        assert list(found) == list(BY_HAND)
        assert found == pytest.approx(BY_HAND, abs=1e-15)

    def test_only_the_first_nonrelevant_documents(self) -> None:
        """R = 2, so v and w count, where each of a and b has six judged nonrelevant ones below.

        Above b is v: three of four preferences are fulfilled.
        """
        judged = rows("g s: a=1 b=1 u=0 v=0 w=0 x=0 y=0 z=0")
        found = scores(judged, ["a", "v", "b", "w", "x", "u"])
        assert found["prefs_avgjg"] == 11 / 12
        assert found["prefs_avgjg_Rnonrel"] == found["prefs_avgjg_Rnonrel_ret"] == 3 / 4

    def test_the_first_of_those_not_retrieved_are_the_first_by_name(self) -> None:
        """R = 2, so x and y count: b is preferred to both, and nothing of z is asked."""
        judged = rows("g 1: a=1 z=0\ng 2: b=1 x=0 y=0")
        assert scores(judged, ["b"])["prefs_avgjg_Rnonrel"] == 1.0
        assert scores(judged, ["b"])["prefs_avgjg"] == 2 / 3

    def test_a_perfect_list_is_perfect_however_many_are_nonrelevant(self) -> None:
        found = scores(rows("g s: a=1 x=0 y=0 z=0"), ["a", "x", "y", "z"])
        assert {name: x for name, x in found.items() if "num" not in name and x != 1} == {}

    def test_a_group_without_preferences_counts_as_0(self) -> None:
        """And leaves the others alone."""
        found = scores(rows("g s: a=1 b=0\nh s: b=0"), ["a", "b"])
        averages = {name: x for name, x in found.items() if "avgjg" in name}
        assert averages == dict.fromkeys(averages, 0.5)

    def test_nothing_is_retrieved(self) -> None:
        found = scores(JUDGED, [])
        assert found.pop("prefs_num_prefs_poss") == 11
        assert found == dict.fromkeys(found, 0.0)

    def test_no_preferences(self) -> None:
        found = scores(rows("g s: a=0 b=0"), ["a", "b"])
        assert found == dict.fromkeys(MEASURES, 0.0)


# -- a second writing -------------------------------------------------------------------------


def naive(name: str, judged: Iterable[Row], ranking: Sequence[str]) -> float:
    """A measure from sets of pairs."""
    levels: dict[str, dict[str, dict[str, float]]] = {}
    for _, group, subgroup, doc, level in judged:
        levels.setdefault(group, {}).setdefault(subgroup, {})[doc] = level
    rank: dict[str, float] = {doc: i for i, doc in enumerate(ranking)}
    groups, shares = [], []
    for _, subgroups in sorted(levels.items()):
        found = {(a, b) for docs in subgroups.values() for a, b in itertools.permutations(docs, 2) if docs[a] > docs[b]}
        while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
            found |= more
        relevant = {doc: level > 0 for docs in subgroups.values() for doc, level in docs.items()}
        if name.endswith("_ret"):
            relevant = {doc: yes for doc, yes in relevant.items() if doc in rank}
        if "Rnonrel" in name:
            R = sum(relevant.values())
            in_order = sorted(relevant, key=lambda doc: (rank.get(doc, math.inf), doc))
            others = [doc for doc in in_order if not relevant[doc]]
            made_up = [f"made up {i}" for i in range(R - len(others))]
            found |= {(doc, other) for doc in relevant if relevant[doc] for other in made_up}
            left = {doc for doc in relevant if relevant[doc]}.union(others[:R], made_up)
        else:
            left = set(relevant)
        found = {(a, b) for a, b in found if a in left and b in left}
        if name.endswith("_imp"):
            found = {(a, b) for a, b in found if a in rank or b in rank}
        groups.append(found)

    def share(some: Iterable[Pair]) -> float:
        held = [rank.get(a, math.inf) < rank.get(b, math.inf) for a, b in some]
        return sum(held) / len(held) if held else 0.0

    every = [pair for group in groups for pair in group]
    match name.split("_")[1:]:
        case ["num", "prefs", "poss"]:
            return len(every)
        case ["num", *_]:
            return round(share(every) * len(every))
        case ["simp", *_]:
            return share(every)
        case ["pair", *_]:
            shares = [share(p for p in every if set(p) == two) for two in set(map(frozenset, every))]
        case _:
            shares = [share(group) for group in groups]
    return sum(shares) / len(shares) if shares else 0.0


@st.composite
def judgments(draw: st.DrawFn) -> list[Row]:
    """Groups that do not contradict themselves, as each has an order in mind."""
    found: list[Row] = []
    docs = "abcdefg"
    for group in range(draw(st.integers(1, 3))):
        order = {doc: draw(st.integers(0, 3)) for doc in docs}
        subgroups = draw(st.lists(st.sets(st.sampled_from(docs), min_size=1), min_size=1))
        for number, some in enumerate(subgroups):
            scale = draw(st.sampled_from([1, 0.25, 7]))
            found += [("t", f"g{group}", f"s{number}", doc, order[doc] * scale) for doc in some]
    return draw(st.permutations(found))


rankings = st.permutations("abcdefgxyz").flatmap(lambda docs: st.integers(0, len(docs)).map(lambda n: docs[:n]))


class TestProperties:
    @given(judgments(), rankings)
    def test_the_second_writing_agrees(self, judged: list[Row], ranking: list[str]) -> None:
        second = {name: naive(name, judged, ranking) for name in MEASURES}
        assert scores(judged, ranking) == pytest.approx(second, abs=1e-12)

    @given(st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3), min_size=2), rankings)
    def test_an_order_is_its_pairs(self, order: dict[str, int], ranking: list[str]) -> None:
        """All at once or two at a time: the numbers are the same, to the last bit."""
        at_once = [("t", "g", "s", doc, level) for doc, level in order.items()]
        two_at_a_time = [
            ("t", "g", f"{a}{b}", doc, order[doc]) for a, b in itertools.combinations(order, 2) for doc in (a, b)
        ]
        assert scores(at_once, ranking) == scores(two_at_a_time, ranking)

    @given(st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3), min_size=2))
    def test_the_best_and_the_worst_list(self, order: dict[str, int]) -> None:
        judged = [("t", "g", "s", doc, level) for doc, level in order.items()]
        best = sorted(order, key=lambda doc: -order[doc])
        some = len(set(order.values())) > 1
        for ranking, value in ((best, 1.0), (best[::-1], 0.0)):
            found = scores(judged, ranking)
            plain = {name: x for name, x in found.items() if not {"num", "Rnonrel"} & set(name.split("_"))}
            assert plain == dict.fromkeys(plain, value * some)

    @given(judgments(), rankings)
    def test_shares(self, judged: list[Row], ranking: list[str]) -> None:
        found = scores(judged, ranking)
        possible = found.pop("prefs_num_prefs_poss")
        fulfilled, seen = found.pop("prefs_num_prefs_ful"), found.pop("prefs_num_prefs_ful_ret")
        assert seen <= fulfilled <= possible
        assert all(0 <= value <= 1 for value in found.values())

    @given(st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 1), min_size=1), rankings)
    def test_bpref_is_one_of_them(self, levels: dict[str, int], ranking: list[str]) -> None:
        """With one group and two levels, bpref_R: R² preferences, as if N were R."""
        judged = [("t", "g", "s", doc, level) for doc, level in levels.items()]
        bpref = cf.evaluate({"t": levels}, {"t": ranking}, "bpref_R")["run", "t", "bpref_R"]
        expected = 0.0 if math.isnan(bpref) else bpref
        assert scores(judged, ranking)["prefs_avgjg_Rnonrel"] == pytest.approx(expected)


# -- files ------------------------------------------------------------------------------------


def told(preferences: Preferences) -> Any:
    """What was read, as nested dicts."""
    return {
        topic: {
            group.name: [
                {group.docs[i]: x for i, x in zip(docs.tolist(), levels.tolist(), strict=True)}
                for docs, levels in group.subgroups
            ]
            for group in groups
        }
        for topic, groups in preferences.groups.items()
    }


TEXT = "10 g 1 a 2\n10 g 1 b 0.5\n9 h s a 1\n10 g 2 a 3\n10 f 1 é 0\n"
READ = {
    "10": {"f": [{"é": 0.0}], "g": [{"a": 2.0, "b": 0.5}, {"a": 3.0}]},
    "9": {"h": [{"a": 1.0}]},
}


class TestFiles:
    @pytest.mark.parametrize(
        "text",
        [
            TEXT,
            TEXT.rstrip("\n"),
            TEXT.replace("\n", "\r\n"),
            TEXT.replace(" ", " \t "),
            "# who said what\n#\n\n" + TEXT.replace("\n", "\n\n  # and\n") + "# the end",
            "".join(sorted(TEXT.splitlines(keepends=True), key=lambda line: line[::-1])),
            TEXT.replace("0.5", "5e-1"),
        ],
    )
    def test_text(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "prefs"
        path.write_bytes(text.encode())
        assert told(read_preferences(path)) == READ
        assert read_preferences(str(path)).topics == ("10", "9")  # in the order of bytes

    def test_compressed(self, tmp_path: Path) -> None:
        path = tmp_path / "prefs.gz"
        path.write_bytes(gzip.compress(TEXT.encode()))
        assert told(read_preferences(path, "prefs")) == READ

    def test_tuples(self) -> None:
        lines = [line.split() for line in TEXT.splitlines()]
        given = [(int(topic), *ids, float(level)) for topic, *ids, level in lines]
        preferences = read_preferences(given)
        assert told(preferences) == READ
        assert repr(preferences) == "Preferences: 3 groups of 2 topics"
        assert read_preferences(preferences) is preferences

    def test_qrels_as_preferences(self, tmp_path: Path) -> None:
        path = tmp_path / "qrels"
        path.write_text("t 0 a 2\nt 0 b 0\nu 0 a 1\nt 1 a 0\n")
        read = {"t": {"0": [{"a": 2.0, "b": 0.0}], "1": [{"a": 0.0}]}, "u": {"0": [{"a": 1.0}]}}
        assert told(read_preferences(path, "qrels_prefs")) == read

    def test_judgment_groups(self, tmp_path: Path) -> None:
        path = tmp_path / "qrels"
        path.write_text("9 bob b 1\n10 ann a 2\n9 ann a -1\n9 bob a 0\n")
        groups = read_judgment_groups(path)
        assert groups.topics == ("10", "9")
        assert groups.topic_of.tolist() == [0, 1, 1]
        expected = {"10 ann": {"a": 2.0}, "9 ann": {"a": -1.0}, "9 bob": {"b": 1.0, "a": 0.0}}
        assert groups.qrels.to_dict() == expected
        assert list(groups.qrels.topics) == list(expected)
        assert groups.qrels.where == str(path)
        assert read_judgment_groups(groups) is groups

    def test_judgment_groups_are_evaluated_as_topics(self) -> None:
        """AP of ann: (1/1 + 2/3) / 2; of bob: (1/2) / 1."""
        judged = [("t", "ann", "a", 1), ("t", "ann", "c", 1), ("t", "bob", "b", 2)]
        groups = read_judgment_groups(judged)
        run = {topic: ["a", "b", "c"] for topic in groups.qrels.topics}
        found = cf.evaluate(groups.qrels, run, "AP")
        assert found["run", "t ann", "AP"] == pytest.approx(5 / 6)
        assert found["run", "t bob", "AP"] == pytest.approx(1 / 2)


FIVE = "5: topic group subgroup doc level"
WRONG = {
    "": "no judgments in file",
    "# nothing\n\n": "no judgments in file",
    "t g s a": f":1: found 4 fields ('t g s a'), expected {FIVE}",
    "t g s a 1\n\nt g s b 1 x": f":3: found 6 fields ('t g s b 1 x'), expected {FIVE}",
    "t g s a 1\nt g s b x": ":2: found level 'x', expected a finite number",
    "t g s a 1\nt g s b nan": ":2: found level 'nan', expected a finite number",
    "# levels\nt g s a 1\nt g s b -1": ":3: found level -1, expected a number ≥ 0",
    "all g s a 1": ":1: found a topic named 'all', expected another name ('all' is the summary)",
    "t g s a 1\n#\nt g s b 2\nt g s a 1": ":4: duplicate document 'a' for topic t, group g, "
    "subgroup s (first on line 1)",
    "t g 1 a 0\nt g 1 b 1\n\nt g 2 a 2\nt g 2 b 1": ":1: found level 0 for document a, relevant "
    "in other subgroups of g, expected level 0 in all subgroups of the group or in none",
    "t g 1 a 2\nt g 1 b 1\nt g 2 b 2\nt g 2 a 1\nt h 1 b 1": ":4: found document b not below a, "
    "expected a preferred to b, as on other lines of group g",
    "t g 1 a 2\nt g 1 b 1\nt g 2 b 2\nt g 2 a 2": ":4: found document b not below a, "
    "expected a preferred to b, as on other lines of group g",
    "t g 1 a 2\nt g 1 b 1\nt g 2 b 2\nt g 2 c 1\nt g 3 c 2\nt g 3 a 1": ":6: found document b not "
    "below a, expected a preferred to b, as on other lines of group g",
}


class TestMistakes:
    @pytest.mark.parametrize("text", WRONG)
    def test_in_files(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "prefs"
        path.write_text(text)
        with pytest.raises(cf.InputError) as error:
            read_preferences(path)
        assert str(error.value).removeprefix(str(path)).removeprefix(": ") == WRONG[text]

    @pytest.mark.parametrize("text", [text for text in WRONG if ":" in WRONG[text]])
    def test_in_tuples(self, text: str) -> None:
        lines = [line.split() for line in text.splitlines() if line and line[0] != "#"]
        with pytest.raises(cf.InputError) as error:
            read_preferences(lines)
        problem = re.sub(r"^:\d+: | \(first on line \d+\)$", "", WRONG[text])
        assert str(error.value) == f"preferences: {problem}"

    def test_bytes_that_are_no_text(self, tmp_path: Path) -> None:
        path = tmp_path / "prefs"
        path.write_bytes(b"t g s a 1\nt g s \xff 1\n")
        with pytest.raises(cf.InputError, match=r":2: found bytes that are not UTF-8"):
            read_preferences(path)

    @pytest.mark.parametrize("given", [3, None, b"t g s a 1", {"t": {}}])
    def test_in_types(self, given: Any) -> None:
        with pytest.raises(cf.InputError, match="expected preferences as a path or tuples"):
            read_preferences(given)
        with pytest.raises(cf.InputError, match="expected judgments as a path or tuples"):
            read_judgment_groups(given)

    @pytest.mark.parametrize("row", [7, "t g s a 1", ("t", "g", "s", "a")])
    def test_in_rows(self, row: Any) -> None:
        with pytest.raises(cf.InputError, match=r"found \d fields? \('.*'\), expected 5: topic"):
            read_preferences([row])

    def test_in_names(self) -> None:
        with pytest.raises(cf.InputError, match=r"found format 'qrels', expected prefs or qrels_p"):
            read_preferences([("t", "g", "a", 1)], "qrels")
        for doc in (None, "", "a b", 0.5):
            with pytest.raises(cf.InputError, match=f"found doc {doc!r}, expected an identifier w"):
                read_preferences([("t", "g", "s", doc, 1)])

    def test_in_judgment_groups(self, tmp_path: Path) -> None:
        path = tmp_path / "qrels"
        path.write_text("t g a 1\nt h a 1\nt g b 1\nt g a 0\n")
        again = r":4: duplicate document 'a' for topic t, group g \(first on line 1\)"
        with pytest.raises(cf.InputError, match=again):
            read_judgment_groups(path)


# -- beside trec_eval -------------------------------------------------------------------------


def printed(directory: Path, *arguments: str) -> str:
    """What trec_eval 10 prints."""
    done = original([*arguments, "judged", "run"], directory)
    assert done.exit == 0, done.err
    return done.out


def by_topic(directory: Path, format: str, *options: str) -> dict[tuple[str, str], str]:
    """The same of each topic, and of all."""
    text = printed(directory, "-q", "-c", "-R", format, *options)
    lines = (line.split() for line in text.splitlines())
    return {(topic, name): value for name, topic, value in lines}


def some_files(seed: int, directory: Path, format: str) -> dict[str, dict[str, float]]:
    """Random judgments and a run, of which the lists are returned."""
    rng = random.Random(seed)  # noqa: S311
    lines, run = [], {}
    for topic in map(str, range(30)):
        docs = [f"d{i}" for i in range(rng.randint(1, 15))]
        for group in "ghi"[: rng.randint(1, 3)]:
            lowest = rng.choice([0, 0, 1])
            order = {doc: rng.randint(lowest, 4) for doc in docs}
            for subgroup in "123"[: rng.randint(1, 3) if format == "prefs" else 1]:
                for doc in rng.sample(docs, rng.randint(1, len(docs))):
                    ids = {"topic": topic, "group": group, "subgroup": subgroup, "doc": doc}
                    said = [ids[name] for name in FIELDS[format][:-1]]
                    lines.append(f"{' '.join(said)} {order[doc]}\n")
        if rng.random() < 0.9:
            listed = rng.sample([*docs, "x", "y", "z"], rng.randint(1, len(docs) + 3))
            run[topic] = {doc: float(rng.randint(0, 9)) for doc in listed}
    rng.shuffle(lines)
    (directory / "judged").write_text("".join(lines), newline="")
    ranked = [f"{t} Q0 {d} 0 {score} tag\n" for t, docs in run.items() for d, score in docs.items()]
    (directory / "run").write_text("".join(ranked), newline="")
    return run


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("format", ["prefs", "qrels_prefs"])
def test_preferences_beside_trec_eval(format: str, seed: int, tmp_path: Path) -> None:
    """Ties are broken by name, ascending here and nowhere else in trec_eval.

    Its two measures with R nonrelevant documents are what it says they are where there are some
    relevant documents, all of them found, and no more nonrelevant ones.
    """
    run = some_files(seed, tmp_path, format)
    theirs = by_topic(tmp_path, format, "-m", "all_prefs")
    preferences = read_preferences(tmp_path / "judged", format)
    as_described = 0
    for topic in preferences.topics:
        docs = run.get(topic, {})
        counts = count_preferences(preferences, topic, sorted(docs, key=lambda d: (-docs[d], d)))
        plain = all(max(group.N, 1) <= group.R for group in counts.groups)
        whole = plain and all(group.retrieved == len(group.places) for group in counts.groups)
        trusted = {"prefs_avgjg_Rnonrel": plain, "prefs_avgjg_Rnonrel_ret": whole}
        for name, measure in PRINTED.items():
            value = f"{measure(counts):.{0 if 'num' in name else 4}f}"
            assert theirs[topic, name] == value, (topic, name)
            if trusted.get(name, True):
                assert measure(counts) == MEASURES[name](counts)
                as_described += 1
    assert as_described > 12 * len(preferences.topics)


@pytest.mark.parametrize("seed", range(4))
def test_judgment_groups_beside_trec_eval(seed: int, tmp_path: Path) -> None:
    run = some_files(seed, tmp_path, "qrels_jg")
    theirs = by_topic(tmp_path, "qrels_jg", "-m", "map_avgjg", "-m", "P_avgjg.3,10")
    groups = read_judgment_groups(tmp_path / "judged")
    names = [groups.topics[i] for i in groups.topic_of]
    lists = {key: run.get(name, {}) for key, name in zip(groups.qrels.topics, names, strict=True)}
    measures = {"map_avgjg": "AP", "P_avgjg_3": "P@3", "P_avgjg_10": "P@10"}
    found = cf.evaluate(groups.qrels, lists, list(measures.values()))
    for topic in groups.topics:
        mine = [key for key, name in zip(groups.qrels.topics, names, strict=True) if name == topic]
        for name, measure in measures.items():
            values = [found["run", key, measure] for key in mine]
            mean = sum(0.0 if math.isnan(value) else value for value in values) / len(mine)
            assert theirs[topic, name] == f"{mean:.4f}", (topic, name)


SHARED = {
    "prefs": (*MEASURES, "all_prefs"),
    "qrels_prefs": (*MEASURES, "all_prefs"),
    "qrels_jg": ("map_avgjg", "P_avgjg", "P_avgjg.3,1,12", "Rprec_mult_avgjg.0.5,1,3"),
}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("format", SHARED)
def test_the_command_beside_trec_eval(
    format: str,
    seed: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Byte for byte, whatever the options."""
    some_files(seed, tmp_path, format)
    rng = random.Random(seed)  # noqa: S311
    options = [f"-{letter}" for letter in "qnJ" if rng.random() < 0.5]
    options += [f"-{letter}{rng.randint(1, 6)}" for letter in "Ml" if rng.random() < 0.5]
    asked = rng.sample([*SHARED[format], "runid", "num_q"], rng.randint(1, 4))
    arguments = ["-c", "-R", format, *options, *(f"-m{measure}" for measure in asked)]
    theirs = printed(tmp_path, *arguments)
    monkeypatch.chdir(tmp_path)
    assert main(["trec_eval", *arguments, "judged", "run"]) == 0
    assert capsys.readouterr().out == theirs, arguments
