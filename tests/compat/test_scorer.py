"""What both shims have in common."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl

from cranfield.compat import ir_measures, pytrec_eval


def test_the_peers_are_not_needed() -> None:
    code = (
        "import sys, cranfield; early = 'cranfield.compat' in sys.modules\n"
        "import cranfield.compat.pytrec_eval as p, cranfield.compat.ir_measures as i\n"
        "p.RelevanceEvaluator({'q': {'d': 1}}, ['all_trec']).evaluate({'q': {'d': 1.0}})\n"
        "i.calc_aggregate([i.AP], {'q': {'d': 1}}, {'q': {'d': 1.0}})\n"
        "print(early, sorted({'pytrec_eval', 'ir_measures', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False []\n"


def test_a_file_is_one_run(tmp_path: Path) -> None:
    """As in the originals, which do not look at tags."""
    path = tmp_path / "tags.run"
    path.write_text("1 Q0 d1 1 3 x\n1 Q0 d2 2 2 y\n2 Q0 d3 1 1 z\n", encoding="utf-8")
    lists = {"1": {"d1": 3.0, "d2": 2.0}, "2": {"d3": 1.0}}
    with path.open(encoding="utf-8") as lines:
        assert pytrec_eval.parse_run(lines) == lists
    judged = {"1": {"d1": 0, "d2": 1}, "2": {"d3": 1}}
    found = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(lists)
    assert {topic: of["recip_rank"] for topic, of in found.items()} == {"1": 0.5, "2": 1.0}
    scored = ir_measures.read_trec_run(str(path))
    assert [doc.doc_id for doc in scored] == ["d1", "d2", "d3"]
    for run in (str(path), lists, ir_measures.read_trec_run(str(path))):
        assert ir_measures.calc_aggregate([ir_measures.RR], judged, run)[ir_measures.RR] == 0.75
    frame = pl.DataFrame(
        {
            "query_id": ["1", "1", "2"],
            "doc_id": ["d1", "d2", "d3"],
            "score": [3.0, 2.0, 1.0],
            "run": ["x", "y", "z"],
        }
    ).to_pandas()
    assert ir_measures.calc_aggregate([ir_measures.RR], judged, frame)[ir_measures.RR] == 0.75
