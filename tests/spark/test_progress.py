"""Tasks are counted while Spark works, and nobody counts when it has ended."""

from __future__ import annotations

import re
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from cranfield.cli import progress as bars
from cranfield.cli.main import main
from cranfield.spark import progress
from cranfield.spark.engine import evaluate, scores
from cranfield.spark.progress import Jobs, TasksDone, report_progress


class Context:
    """What Spark knows of jobs: one was there before; of the second, one stage is left out."""

    def __init__(self, group: str | None = None) -> None:
        self.group, self.jobs, self.done = group, {1: [10]}, 0

    @property
    def sparkContext(self) -> Context:
        return self

    def statusTracker(self) -> Context:
        return self

    def getLocalProperty(self, name: str) -> str | None:
        return self.group if name == "spark.jobGroup.id" else None

    def getJobIdsForGroup(self, group: str | None) -> list[int]:
        return [*self.jobs] if group == self.group else []

    def getJobInfo(self, job: int) -> Any:
        return SimpleNamespace(stageIds=self.jobs[job]) if self.jobs[job] else None

    def getStageInfo(self, stage: int) -> Any:
        known = {10: (0, 5, 5), 20: (1, self.done, 4), 21: (2, 0, 2), 22: (0, 0, 16)}
        names = ("numActiveTasks", "numCompletedTasks", "numTasks")
        if stage not in known:
            return None
        return SimpleNamespace(**dict(zip(names, known[stage], strict=True)))


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("py4j")
    monkeypatch.setattr(progress, "INTERVAL", 0.01)


def watchers() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("cranfield-progress")]


def waited_for(told: list[Any], number: int) -> None:
    for _ in range(500):
        if len(told) >= number:
            return
        time.sleep(0.01)


@pytest.mark.parametrize("group", [None, "mine"])
def test_tasks_of_the_jobs_that_began_meanwhile(group: str | None) -> None:
    spark = Context(group)
    told: list[TasksDone] = []
    with report_progress(spark, "counting", told.append):
        spark.jobs |= {2: [20, 21, 22, 99], 3: [20], 4: []}
        waited_for(told, 1)
        spark.done = 3
        waited_for(told, 2)
        assert watchers()
    assert [(one, one.done, one.tasks) for one in told] == [("counting", 0, 6), ("counting", 3, 6)]
    assert not watchers()


def test_nobody_counts_after_an_error() -> None:
    spark, told = Context(), list[TasksDone]()
    with pytest.raises(KeyboardInterrupt), report_progress(spark, "counting", told.append):
        raise KeyboardInterrupt
    assert not watchers()
    spark.jobs[2] = [20]
    time.sleep(0.05)
    assert not told


def test_those_who_are_told_may_fail() -> None:
    spark = Context()

    def fail(told: TasksDone) -> None:
        raise ValueError(told)

    def works() -> None:
        with report_progress(spark, "counting", fail):
            spark.jobs[2] = [20]
            time.sleep(0.05)

    with pytest.raises(ValueError, match="counting"):
        works()
    assert not watchers()


def test_java_that_has_ended_is_for_others_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(self: Jobs) -> tuple[int, int]:
        raise ConnectionRefusedError

    monkeypatch.setattr(Jobs, "count_tasks", ended)
    told: list[TasksDone] = []
    with report_progress(Context(), "counting", told.append):
        time.sleep(0.05)
    assert not told


@pytest.mark.parametrize("spark", [Context(), object()])
def test_nothing_is_watched(spark: Any) -> None:
    """Nobody wants to know, or a session of Spark Connect does not."""
    told: list[TasksDone] = []
    with report_progress(spark, "counting", None if isinstance(spark, Context) else told.append):
        assert not watchers()
    assert not told


# -- with Spark -----------------------------------------------------------------------------------

QRELS = {"q1": {"d1": 1, "d2": 0}}
ROWS = [("q1", f"d{n}", float(n // 2)) for n in range(50)]


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    rows = spark.createDataFrame(ROWS, "topic string, doc string, score double").repartition(3)
    return rows.mapInArrow(slowly, rows.schema)


def slowly(batches: Any) -> Any:
    time.sleep(0.2)
    yield from batches


@pytest.mark.slow
def test_every_pass_is_told(frame: Any) -> None:
    told: list[Any] = []
    found = scores(QRELS, frame, "AP", progress=told.append)
    assert [*dict.fromkeys(told)][:2] == ["finding judged documents", "counting ranks"]
    assert found.notes
    assert told[-1] == "counting ties"
    assert all(0 <= one.done <= one.tasks for one in told)
    assert len({one.done for one in told}) > 1
    told.clear()
    evaluate(QRELS, frame, "AP", progress=told.append)
    assert [*dict.fromkeys(told)] == ["finding judged documents", "counting ranks"]
    assert not watchers()


@pytest.mark.slow
def test_the_command_shows_it(
    spark: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal only; the line is empty when the table comes."""
    assert spark is not None
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 2 r\n")
    command = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run"), "--engine", "spark"]
    monkeypatch.setattr(bars, "DELAY", 0.0)
    monkeypatch.setattr(bars, "INTERVAL", 0.0)
    assert main(command) == 0
    plain = capsys.readouterr()
    assert "task" not in plain.err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(command) == 0
    shown = capsys.readouterr()
    assert shown.out == plain.out
    lines = shown.err.split("\r")
    bar = r"(finding judged documents|counting ranks|measuring) [━─]{24} \d+ of \d+ tasks?"
    assert any(re.match(bar, line) for line in lines)
    assert lines[-2].strip() == lines[-1] == ""
    assert main([*command[:3], "--engine", "spark", "--errors", "json"]) == 0
    assert capsys.readouterr().err == ""
    assert not watchers()
