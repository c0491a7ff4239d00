"""`cranfield ntcir_eval`: drop-in replacement for NTCIREVAL's program."""

from __future__ import annotations

from functools import partial

from cranfield.cli import drop_ins
from cranfield.options import argument, choice, option, switch
from cranfield.tools import ntcir_files as files
from cranfield.tools.ntcir_eval import VERSIONS, Setting

GAINS = (
    option(
        "-g",
        "G1:G2:…",
        "gains of L1, L2, …, which are all levels",
        name="gains",
        value="gains",
        required=True,
    ),
)
LEVELS = (
    option(
        "-s",
        "S1:S2:…",
        "stop values of L1, L2, … for NCUgu, default: the gains",
        name="stops",
        value="gains",
    ),
    switch("-ec --ec", "the judgments have equivalence classes: doc L2 class", name="classes"),
)
CUTOFFS = (option("-cutoffs --cutoffs", "N,N,…", "default: 1000", value="counts"),)
COMMON = (
    *CUTOFFS,
    option("-beta --beta", "X", "patience of the blended ratio, default: 1", value="finite"),
    option("-gamma --gamma", "X", "of NCUrb, default: 0.95", value="finite"),
    option(
        "-logb --logb",
        "X",
        "base of the logarithm of nDCG, 0 for the natural one, default: 2",
        value="finite",
    ),
    option("-rbp --rbp", "X", "p of RBP, default: 0.95", value="finite"),
    option("-rbup", "X", "p of iRBU, default: 0.99", value="finite"),
    switch("-gap --gap", "also graded average precision"),
    switch("-j", "also bpref and its variants", name="judged"),
    switch("-v", "show gains and cumulated gains, rank by rank", name="verbose"),
    choice(
        "--as-version",
        tuple(VERSIONS),
        "the output of the releases since then (190111: of January 2019 only), default: 2011",
        name="version",
        default="2011",
    ),
)
FIRST = (
    switch(
        "-ec --ec",
        "label only the first item of each equivalence class: doc L2 class",
        name="classes",
    ),
)
LABELLING = (
    switch("-j", "exclude unjudged items", name="judged"),
    option("-truncate --truncate", "N", "read only the first N items", value="count"),
)
SEP = (
    option(
        "-sep --sep",
        "S",
        "field separator, instead of spaces",
        name="separator",
        value="separator",
    ),
)
OUT = (option("-out --out", "PREFIX", "start of each line of the output", name="prefix"),)
REL = (option("-r", "REL", "judgments: doc L2 on each line", name="gold", required=True),)
IDEAL = (
    option(
        "-I",
        "IDEAL",
        "the ideal list: doc gain on each line, the highest first",
        name="gold",
        required=True,
    ),
)
DIN = (
    option(
        "-din",
        "DIN",
        "intent inf|nav doc gain on each line; the gain is P(i|q)·g_i",
        name="gold",
        required=True,
    ),
)
RANKED = (argument("found", "LIST", "a ranked list, an id on each line", nargs="?", default="-"),)
LABELLED = (argument("found", "LIST", "a labelled list, as label prints it", nargs="?", default="-"),)
GAINED = (
    argument(
        "found",
        "LIST",
        "a list with gains, as glabel and dinlabel print it",
        nargs="?",
        default="-",
    ),
)
INTENTS = (
    switch("-v", "show the intents that each item meets", name="verbose"),
    argument("found", "LIST", "a ranked list, an id on each line", default="-"),
    argument("intents", "IREL", "for each intent: its relevant items (doc gain)", nargs="+"),
)
NUGGETS = (
    switch("-v", "also show the nuggets", name="verbose"),
    option(
        "-N",
        "NUGGETS",
        "nugget weight length on each line; the length is that of the vital string",
        name="gold",
        required=True,
    ),
    argument(
        "found",
        "MATCHES",
        "first syslen= length, then nugget offset on each line",
        nargs="?",
        default="-",
    ),
)
BETA = (option("-beta --beta", "B", "of F-flat, default: 1", value="nonnegative"),)
LENGTH = "number of characters after which a nugget has no gain"
CLICK = (*BETA, option("-L", "L", LENGTH, value="count", required=True))

# -- the table ------------------------------------------------------------------------------------

build_part = partial(
    drop_ins.build_part,
    run=partial(drop_ins.run, parts={"setting": Setting}),
    abbreviate=False,  # as in the original
)
PARTS = (
    build_part("label", FIRST + LABELLING + REL + SEP + RANKED, files.label),
    build_part("compute", GAINS + LEVELS + COMMON + OUT + REL + SEP + LABELLED, files.compute),
    build_part("glabel", LABELLING + IDEAL + SEP + RANKED, files.glabel),
    build_part("dinlabel", LABELLING + DIN + SEP + RANKED, files.dinlabel),
    build_part("gcompute", COMMON + OUT + IDEAL + SEP + GAINED, files.gcompute),
    build_part("irec", CUTOFFS + SEP + OUT + INTENTS, files.irec),
    build_part("1click", SEP + OUT + CLICK + NUGGETS, files.click),
)
