"""What both shims have in common."""

from __future__ import annotations

import subprocess
import sys


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
