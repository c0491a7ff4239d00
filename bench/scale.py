"""Time and memory of an evaluation, from 1 to 100 million lines.

    make bench-scale              all sizes: prints the table, draws docs/figures/scale.svg
    python bench/scale.py 1 10    only so many million lines, and no picture

Runs are text, text packed by gzip, Parquet, and text in the order of ranks, whose topics are
scattered. 100 million lines need 10 GB in the directory for temporary files (TMPDIR). Seconds are
those of processors, of which there may be several: a busy machine changes them less than those of a
clock. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench import CRANFIELD, MEASURES, PYTHON, Cost, Result, cost, versions

SIZES = (1, 3, 10, 30, 100)  # million lines
DEPTH = 1000
FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "scale.svg"
LINE = b"000000 Q0 D0000000000 0000 0000.5 sys\n"
FIELDS = {"topic": slice(0, 6), "doc": slice(11, 21), "rank": slice(22, 26), "score": slice(27, 31)}
JUDGED = (3, 57, 610)  # ranks
FORMS = ("text", "gzip", "Parquet", "scattered topics")

TO_PARQUET = """
import sys, polars as pl
names = ["topic", "q0", "doc", "rank", "score", "tag"]
layout = {"separator": " ", "has_header": False, "infer_schema": False, "new_columns": names}
text = pl.scan_csv(sys.argv[1], **layout)
numbers = pl.col("rank").cast(pl.Int64), pl.col("score").cast(pl.Float64)
text.select("topic", "doc", *numbers, "tag").sink_parquet(sys.argv[2], maintain_order=True)
"""


def lines(topic: Any, rank: Any) -> bytes:
    """The lines of topics and ranks, from 0: ids of documents have no order."""
    made = np.tile(np.frombuffer(LINE, dtype=np.uint8), (len(topic), 1))
    doc = (topic * DEPTH + rank) * 2_654_435_761 % 10_000_000_000
    numbers = {"topic": topic, "doc": doc, "rank": rank + 1, "score": DEPTH - rank}
    for name, number in numbers.items():
        for place in range(FIELDS[name].start, FIELDS[name].stop):
            digit = number // 10 ** (FIELDS[name].stop - 1 - place) % 10
            made[:, place] += digit.astype(np.uint8)
    return made.tobytes()


def pieces(topics: int, scattered: bool, size: int = 200_000) -> Iterator[bytes]:
    """All lines, by topic or by rank."""
    for begin in range(0, topics * DEPTH, size):
        row = np.arange(begin, min(begin + size, topics * DEPTH))
        yield lines(row % topics, row // topics) if scattered else lines(row // DEPTH, row % DEPTH)


def judgments(topics: int) -> Iterator[str]:
    """Of each topic three documents."""
    topic, rank = np.repeat(np.arange(topics), len(JUDGED)), np.tile(JUDGED, topics)
    for level, line in enumerate(lines(topic, rank).decode().splitlines()):
        name, _, doc, *_ = line.split()
        yield f"{name} 0 {doc} {1 + level % 2}\n"


def write(directory: str, form: str, topics: int) -> None:
    """Judgments, and a run in one of the forms."""
    Path(directory, "qrels").write_text("".join(judgments(topics)))
    opened = partial(gzip.open, compresslevel=1) if form == "gzip" else open
    with opened(Path(directory, form), "wb") as file:
        file.writelines(pieces(topics, form.startswith("scattered")))


def measured(millions: int) -> Iterator[tuple[str, Cost]]:
    """What an evaluation of so many lines takes, in each form."""
    topics, rounds = millions * 1_000_000 // DEPTH, 3 if millions < 10 else 1
    with tempfile.TemporaryDirectory() as directory:
        for form in FORMS:
            qrels, text, run = (str(Path(directory, name)) for name in ("qrels", "text", form))
            # In processes of their own: a child's peak memory begins at ours.
            if form == "Parquet":
                cost([PYTHON, "-c", TO_PARQUET, text, run])
                Path(text).unlink()
            else:
                cost([PYTHON, __file__, "write", directory, form, str(topics)])
            files = qrels, run
            costs = [cost([*CRANFIELD, *files, "-m", MEASURES]) for _ in range(rounds)]
            if form != "text":  # of which Parquet is made
                Path(run).unlink()
            yield form, Cost(*(median(column) for column in zip(*costs, strict=True)))


def results(found: dict[tuple[str, int], Cost]) -> Iterator[Result]:
    """What there are targets for."""
    last = max(millions for _, millions in found)
    for form in FORMS:
        if (form, 10) in found and last > 10:
            times = found[form, last].processor / found[form, 10].processor
            name, most = f"{form}: {last} million lines, 10 of them", 1.05 * last / 10
            yield Result(name, times, most, "x the time")
        memory = found[form, last].megabytes
        yield Result(f"{form}: peak memory of {last} million lines", memory, 1024, "MB")


def draw(found: dict[tuple[str, int], Cost]) -> None:
    """The picture: seconds and megabytes against lines."""
    import polars as pl

    from cranfield.figures import charts, rank_charts
    from cranfield.figures.figure import Figure
    from cranfield.figures.theme import Theme

    look = Theme()
    rows = [{"line": form, "at": float(n), "seconds": c.processor, "MB": c.megabytes} for (form, n), c in found.items()]
    data = pl.DataFrame(rows)
    first, last = min(data["at"]), max(data["at"])
    named = rank_charts.NamedLines.from_values(dict.fromkeys(FORMS, 0.0), look, 2)

    def panel(column: str, title: str, style: dict[str, Any], ends: list[float] | None) -> Any:
        x = rank_charts.build_rank_axis(first, last, "million lines", look)
        y = charts.build_axis("y", "value", title, ends, style)
        of = data.with_columns(value=pl.col(column))
        return rank_charts.draw_panel(of, named, x, y, charts.build_number_tooltips("at", column, format=".4~g"), look)

    log = {"type": "log", "zero": False}
    both = [
        panel("seconds", "seconds of processors (log scale)", log, None),
        panel("MB", "MB at the most", {}, None),
    ]
    picture = Figure(lambda: rank_charts.combine_panels(both, 2, look, []), data)
    picture.save(FIGURE)


def main(asked: list[str]) -> int:
    """Measure, print, draw; or write what is measured."""
    if asked[:1] == ["write"]:
        _, directory, form, topics = asked
        write(directory, form, int(topics))
        return 0
    sizes = tuple(map(int, asked)) or SIZES
    print(f"Measured on {versions()}.\n\n| million lines | {' | '.join(FORMS)} |")
    print("|---:|" + "---:|" * len(FORMS), flush=True)
    found: dict[tuple[str, int], Cost] = {}
    for millions in sizes:
        taken = dict(measured(millions))
        found |= {(form, millions): one for form, one in taken.items()}
        cells = (f"{one.processor:.1f} s, {one.megabytes:.0f} MB" for one in taken.values())
        print(f"| {millions} | {' | '.join(cells)} |", flush=True)
    if sizes == SIZES:
        draw(found)
    every = list(results(found))
    print("", *every, sep="\n")
    return 0 if all(result.met for result in every) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
