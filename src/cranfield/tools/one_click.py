"""What ``ntcir_eval 1click`` prints: one text, by the nuggets that it should hold; and the scripts
around it, which do so for all topics of many runs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from cranfield.data.ntcir.nev import topic_file
from cranfield.data.ntcir.topic_dirs import MADE
from cranfield.data.reading.cells import lines_of
from cranfield.data.reading.lines import fields_of, finite, short
from cranfield.data.texts import MATCHES, SYSLEN, Match, Vital, read_mat, read_nug, read_nuggets
from cranfield.errors import InputError
from cranfield.measures import texts
from cranfield.scores import Notice
from cranfield.tools.drop_ins import about_topics, text_of
from cranfield.tools.ntcir import Batch, Made, Names, names, split, tid_file
from cranfield.tools.ntcir_eval import result

MAT = "mat"  # how the matches of a topic end,
RESULTS = "1cl"  # and the results of a run

# -- one text -------------------------------------------------------------------------------------


def one_click(
    nuggets: Mapping[str, Vital],
    matches: Mapping[str, Match],
    length: int,
    *,
    L: int,
    beta: float = 1.0,
    prefix: str = "",
    verbose: bool = False,
    where: str | None = None,
) -> str:
    """The measures of a text of this length, a line for each, with three decimals.

    `where` the nuggets are from is for messages.

    >>> nuggets = {"N1": Vital(3, 10, None), "N2": Vital(1, 5, None), "N3": Vital(3, 5, None)}
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
        found={name: match.offset for name, match in matches.items()},
    )
    S = texts.Smeasure(L=L)
    if not S.most(x):
        first = min(x.ideal.values())
        raise InputError(f"-L {L}", f"more than {first}: no nugget can end before", where)
    measures: dict[str, texts.NuggetMeasure] = {
        "Recall": texts.NuggetRecall(),
        "W-recall": texts.WRecall(),
        "S-measure": S,
        "S-flat": texts.Sflat(L=L),
        "T-measure": texts.Tmeasure(),
        "T-flat": texts.Tflat(),
        "F-flat": texts.Ssharp(beta=beta, L=L),
    }
    lines = _steps(x, S) if verbose else []
    counts = f"#nuggets= {len(nuggets)} #matched= {len(matches)} #syslen= {length}"
    lines.append(f"{prefix} {counts}")
    lines += [result(prefix, name, m.score(x), decimals=3) for name, m in measures.items()]
    return text_of(lines)


def _steps(x: texts.Answer, S: texts.Smeasure) -> list[str]:
    """What -v shows: the pseudo minimal output, what it is worth, and the nuggets found."""
    ideal = ((name, x.nuggets[name], end) for name, end in x.ideal.items())
    return [
        *(f"#{name} w= {n.weight:f} vl= {n.length} offset*= {end}" for name, n, end in ideal),
        f"#wrec_denom= {x.weight(x.ideal):f} S-measure_denom= {S.most(x):f}",
        *(f"#matched={name} w={x.nuggets[name].weight:f} offset={end}"
          for name, end in x.found.items()),
    ]  # fmt: skip


def beyond(matches: Mapping[str, Match], length: int) -> list[str]:
    """The nuggets found beyond the end of a text, which the program does not mind."""
    return [name for name, match in matches.items() if match.offset > length]


# -- files of topics ------------------------------------------------------------------------------


def split_nuggets(nuggets: str, suffix: str, directory: str = "") -> Made:
    """Nuggets to a directory for each topic.

    Write TOPIC/TOPIC.SUFFIX, the nuggets of each topic, and NUGGETS.tid, the list of topics.
    """
    tid = tid_file(nuggets)
    if suffix in MADE:
        raise InputError(f"suffix {suffix!r}", "another, such as test.nug")
    by_topic = read_nuggets(nuggets).by_topic
    files = {tid: text_of(by_topic)}
    for topic, of_topic in by_topic.items():
        lines = (
            f"{_plain(name, nuggets)} {repr(vital.weight).removesuffix('.0')} {vital.length}\n"
            for name, vital in of_topic.items()
        )
        files[topic_file(topic, suffix, directory)] = "".join(sorted(lines))
    return files, []


def split_matches(topics: Names, runs: Names = "-", directory: str = "") -> Made:
    """Nuggets found in texts to the directories of topics.

    Write TOPIC/TOPIC.RUN.mat, the length of each topic's text and where nuggets end in it, the
    first time. RUN is the file's name.
    """

    def text(offsets: Mapping[str, int], path: str) -> str:
        found = [(_plain(name, path), end) for name, end in offsets.items() if name != SYSLEN]
        lines = sorted(f"{name} {end}\n" for name, end in found)
        return "".join([f"{SYSLEN} {offsets[SYSLEN]}\n", *lines])

    return split(names(runs), names(topics), MAT, directory, _first_matches, text)


def _first_matches(path: str) -> tuple[str, dict[str, dict[str, int]]]:
    """The name of a run, and where each nugget of each topic ends first, ``syslen=`` the text."""
    found: dict[str, dict[str, int]] = {}
    for line in lines_of(path, MATCHES, path):
        topic, nugget, given = line.name("topic"), line.name("nugget"), line.cells["offset"]
        number = finite(given)
        if number is None or number < 0 or number % 1:
            what = "length" if nugget == SYSLEN else "offset"
            raise line.error(f"{what} {short(str(given))}", "a whole number from 0")
        of_topic = found.setdefault(topic, {})
        if nugget == SYSLEN and SYSLEN in of_topic:
            raise line.error(f"the length of topic {topic} again", "it once")
        of_topic[nugget] = min(int(number), of_topic.get(nugget, int(number)))
    for topic, of_topic in found.items():
        if SYSLEN not in of_topic:
            raise InputError(f"no length of topic {topic}", f"{topic} {SYSLEN} length", path)
    return os.path.basename(path), found


def _plain(name: str, path: str) -> str:
    """The name of a nugget, if a line of fields can have it."""
    if len(fields_of(name, None)) != 1:
        raise InputError(f"nugget {name!r}", "no blanks in it", path)
    return name


# -- all topics of many runs ----------------------------------------------------------------------


def evaluate_texts(batch: Batch, suffix: str, L: int, beta: float = 1.0) -> Made:
    """Compute measures of nuggets found in the texts of all topics of many runs.

    Write RUN.NAME.1cl, the results of all topics: what ntcir_eval 1click prints.
    """
    separator, sources = batch.separator, batch.sources(suffix)
    nuggets = {topic: read_nug(source, separator) for topic, source in sources.items()}
    files: dict[str, str] = {}
    notices: list[Notice] = []
    for run in batch.runs:
        found, about = batch.files(run, MAT, "texts")
        notices += about
        text, odd = "", []
        for topic, of_topic in nuggets.items():
            length, matches = 0, dict[str, Match]()
            if topic in found:
                length, matches = read_mat(found[topic], of_topic, separator)
            if beyond(matches, length):
                odd.append(topic)
            where = sources[topic].name
            text += one_click(of_topic, matches, length, L=L, beta=beta, prefix=topic, where=where)
        said = f"{run}: nuggets found beyond the end of the text of "
        notices += about_topics("offsets", odd, said, "", run)
        files[f"{run}.{batch.name}.{RESULTS}"] = text
    return files, notices
