"""gdeval, as ir_measures brings it, on random collections."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import ir_measures as im
import pytest

from tests.evidence import checks
from tests.made import examples
from tests.peers.made import (
    Collection,
    assert_agree,
    collections,
    ir_measures_values,
    trec_files,
    values,
)

# -- gdeval -------------------------------------------------------------------------------------

with_perl = pytest.mark.skipif(shutil.which("perl") is None, reason="no perl on the PATH")
GDEVAL_CUTOFFS = (1, 3, 10, 20, 1000)


def numbered(c: Collection) -> Collection:
    """Judged topics only, by their numbers: gdeval knows no other names."""
    number = {t: t.removeprefix("q-") for t in c.qrels}
    return Collection(
        {number[t]: judged for t, judged in c.qrels.items()},
        {number[t]: c.run[t] for t in c.qrels if t in c.run},
    )


@checks("nDCG", "ERR", against="gdeval")
@with_perl
def test_gdeval(tmp_path: Path) -> None:
    """The program itself, which ir_measures brings along: five decimals, ties as in trec_eval.

    It leaves out topics without a relevant document.
    """
    program = Path(im.__file__).parent / "bin" / "gdeval.pl"
    lists = 0
    for c in map(numbered, collections(seed=25, count=12, levels=(-2, 0, 1, 2, 3, 4))):
        qrels, run = trec_files(c, tmp_path)
        for k in GDEVAL_CUTOFFS:
            command = ["perl", str(program), str(qrels), str(run), str(k)]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            rows = [line.split(",") for line in printed.splitlines()[1:]]
            theirs = {t: {"ndcg": float(ndcg), "err": float(err)} for _, t, ndcg, err in rows}
            assert set(theirs) == {t for t in c.answered if max(c.qrels[t].values()) > 0}
            names = {"ndcg": f"nDCG(gain=exp)@{k}", "err": f"ERR(max_level=4)@{k}"}
            assert_agree(c, values(c, names.values()), theirs, names, 0.5e-5 + 1e-9)
            lists += len(theirs)
    assert lists > examples(2000)


@with_perl
def test_ir_measures_by_way_of_gdeval() -> None:
    """Under its own names: nDCG(dcg='exp-log2')@k; ERR@k takes 4 for the highest level."""
    measures = [m @ k for m in (im.ERR, im.nDCG(dcg="exp-log2")) for k in (1, 5, 20)]
    names = {str(m): str(m).replace("ERR", "ERR(max_level=4)") for m in measures}
    for c in map(numbered, collections(seed=26, count=4, ties="none", levels=(0, 1, 2, 3, 4))):
        theirs = ir_measures_values(c, c.peer_qrels(), measures)
        assert_agree(c, values(c, names.values()), theirs, names, 0.5e-5 + 1e-9)
