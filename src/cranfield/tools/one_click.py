"""NTCIREVAL's ``1click``: measures of a text by its nuggets, and the scripts for many runs."""

from __future__ import annotations

import os
from collections.abc import Mapping

from cranfield.data.ntcir.nev import build_topic_path
from cranfield.data.ntcir.topic_dirs import OTHER_SUFFIXES
from cranfield.data.reading.cells import iter_lines
from cranfield.data.reading.lines import parse_finite, split_fields, truncate_text
from cranfield.data.texts import MATCHES, SYSLEN, Match, NuggetText, read_mat, read_nug, read_nuggets
from cranfield.errors import InputError
from cranfield.measures import texts
from cranfield.scores import Note
from cranfield.tools.drop_ins import join_lines, make_topic_notes
from cranfield.tools.ntcir import Batch, FileTexts, Names, make_tid_path, split, to_names
from cranfield.tools.ntcir_eval import format_result

MAT = "mat"  # Extension of the matches of a topic.
RESULTS = "1cl"  # Extension of the results of a run.

# -- one text -------------------------------------------------------------------------------------


def one_click(
    nuggets: Mapping[str, NuggetText],
    matches: Mapping[str, Match],
    length: int,
    *,
    L: int,
    beta: float = 1.0,
    prefix: str = "",
    verbose: bool = False,
    location: str | None = None,
) -> str:
    """Return the measures of a text of this length, one line each, with three decimals.

    `location` is the source of the nuggets in messages.

    >>> sizes = {"N1": (3, 10), "N2": (1, 5), "N3": (3, 5)}
    >>> nuggets = {name: NuggetText(w, length, None) for name, (w, length) in sizes.items()}
    >>> matches = {"N1": Match(100, None), "N2": Match(50, None)}
    >>> print(one_click(nuggets, matches, 500, L=500), end="")  # NTCIREVAL's example
     #nuggets= 3 #matched= 2 #syslen= 500
     Recall=              0.667
     W-recall=            0.571
     S-measure=           0.482
     S-flat=              0.482
     T-measure=           0.030
     T-flat=              0.030
     F-flat=              0.056
    """
    x = texts.Answer(
        texts.Words(()),
        length,
        nuggets={name: texts.Nugget(vital.weight, vital.length) for name, vital in nuggets.items()},
        ends={name: match.offset for name, match in matches.items()},
    )
    S = texts.Smeasure(L=L)
    if not S.compute_maximum(x):
        first = min(x.ideal.values())
        raise InputError(f"-L {L}", f"more than {first}: no nugget can end before", location)
    measures: dict[str, texts.NuggetMeasure] = {
        "Recall": texts.NuggetRecall(),
        "W-recall": texts.WRecall(),
        "S-measure": S,
        "S-flat": texts.Sflat(L=L),
        "T-measure": texts.Tmeasure(),
        "T-flat": texts.Tflat(),
        "F-flat": texts.Ssharp(beta=beta, L=L),
    }
    lines = _format_steps(x, S) if verbose else []
    counts = f"#nuggets= {len(nuggets)} #matched= {len(matches)} #syslen= {length}"
    lines.append(f"{prefix} {counts}")
    lines += [format_result(prefix, name, m.score(x), decimals=3) for name, m in measures.items()]
    return join_lines(lines)


def _format_steps(x: texts.Answer, S: texts.Smeasure) -> list[str]:
    """Format the output of -v: the pseudo minimal output, its gain, and the matched nuggets."""
    ideal = ((name, x.nuggets[name], end) for name, end in x.ideal.items())
    return [
        *(f"#{name} w= {n.weight:f} vl= {n.length} offset*= {end}" for name, n, end in ideal),
        f"#wrec_denom= {x.sum_weights(x.ideal):f} S-measure_denom= {S.compute_maximum(x):f}",
        *(f"#matched={name} w={x.nuggets[name].weight:f} offset={end}"
          for name, end in x.ends.items()),
    ]  # fmt: skip


def find_beyond_end(matches: Mapping[str, Match], length: int) -> list[str]:
    """Return the nuggets matched beyond the end of a text, which the program accepts."""
    return [name for name, match in matches.items() if match.offset > length]


# -- files of topics ------------------------------------------------------------------------------


