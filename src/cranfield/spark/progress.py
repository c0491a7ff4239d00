"""Progress of Spark in a pass, from the numbers of its tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any, Self, TypeAlias

from cranfield.data.reading.table import PartRead
from cranfield.dataclass import dataclass
from cranfield.spark.session import Spark

INTERVAL = 0.2  # seconds until tasks are counted again
GROUP = "spark.jobGroup.id"  # what jobs of a thread have in common


class TasksDone(PartRead):
    """The name of a pass, with the numbers of its completed and of all known tasks.

    >>> status = TasksDone("counting ranks", 12, 48)
    >>> status, status.done, status.tasks
    ('counting ranks', 12, 48)
    """

    done: int
    tasks: int

    def __new__(cls, name: str, done: int, tasks: int) -> Self:
        instance = super().__new__(cls, name, 0, 0)  # lines are not counted
        instance.done, instance.tasks = done, tasks
        return instance


Progress: TypeAlias = Callable[[TasksDone], None]


@contextmanager
def report_progress(spark: Spark, name: str, progress: Progress | None) -> Iterator[None]:
    """Call `progress` whenever more tasks of Spark are completed or known in the block."""
    context = None if progress is None else _get_context(spark)
    if progress is None or context is None:
        yield
        return
    ended, reporter = Event(), _ProgressReporter(Jobs.from_context(context), name, progress)
    with ThreadPoolExecutor(1, "cranfield-progress") as pool:
        future = pool.submit(reporter.run_until, ended)
        try:
            yield
        finally:
            ended.set()
        future.result()  # or raises the error of `progress`
    reporter.report()  # once at least, however quick the pass was


def _get_context(spark: Spark) -> Any:
    """Return the context with the tasks, or None for a session of Spark Connect."""
    try:
        return spark.sparkContext
    except Exception:  # PySpark's own, of several kinds
        return None


@dataclass(frozen=True, eq=False)
class Jobs:
    """Jobs that start after now in the Spark job group of this thread."""

    tracker: Any
    group: str | None
    earlier_ids: frozenset[int]

    @classmethod
    def from_context(cls, context: Any) -> Jobs:
        """From now on."""
        tracker, group = context.statusTracker(), context.getLocalProperty(GROUP)
        return cls(tracker, group, frozenset(tracker.getJobIdsForGroup(group)))

    def count_tasks(self) -> tuple[int, int]:
        """Return the numbers of completed and of all tasks in active stages. Other stages can be
        results of an earlier job, and are skipped then.
        """
        ids = {*self.tracker.getJobIdsForGroup(self.group)} - self.earlier_ids
        jobs = [job for identifier in ids if (job := self.tracker.getJobInfo(identifier)) is not None]
        stages = [self.tracker.getStageInfo(identifier) for identifier in {x for job in jobs for x in job.stageIds}]
        active_stages = [stage for stage in stages if stage and stage.numActiveTasks + stage.numCompletedTasks]
        return sum(stage.numCompletedTasks for stage in active_stages), sum(stage.numTasks for stage in active_stages)


@dataclass
class _ProgressReporter:
    """Reports the progress of jobs."""

    jobs: Jobs
    name: str
    progress: Progress
    last: tuple[int, int] = (0, 0)

    def run_until(self, ended: Event) -> None:
        """Poll until the event is set."""
        while not ended.wait(INTERVAL):
            self.report()

    def report(self) -> None:
        """Once."""
        from py4j.protocol import Py4JError

        try:
            now = self.jobs.count_tasks()
        except (Py4JError, OSError):  # Java has ended. Another thread reports the reason.
            return
        if now != self.last:
            self.last = now
            self.progress(TasksDone(self.name, *now))
