"""`cranfield ntcir_eval`: NTCIREVAL's program, with its options and its output."""

from __future__ import annotations

from functools import partial
from typing import Any

from cranfield.cli import drop_ins, options
from cranfield.cli.options import COUNT, FROM_0, Action, build_list_type, parse_count, parse_number
from cranfield.tools import ntcir_files as files
from cranfield.tools.ntcir_eval import VERSIONS, Setting

run = partial(drop_ins.run, parts={"setting": Setting})


# -- arguments ------------------------------------------------------------------------------------


SETTINGS: dict[str, Any] = {  # of values, as the help calls them, then of arguments
    "X": {"type": parse_number},
    "B": FROM_0,
    "truncate": COUNT,
    "L": COUNT,
    "cutoffs": build_list_type(parse_count),
    "gains": build_list_type(parse_number, ":"),
    "stops": build_list_type(parse_number, ":"),
    "separator": options.SETTINGS["separator"],
    "found": {"default": "-"},
    "version": {"choices": tuple(VERSIONS), "default": "2011"},
}
GAINS = {"gains -g G1:G2:… !": "the gains of L1, L2, …; so many levels there are"}
LEVELS = {
    "stops -s S1:S2:…": "stop values of L1, L2, … for NCUgu, default: the gains",
    "classes -ec --ec": "the judgments have equivalence classes: doc L2 class",
}
CUTOFFS = {"-cutoffs --cutoffs N,N,…": "default: 1000"}
COMMON = {
    **CUTOFFS,
    "-beta --beta X": "patience of the blended ratio, default: 1",
    "-gamma --gamma X": "of NCUrb, default: 0.95",
    "-logb --logb X": "base of the logarithm of nDCG, 0 for the natural one, default: 2",
    "-rbp --rbp X": "p of RBP, default: 0.95",
    "-rbup X": "p of iRBU, default: 0.99",
    "-gap --gap": "graded average precision, too",
    "judged -j": "bpref and its variants, too",
    "verbose -v": "show gains and cumulated gains, rank by rank",
    "version --as-version": "the output of the releases since then (190111: of January 2019 only), "
    "default: 2011",
}
FIRST = {"classes -ec --ec": "label only the first item of each equivalence class: doc L2 class"}
LABELLING = {
    "judged -j": "leave out unjudged items",
    "-truncate --truncate N": "look at the first N items only",
}
SEP = {"separator -sep --sep S": "what stands between fields, instead of blanks"}
OUT = {"prefix -out --out PREFIX": "what each line of the output begins with"}
REL = {"gold -r REL !": "judgments: doc L2 on each line"}
IDEAL = {"gold -I IDEAL !": "the ideal list: doc gain on each line, the highest first"}
DIN = {"gold -din DIN !": "intent inf|nav doc gain on each line; the gain is P(i|q)·g_i"}
RANKED = {"found LIST ?": "a ranked list, an id on each line"}
LABELLED = {"found LIST ?": "a labelled list, as label prints it"}
GAINED = {"found LIST ?": "a list with gains, as glabel and dinlabel print it"}
INTENTS = {
    "verbose -v": "show the intents that each item meets",
    "found LIST": "a ranked list, an id on each line",
    "intents IREL +": "for each intent: its relevant items (doc gain)",
}
NUGGETS = {
    "verbose -v": "show the nuggets, too",
    "gold -N NUGGETS !": "nugget weight length on each line, the length being that of the vital "
    "string",
    "found MATCHES ?": "first syslen= length, then nugget offset on each line",
}
BETA = {"-beta --beta B": "of F-flat, default: 1"}
LENGTH = "characters after which a nugget is worth nothing"
CLICK = BETA | {"-L L !": LENGTH}

# -- the table ------------------------------------------------------------------------------------

exact = partial(Action, abbreviated=False)  # options are written out, as there
ACTIONS = (
    exact("label", FIRST | LABELLING | REL | SEP | RANKED, files.label),
    exact("compute", GAINS | LEVELS | COMMON | OUT | REL | SEP | LABELLED, files.compute),
    exact("glabel", LABELLING | IDEAL | SEP | RANKED, files.glabel),
    exact("dinlabel", LABELLING | DIN | SEP | RANKED, files.dinlabel),
    exact("gcompute", COMMON | OUT | IDEAL | SEP | GAINED, files.gcompute),
    exact("irec", CUTOFFS | SEP | OUT | INTENTS, files.irec),
    exact("1click", SEP | OUT | CLICK | NUGGETS, files.click),
)
