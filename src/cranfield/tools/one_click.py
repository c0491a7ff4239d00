"""What ``ntcir_eval 1click`` prints: one text, by the nuggets that it should hold."""

from __future__ import annotations

from collections.abc import Mapping

from cranfield.data.texts import Match, Vital
from cranfield.errors import CranfieldError
from cranfield.measures.texts import (
    Answer,
    Nugget,
    NuggetMeasure,
    NuggetRecall,
    Sflat,
    Smeasure,
    Ssharp,
    Tflat,
    Tmeasure,
    Words,
    WRecall,
)


def one_click(
    nuggets: Mapping[str, Vital],
    matches: Mapping[str, Match],
    length: int,
    *,
    L: int,
    beta: float = 1.0,
    prefix: str = "",
    verbose: bool = False,
) -> str:
    """The measures of a text of this length, a line for each, with three decimals.

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
    x = Answer(
        Words(()),
        length,
        length,
        nuggets={name: Nugget(vital.weight, vital.length) for name, vital in nuggets.items()},
        found={name: match.offset for name, match in matches.items()},
    )
    S = Smeasure(L=L)
    if not S.most(x):
        first = min(x.ideal.values())
        raise CranfieldError(f"found -L {L}, expected more than {first}: no nugget can end before")
    measures: dict[str, NuggetMeasure] = {
        "Recall": NuggetRecall(),
        "W-recall": WRecall(),
        "S-measure": S,
        "S-flat": Sflat(L=L),
        "T-measure": Tmeasure(),
        "T-flat": Tflat(),
        "F-flat": Ssharp(beta=beta, L=L),
    }
    lines = _steps(x, S) if verbose else []
    counts = f"#nuggets= {len(nuggets)} #matched= {len(matches)} #syslen= {length}"
    lines.append(f"{prefix} {counts}")
    lines += [f"{prefix} {f'{name}=':<21}{m.score(x):.3f}" for name, m in measures.items()]
    return "".join(f"{line}\n" for line in lines)


def _steps(x: Answer, S: Smeasure) -> list[str]:
    """What -v shows: the pseudo minimal output, what it is worth, and the nuggets found."""
    ideal = ((name, x.nuggets[name], end) for name, end in x.ideal.items())
    return [
        *(f"#{name} w= {n.weight:f} vl= {n.length} offset*= {end}" for name, n, end in ideal),
        f"#wrec_denom= {x.weight(x.ideal):f} S-measure_denom= {S.most(x):f}",
        *(f"#matched={name} w={x.nuggets[name].weight:f} offset={end}"
          for name, end in x.found.items()),
    ]  # fmt: skip
