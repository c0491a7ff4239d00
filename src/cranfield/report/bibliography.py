"""BibTeX entries of measures, tests, corrections and effect sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module

from cranfield.errors import is_one_of
from cranfield.measures.base import Measure
from cranfield.measures.grammar import parse_measures
from cranfield.references import read_references
from cranfield.stats.references import METHODS

SOFTWARE = "cranfield"
_SOFTWARE_ENTRY = """\
@software{{cranfield,
  author = {{{{The cranfield developers}}}},
  title = {{cranfield: Offline Evaluation of Information Access}},
  version = {{{version}}}
}}"""


def bibtex(*names: str | Measure) -> str:
    r"""Return BibTeX entries of measures, tests, corrections and effect sizes.

    Tests, corrections and effect sizes have the names used by `compare`, and ``cranfield`` is this
    software. Each entry is listed once.
    For several names, comment lines before the entries map names to keys.

    >>> bibtex("P@10", "holm").split("\n\n")[0]
    '% P: vanrijsbergen1979\n% holm: holm1979'
    """
    keys_by_name = {name: keys for name, keys in find_references(names).items() if keys}
    heads = [f"% {name}: {', '.join(keys)}" for name, keys in keys_by_name.items()]
    entries = [get_entry(key) for key in dict.fromkeys(key for keys in keys_by_name.values() for key in keys)]
    return "\n\n".join(["\n".join(heads), *entries] if len(keys_by_name) > 1 else entries)


def get_entry(key: str) -> str:
    """Return a BibTeX entry. The entry of the software has the installed version."""
    if key != SOFTWARE:
        return read_references()[key]
    return _SOFTWARE_ENTRY.format(version=import_module("cranfield").__version__)


def find_references(names: Iterable[str | Measure]) -> dict[str, tuple[str, ...]]:
    """Return BibTeX keys by name. Names omit @, which starts an entry in BibTeX."""
    return dict(pair for name in names for pair in _iterate_references(name))


def _iterate_references(name: str | Measure) -> Iterator[tuple[str, tuple[str, ...]]]:
    words = name.split() if isinstance(name, str) else []
    methods = METHODS | {SOFTWARE: (SOFTWARE,)}
    yield from ((word, methods[word]) for word in words if word in methods)
    measures = " ".join(word for word in words if word not in methods) if words else name
    for measure in () if is_one_of(measures, ("",)) else parse_measures(measures):
        yield type(measure).__name__, tuple(measure.references)