def split_nuggets(nuggets: str, suffix: str, directory: str = "") -> FileTexts:
    """Nuggets to a directory for each topic.

    Write TOPIC/TOPIC.SUFFIX, the nuggets of each topic, and NUGGETS.tid, the list of topics.
    """
    tid = make_tid_path(nuggets)
    if suffix in OTHER_SUFFIXES:
        raise InputError(f"suffix {suffix!r}", "another, such as test.nug")
    by_topic = read_nuggets(nuggets).by_topic
    files = {tid: join_lines(by_topic)}
    for topic, of_topic in by_topic.items():
        lines = (
            f"{_check_name(name, nuggets)} {repr(vital.weight).removesuffix('.0')} {vital.length}\n"
            for name, vital in of_topic.items()
        )
        files[build_topic_path(topic, suffix, directory)] = "".join(sorted(lines))
    return files, []


def split_matches(topics: Names, runs: Names = "-", directory: str = "") -> FileTexts:
    """Nuggets found in texts to the directories of topics.

    Write TOPIC/TOPIC.RUN.mat, the length of each topic's text and where nuggets end in it, the
    first time. RUN is the file's name.
    """

    def format_matches(offsets: Mapping[str, int], path: str) -> str:
        pairs = [(_check_name(name, path), end) for name, end in offsets.items() if name != SYSLEN]
        lines = sorted(f"{name} {end}\n" for name, end in pairs)
        return "".join([f"{SYSLEN} {offsets[SYSLEN]}\n", *lines])

    return split(to_names(runs), to_names(topics), MAT, directory, _read_first_matches, format_matches)


def _read_first_matches(path: str) -> tuple[str, dict[str, dict[str, int]]]:
    """Return the run's name and the first end of each nugget by topic (``syslen=``: length)."""
    by_topic: dict[str, dict[str, int]] = {}
    for line in iter_lines(path, MATCHES, path):
        topic, nugget, value = line.get_name("topic"), line.get_name("nugget"), line.cells["offset"]
        number = parse_finite(value)
        if number is None or number < 0 or number % 1:
            noun = "length" if nugget == SYSLEN else "offset"
            raise line.make_error(f"{noun} {truncate_text(str(value))}", "an integer ≥ 0")
        of_topic = by_topic.setdefault(topic, {})
        if nugget == SYSLEN and SYSLEN in of_topic:
            raise line.make_error(f"a second length of topic {topic}", "one length")
        of_topic[nugget] = min(int(number), of_topic.get(nugget, int(number)))
    for topic, of_topic in by_topic.items():
        if SYSLEN not in of_topic:
            raise InputError(f"no length of topic {topic}", f"{topic} {SYSLEN} length", path)
    return os.path.basename(path), by_topic


def _check_name(name: str, path: str) -> str:
    """Return the name of a nugget. Raise an error if it cannot be a field."""
    if len(split_fields(name, None)) != 1:
        raise InputError.from_problem(f"nugget {name!r} contains a space", "", path)
    return name


# -- all topics of many runs ----------------------------------------------------------------------


def evaluate_texts(batch: Batch, suffix: str, L: int, beta: float = 1.0) -> FileTexts:
    """Compute measures of nuggets matched in the texts of all topics of many runs.

    Write RUN.NAME.1cl, the results of all topics: the output of ntcir_eval 1click.
    """
    separator, sources = batch.separator, batch.get_sources(suffix)
    nuggets = {topic: read_nug(source, separator) for topic, source in sources.items()}
    files: dict[str, str] = {}
    notes: list[Note] = []
    for run in batch.runs:
        match_files, run_notes = batch.find_files(run, MAT, "texts")
        notes += run_notes
        text, odd = "", []
        for topic, of_topic in nuggets.items():
            length, matches = 0, dict[str, Match]()
            if topic in match_files:
                length, matches = read_mat(match_files[topic], of_topic, separator)
            if find_beyond_end(matches, length):
                odd.append(topic)
            location = sources[topic].name
            text += one_click(of_topic, matches, length, L=L, beta=beta, prefix=topic, location=location)
        prefix = f"{run}: nuggets found beyond the end of the text of "
        notes += make_topic_notes("offsets", odd, prefix, "", run)
        files[f"{run}.{batch.name}.{RESULTS}"] = text
    return files, notes
