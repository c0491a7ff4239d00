"""Runs in tables: documents are looked up by their hashes, which prove nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf
from cranfield.data.reading import strings
from cranfield.data.reading.strings import Strings

ALIKE = ["ABCDEFGHIJKLMNOP", "1Z7GenPu-yQby:Lt"]  # one hash, where hashes begin with 0


@pytest.fixture(params=[0, 1, (1 << 64) - 1])
def key(request: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(strings, "KEY", np.uint64(request.param))
    return int(request.param)


def test_judged_documents_with_one_hash(key: int, tmp_path: Path, cranfield: Any) -> None:
    """Both are found, whatever hashes begin with: trec_eval says 1.0."""
    same = len(set(Strings.from_list(ALIKE).compute_hashes().tolist())) == 1
    assert same == (key == 0)
    qrels, run = tmp_path / "q", tmp_path / "r"
    for first, second in (ALIKE, ALIKE[::-1]):
        qrels.write_text(f"1 0 {first} 1\n1 0 {second} 2\n2 0 x 1\n")
        run.write_text(f"1 Q0 {second} 1 3 t\n1 Q0 {first} 2 2 t\n2 Q0 {first} 1 1 t\n")
        scores = cf.evaluate(qrels, run, "AP NumRelRet nDCG")
        assert [scores["t", "1", name] for name in ("AP", "NumRelRet", "nDCG")] == [1.0, 2.0, 1.0]
        assert scores["t", "2", "AP"] == 0.0
        said = cranfield("label", qrels, run)
        assert said.code == 0
        assert first in said.out
        assert second in said.out


def test_hashes_begin_with_a_key_of_the_process() -> None:
    with pytest.MonkeyPatch.context() as patch:
        found = [Strings.from_list(ALIKE).compute_hashes().tolist()]
        patch.setattr(strings, "KEY", strings.KEY ^ np.uint64(1))
        found.append(Strings.from_list(ALIKE).compute_hashes().tolist())
    assert found[0] != found[1]
