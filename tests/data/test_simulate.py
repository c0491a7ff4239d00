"""The simulated collection is realistic, the same everywhere, and survives its files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from statistics import mean

import pytest

from cranfield.data.simulate import Collection, simulate
from cranfield.errors import CranfieldError

Scores = dict[str, float]


@pytest.fixture(scope="module")
def collection() -> Collection:
    return simulate()


@pytest.fixture(scope="module")
def diversity() -> Collection:
    return simulate(topics=8, runs=4, depth=100, intents=5)


def ranking(scores: Scores) -> list[str]:
    """As trec_eval orders it: by score, ties by document id, both descending."""
    return sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)


def precision_at_10(collection: Collection, tag: str) -> dict[str, float]:
    run = collection.runs[tag]
    return {
        topic: sum(levels.get(doc, 0) > 0 for doc in ranking(run.get(topic, {}))[:10]) / 10
        for topic, levels in collection.qrels.items()
    }


def tied_share(scores: Scores) -> float:
    return 1 - len(set(scores.values())) / len(scores)


def written(collection: Collection, directory: Path) -> dict[str, bytes]:
    paths = collection.write(directory)
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in paths}


# The same everywhere


def test_simulate_same_seed_gives_same_collection() -> None:
    first = simulate(topics=5, runs=5, depth=50, intents=3, seed=1)
    assert first == simulate(topics=5, runs=5, depth=50, intents=3, seed=1)
    other = simulate(topics=5, runs=5, depth=50, intents=3, seed=2)
    assert first.qrels != other.qrels
    assert all(first.runs[tag] != other.runs[tag] for tag in first.runs)
    assert first.intent_probabilities != other.intent_probabilities


def test_write_files_are_byte_identical(tmp_path: Path) -> None:
    digest = hashlib.sha256()
    for name, content in written(simulate(topics=12, depth=100, intents=4), tmp_path).items():
        digest.update(name.encode() + b"\0" + content)
    assert digest.hexdigest() == "9a56eccba2dee84e1fd45a38cd7338c56061c726823571acaaa83d7784cc7865"


def test_simulate_more_topics_keep_earlier_topics() -> None:
    few, many = simulate(topics=3, depth=50, intents=3), simulate(topics=12, depth=50, intents=3)
    for topic in few.qrels:
        assert many.qrels[topic] == few.qrels[topic]
        assert many.intents is not None
        assert few.intents is not None
        assert many.intents[topic] == few.intents[topic]
        for tag, run in few.runs.items():
            assert many.runs[tag].get(topic) == run.get(topic)


def test_simulate_more_runs_and_intents_only_add() -> None:
    few, many = simulate(topics=5, runs=2, depth=50), simulate(topics=5, depth=50, intents=3)
    assert list(many.runs)[:2] == list(few.runs)
    assert all(many.runs[tag] == run for tag, run in few.runs.items())
    for topic, levels in few.qrels.items():
        assert levels.items() < many.qrels[topic].items()


# Realistic


def test_simulate_names_and_sizes(collection: Collection) -> None:
    assert list(collection.qrels) == [str(101 + i) for i in range(50)]
    assert list(collection.runs) == [f"sys{i:02d}" for i in range(1, 13)]
    assert collection.intents is None
    assert collection.intent_probabilities is None
    documents = {doc for levels in collection.qrels.values() for doc in levels}
    assert {len(doc) for doc in documents} == {8}
    assert {doc[0] for doc in documents} == {"D"}
    sizes = {len(scores) for scores in collection.runs["sys01"].values()}
    assert sizes == {1000}


@pytest.mark.parametrize("seed", [1, 7, 99])
def test_simulate_no_system_wins_every_topic(seed: int) -> None:
    collection = simulate(seed=seed, depth=100)
    precisions = {tag: precision_at_10(collection, tag) for tag in collection.runs}
    strength = {tag: mean(by_topic.values()) for tag, by_topic in precisions.items()}
    assert max(strength.values()) - min(strength.values()) > 0.12
    assert max(strength.values()) < 0.8
    assert min(strength.values()) > 0.05
    assert list(strength) != sorted(strength, key=lambda tag: strength[tag])
    assert list(strength) != sorted(strength, key=lambda tag: -strength[tag])
    best = max(strength, key=lambda tag: strength[tag])
    assert any(precisions[tag][topic] > precisions[best][topic] for tag in precisions for topic in collection.qrels)
    difficulty = [mean(p[topic] for p in precisions.values()) for topic in collection.qrels]
    assert max(difficulty) - min(difficulty) > 0.3


def test_simulate_few_documents_are_highly_relevant(collection: Collection) -> None:
    levels = [level for judged in collection.qrels.values() for level in judged.values()]
    counts = [levels.count(level) for level in range(4)]
    assert sum(counts) == len(levels)
    assert counts == sorted(counts, reverse=True)
    assert counts[3] > 0


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_simulate_levels_cover_scale(levels: int) -> None:
    judged = simulate(topics=60, runs=3, depth=100, levels=levels).qrels
    assert {level for of in judged.values() for level in of.values()} == set(range(levels + 1))


def test_simulate_number_of_relevant_documents_varies(collection: Collection) -> None:
    relevant = sorted(sum(level > 0 for level in levels.values()) for levels in collection.qrels.values())
    assert relevant[0] >= 1
    assert relevant[-1] > 8 * relevant[2]


@pytest.mark.parametrize("seed", range(5))
def test_simulate_pool_depth_one_has_relevant_documents(seed: int) -> None:
    collection = simulate(topics=40, runs=1, depth=5, pool_depth=1, seed=seed)
    assert all(max(levels.values()) >= 1 for levels in collection.qrels.values())
    assert all(len(levels) <= 2 for levels in collection.qrels.values())


def test_simulate_judgments_equal_pool(collection: Collection) -> None:
    contributing = [tag for tag in collection.runs if tag not in ("sys06", "sys11")]
    for topic, levels in collection.qrels.items():
        pool = {doc for tag in contributing for doc in ranking(collection.runs[tag].get(topic, {}))[:50]}
        assert pool <= set(levels)
        assert len(set(levels) - pool) <= 1  # the one the assessor knew


def test_simulate_runs_have_unjudged_documents(collection: Collection) -> None:
    at_10 = {}
    for tag, run in collection.runs.items():
        unjudged = [[doc not in collection.qrels[topic] for doc in ranking(scores)] for topic, scores in run.items()]
        assert any(any(flags) for flags in unjudged), tag
        assert all(not all(flags) for flags in unjudged), tag
        at_10[tag] = mean(mean(flags[:10]) for flags in unjudged)
    assert {tag for tag, share in at_10.items() if share > 0} == {"sys06", "sys11"}


def test_simulate_some_runs_have_many_ties(collection: Collection) -> None:
    ties = {tag: mean(tied_share(scores) for scores in run.values()) for tag, run in collection.runs.items()}
    assert {tag for tag, share in ties.items() if share > 0.5} == {"sys03", "sys08"}
    assert sum(share < 0.02 for share in ties.values()) == 10


@pytest.mark.parametrize("seed", range(5))
def test_simulate_some_runs_miss_topics(seed: int) -> None:
    collection = simulate(depth=10, seed=seed)
    missing = {tag: 50 - len(run) for tag, run in collection.runs.items()}
    assert {tag for tag, n in missing.items() if n} == {"sys04", "sys09"}
    assert all(n <= 2 for n in missing.values())


def test_simulate_some_rankings_are_short(collection: Collection) -> None:
    short = {tag for tag, run in collection.runs.items() if min(map(len, run.values())) < 1000}
    assert short == {"sys07", "sys10"}
    assert all(len(scores) >= 1 for run in collection.runs.values() for scores in run.values())


def test_simulate_scores_have_expected_ranges(collection: Collection) -> None:
    def span(tag: str) -> tuple[float, float]:
        scores = [s for by_doc in collection.runs[tag].values() for s in by_doc.values()]
        return min(scores), max(scores)

    low, high = span("sys01")
    assert 0 < low < 15 < high < 40  # BM25
    low, high = span("sys02")
    assert 0 < low < 0.5 < high < 1  # cosine
    low, high = span("sys04")
    assert -20 < low < -8 < high < 0  # log-likelihood


def test_simulate_scores_have_at_most_six_decimals(collection: Collection) -> None:
    for run in collection.runs.values():
        assert all(s == round(s, 6) for scores in run.values() for s in scores.values())


# Files


def test_write_files_can_be_read(diversity: Collection, tmp_path: Path) -> None:
    files = {
        name: [line.split(" ") for line in content.decode().splitlines()]
        for name, content in written(diversity, tmp_path / "new" / "directory").items()
    }
    assert set(files) == {
        "qrels.txt",
        "qrels.intents.txt",
        "intents.txt",
        *(f"runs/sys{i:02d}.txt" for i in range(1, 5)),
    }

    qrels: dict[str, dict[str, int]] = {}
    for topic, zero, doc, level in files["qrels.txt"]:
        assert zero == "0"
        assert qrels.setdefault(topic, {}).setdefault(doc, int(level)) == int(level)
    assert qrels == diversity.qrels
    assert list(qrels) == sorted(qrels, key=int)

    for tag, run in diversity.runs.items():
        parsed: dict[str, Scores] = {}
        for topic, q0, doc, _, score, name in files[f"runs/{tag}.txt"]:
            assert (q0, name) == ("Q0", tag)
            parsed.setdefault(topic, {})[doc] = float(score)
        assert parsed == run
        assert list(parsed) == sorted(parsed, key=int)

    intents: dict[str, dict[str, dict[str, int]]] = {}
    for topic, intent, doc, level in files["qrels.intents.txt"]:
        intents.setdefault(topic, {}).setdefault(intent, {})[doc] = int(level)
    assert intents == diversity.intents

    probabilities: dict[str, dict[str, float]] = {}
    for topic, intent, probability in files["intents.txt"]:
        probabilities.setdefault(topic, {})[intent] = float(probability)
    assert probabilities == diversity.intent_probabilities


def test_write_ranks_follow_trec_eval(tmp_path: Path) -> None:
    collection = simulate(topics=4, depth=200)
    files = written(collection, tmp_path)
    out_of_order = set()
    for tag, run in collection.runs.items():
        ranks: dict[str, dict[str, int]] = {}
        for line in files[f"runs/{tag}.txt"].decode().splitlines():
            topic, _, doc, rank, _, _ = line.split(" ")
            ranks.setdefault(topic, {})[doc] = int(rank)
        for topic, by_doc in ranks.items():
            best_first = sorted(by_doc, key=lambda doc: by_doc[doc])
            assert best_first == ranking(run[topic])
            assert sorted(by_doc.values()) == list(range(1, len(run[topic]) + 1))
            if list(by_doc) != best_first:
                out_of_order.add(tag)
    assert out_of_order == {"sys05"}


def test_write_replaces_files(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("what was there before\n" * 10_000)
    paths = simulate(topics=2, runs=2, depth=10).write(str(tmp_path))
    assert sorted(paths) == sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert (tmp_path / "qrels.txt").read_text().startswith("101 0 D")


def test_write_impossible_directory_raises(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CranfieldError, match=r"cannot make .*file"):
        simulate(topics=1, runs=1, depth=1).write(tmp_path / "file")


# Intents


def test_simulate_intent_probabilities_sum_to_one(diversity: Collection) -> None:
    assert diversity.intent_probabilities is not None
    for probabilities in diversity.intent_probabilities.values():
        assert sum(round(p * 1_000_000) for p in probabilities.values()) == 1_000_000
        assert all(p > 0 and p == round(p, 6) for p in probabilities.values())


def test_simulate_topics_have_two_to_k_intents() -> None:
    probabilities = simulate(topics=60, runs=1, depth=10, intents=4).intent_probabilities
    assert probabilities is not None
    assert {tuple(of) for of in probabilities.values()} == {
        ("1", "2"),
        ("1", "2", "3"),
        ("1", "2", "3", "4"),
    }


def test_simulate_topic_level_is_highest_intent_level(diversity: Collection) -> None:
    assert diversity.intents is not None
    assert diversity.intent_probabilities is not None
    several = 0
    for topic, levels in diversity.qrels.items():
        by_intent = diversity.intents[topic]
        assert list(by_intent) == list(diversity.intent_probabilities[topic])
        assert all(list(of) == list(levels) for of in by_intent.values())
        for doc, level in levels.items():
            assert level == max(of[doc] for of in by_intent.values())
            several += sum(of[doc] > 0 for of in by_intent.values()) > 1
    assert several > 0


# Arguments


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("topics", 0),
        ("runs", 0),
        ("depth", 0),
        ("depth", 1_000_001),
        ("levels", 0),
        ("seed", -1),
        ("pool_depth", 0),
        ("intents", 1),
        ("intents", -2),
    ],
)
def test_simulate_argument_out_of_range_raises(name: str, value: int) -> None:
    with pytest.raises(CranfieldError, match=f"^found {name} {value}, expected ") as caught:
        simulate(**{name: value})
    assert isinstance(caught.value, ValueError)


def test_simulate_smallest_collection() -> None:
    collection = simulate(topics=1, runs=1, depth=1, levels=1, seed=0, pool_depth=1)
    assert [len(scores) for scores in collection.runs["sys01"].values()] == [1]
    assert 1 in collection.qrels["101"].values()


def test_repr_shows_size() -> None:
    made = simulate(topics=2, runs=1, seed=1)
    judged = sum(len(docs) for docs in made.qrels.values())
    assert repr(made) == f"Collection: 2 topics, {judged} judgments, 1 run"
