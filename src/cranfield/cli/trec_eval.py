"""`cranfield trec_eval`: drop-in replacement, with options, output and exit codes of the
original.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from getopt import GetoptError, gnu_getopt
from inspect import cleandoc
from textwrap import fill
from typing import Any

import cranfield
from cranfield.cli.messages import write_error, write_notes
from cranfield.cli.options import STDIN_TWICE
from cranfield.cli.output import write
from cranfield.measures.trec_eval import NICKNAMES
from cranfield.tools.trec_eval import FORMATS, MEASURED, RESULTS, Settings, trec_eval
from cranfield.tools.trec_measures import TrecEvalError, describe_measures, parse_integer
from cranfield.wording import escape_unprintable, format_count

USAGE = """\
Usage: cranfield trec_eval [-h] [-q] [-c] [-n] [-m MEASURE[.PARAMETERS]]... QRELS RUN
   -q: every topic, then all of them   -c: judged topics that the run lacks count too
   -m: what to compute (default: official)   -h: all options and, with -m, measures
"""
HELP = """\
cranfield trec_eval [OPTION]... QRELS RUN

A drop-in for trec_eval 10: the same options, numbers and layout. - is standard input.

 -q, --query_eval_wanted             print every topic, then all topics together
 -n, --nosummary                     do not print all topics together
 -c, --complete_rel_info_wanted      judged topics that the run lacks count as empty lists;
                                     otherwise they are left out
 -m, --measure NAME[.PARAMETERS]     a measure, or several under one nickname; may be repeated
                                     (default: official). Ranks: P.5,10; other numbers:
                                     set_F.2; gains of levels: ndcg.1=3,2=9
 -l, --level_for_rel N               lowest level that is relevant (default: 1)
 -M, --Max_retrieved_per_topic N     look at the first N documents of a list only
 -J, --Judged_docs_only              leave unjudged documents out of the lists
 -N, --Number_docs_in_coll N         documents in the collection, for utility
 -R, --Rel_info_format FORMAT        of judgments: {formats} (default: qrels)
 -T, --Results_format FORMAT         of runs: trec_results
 -Z, --Zscore FILE                   print z-scores; FILE has lines: topic measure mean
                                     standard_deviation
 -D, --Debug_level N[.TOPIC]         evaluate this topic only; there is no debug output
 -h, --help                          print this, the formats, and the measures named by -m
 -v, --version                       print the version
     --as-version 9                  scores in single precision, recall rounded and topics that
                                     the run lacks not printed (-c), as before version 10
     --as-described                  prefs_avgjg_Rnonrel and prefs_avgjg_Rnonrel_ret as they are
                                     described, not as trec_eval computes them

{nicknames}

Exit codes: 0 fine, 1 usage, 2 a file or a parameter is wrong, 4 a document twice, 7 no topic has
both judgments and results. Other commands accept these measures, too: `cranfield explain map`.
"""
HELP_ALL = "--help-all"
OPTIONS = re.findall(r"^ (-\w,|   ) --(\S+)( \S+)?", HELP, re.M)  # as -q, --long, and a value
SHORT = "o" + "".join(short[1] + ":" * bool(value) for short, _, value in OPTIONS if short.strip())
LONG = ["Output_old_results_format=", *(long + "=" * bool(value) for _, long, value in OPTIONS)]
SPELLED = {f"--{long}": short.strip(" ,") or f"--{long}" for short, long, _ in OPTIONS}
# options that are settings
FLAGS = {"-q": "per_topic", "-c": "complete", "-J": "condensed", "--as-described": "described"}
NUMBERS = {"-l": "rel", "-M": "depth", "-N": "docs", "--as-version": "version"}
TEXTS = {"-R": "format", "-T": "results", "-Z": "zscores"}


def main(arguments: Sequence[str]) -> int:
    """Evaluate and print; return the exit code of trec_eval."""
    try:
        options, files = gnu_getopt(["-h" if word == HELP_ALL else word for word in arguments], SHORT, LONG)
        pairs = [(SPELLED.get(name, name), value) for name, value in options]
        _run(pairs, files, complete_help=HELP_ALL in arguments)
    except GetoptError as error:
        message = f"cranfield trec_eval: {error.msg}"
        write_error("usage", message, 1, [escape_unprintable(message), USAGE.rstrip("\n")])
        return 1
    except TrecEvalError as error:
        lines = str(error).split("\n")
        write_error("refused", str(error), error.code, [*map(escape_unprintable, lines)])
        return error.code
    return 0


def _run(pairs: Sequence[tuple[str, str]], files: Sequence[str], complete_help: bool) -> None:
    options = dict(pairs)
    measures = [value for name, value in pairs if name == "-m"]
    settings = _build_settings(options)
    if "-v" in options:
        version = f"{settings.version}.0 (cranfield {cranfield.__version__})"
        print(f"trec_eval version {version}", file=sys.stderr)
    elif "-h" in options:
        write(_format_help(measures, settings, complete_help))
    elif len(files) != 2:
        raise GetoptError(f"found {format_count(len(files), 'file')}, expected QRELS and RUN")
    elif [*files, settings.zscores].count("-") > 1:
        raise GetoptError(STDIN_TWICE)
    else:
        text, notes = trec_eval(files[0], files[1], measures or ["official"], settings)
        write(text)
        write_notes(notes)


def _build_settings(options: Mapping[str, str]) -> Settings:
    fields: dict[str, Any] = {field: True for name, field in FLAGS.items() if name in options}
    fields |= {field: options[name] for name, field in TEXTS.items() if name in options}
    fields |= {NUMBERS[x]: _parse_integer(x, options[x]) for x in NUMBERS if x in options}
    topic = options.get("-D", "").partition(".")[2] or None
    return Settings(**fields, summary="-n" not in options, topic=topic)


def _parse_integer(name: str, text: str) -> int:
    """Return an integer ≥ 0, or a version."""
    number = parse_integer(text)
    if name == "--as-version" and number not in (9, 10):
        raise GetoptError(f"found {name} {text}, expected 9 or 10")
    if number is None or number < 0:
        raise GetoptError(f"found {name} {text}, expected {name} and an integer ≥ 0")
    return number


def _format_help(measures: Sequence[str], settings: Settings, complete: bool) -> str:
    """Return the options, the formats, and the requested measures; the members of nicknames if `complete`."""
    nicknames = f"Nicknames: {', '.join(NICKNAMES)} ({HELP_ALL} lists their measures)"
    if complete:
        members = [f"{name}: {', '.join(measures)}" for name, measures in NICKNAMES.items()]
        lines = [fill(line, 96, initial_indent=" ", subsequent_indent="    ") for line in members]
        nicknames = "\n".join(["Nicknames:", *lines])
    parts = [HELP.format(formats=", ".join(MEASURED), nicknames=nicknames)]
    formats = [name for name in (RESULTS, settings.format) if name in FORMATS]
    parts += [f"{name}: {cleandoc(FORMATS[name])}\n" for name in formats]
    parts += describe_measures(measures, settings.version)
    return "-----------------------\n".join(parts)
