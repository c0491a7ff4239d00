"""The papers to cite: those of all measures and methods are there, and BibTeX can read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cranfield as cf
from cranfield import references
from cranfield.cli.main import main
from cranfield.references import read_references
from cranfield.report.bibliography import find_references
from cranfield.stats.corrections import CORRECTIONS
from cranfield.stats.effects import EFFECTS
from cranfield.stats.families import TESTS
from cranfield.stats.references import METHODS


def test_references_cover_all_methods_of_compare() -> None:
    assert set(METHODS) == {*TESTS, *CORRECTIONS, *EFFECTS}
    assert {key for keys in METHODS.values() for key in keys} <= set(read_references())


def test_read_references_finds_every_entry_of_the_file() -> None:
    text = Path(references.__file__).with_name("references.bib").read_text(encoding="utf-8")
    assert "\n\n".join(read_references().values()) + "\n" == text
    assert len(read_references()) == text.count("@")  # one key is one paper


@pytest.mark.parametrize(("key", "entry"), read_references().items())
def test_entries_are_valid_bibtex(key: str, entry: str) -> None:
    head, *fields, end = re.sub(r"\n {3,}", " ", entry).split("\n")
    assert re.fullmatch(rf"@(article|book|incollection|inproceedings|techreport|phdthesis|misc){{{key},", head)
    assert end == "}"
    assert entry.count("{") == entry.count("}")
    names = [re.fullmatch(r"  (\w+) = \{.+\},?", field) for field in fields]
    assert {"author", "title", "year"} <= {name[1] for name in names if name}
    assert [field.endswith(",") for field in fields] == [True] * (len(fields) - 1) + [False]
    assert re.search(r"year = \{\d{4}\}", entry)


def test_bibtex_several_names_lists_keys_by_name() -> None:
    """A name with @ would begin an entry, so it has none; a paper of two is there once."""
    text = cf.bibtex("AP P@10", cf.nDCG @ 10, "t bootstrap bootstrap-shift")
    heads = [line for line in text.split("\n") if line.startswith("%")]
    assert [head.partition(":")[0] for head in heads] == [
        *("% AP", "% P", "% nDCG", "% t", "% bootstrap", "% bootstrap-shift")
    ]
    keys = re.findall(r"@\w+{(\w+),", text)
    assert len(keys) == len(set(keys)) == text.count("@")
    assert "efron1993" in keys
    assert cf.bibtex("holm", "none") == cf.bibtex("holm") == read_references()["holm1979"]


def test_bibtex_unknown_name_raises() -> None:
    assert find_references(["Q(beta=2, gain=exp) holm"]).keys() == {"Q", "holm"}
    with pytest.raises(cf.CranfieldError, match="unknown measure 'holmes'"):
        cf.bibtex("holmes")


def test_command_prints_bibtex(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--bibtex", "AP", "randomised-tukey"]) == 0
    assert capsys.readouterr().out == cf.bibtex("AP", "randomised-tukey") + "\n"


def test_bibtex_of_the_software_has_its_version() -> None:
    entry = cf.bibtex("cranfield")
    assert entry.startswith("@software{cranfield,\n")
    assert f"version = {{{cf.__version__}}}" in entry
    assert cf.bibtex("cranfield AP").startswith("% cranfield: cranfield\n% AP:")
