"""What all measures have: their documentation."""

from __future__ import annotations

import cranfield as cf
from cranfield.measures.distributions import NMD


def test_help_says_what_a_cutoff_does_where_there_is_one() -> None:
    assert f"\n  @cutoff: {cf.P.cutoff_meaning}\n\nRange: " in (cf.P.__doc__ or "")
    assert "@cutoff" not in (NMD.__doc__ or "@cutoff")
