"""Which module has which measure: written by `python -m tests.test_exports`, never by hand."""

FAMILIES = {
    "sets": "P SetP Recall SetRecall F SetF E Success Rprec RelP SetRelP SetAP Utility PairAccuracy",
    "counts": "Judged Unjudged NumQ NumRet NumRel NumRelRet NumNonRelRet NumJudgedRet NumUnjudgedRet",
    "cumulated": "nCG nG BR Rmeasure",
    "curve": "IPrec AP11",
    "dcg": "DCG nDCG MeanNDCG RBP nRBP",
    "distributions": "NMD JSD RNSS RNOD RSNOD",
    "ncu": "AP GMAP YAAP Q RR O Pmeasure Pplus ERR nERR EBR nEBR iRBU niRBU NCU",
    "reading": "TBG U",
    "diversity": "IRec IA PMP D DIN Dsharp DINsharp PplusQ PplusQsharp alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP",
    "experimental": "binG G nDCGrel RnDCG",
    "graded": "GAP gAP WRR NWRR Compat",
    "incomplete": (
        "bpref GMbpref bpref_R bpref_N rpref_N rpref_relative rpref_relative2 bpref_relative infAP xinfAP infNDCG"
    ),
    "models": "SDCG NPV INSQ SET TrAP INST BPM BPMD IFTGoal IFTRate IFT NERR8 NERR9 NERR10 NERR11",
    "sessions": "sDCG nsDCG sU clickU",
    "texts": (
        "BLEU ROUGE ROUGES ROUGESU ROUGEL EM TokenF1 Contains NuggetRecall WRecall NuggetF Pourpre Smeasure Sflat "
        "Tmeasure Tflat Ssharp"
    ),
    "verticals": "Vscore QUscore",
    "effort": "PRES ESL",
    "answers": "NuggetA NuggetV NuggetW SubNarratives CitationP CitationR CitationF Rubric",
}
MEASURES = {name: family for family, names in FAMILIES.items() for name in names.split()}
# Measures that C/W/L reads as user models:
READINGS = dict.fromkeys(["P", "DCG", "RBP", "RR", "AP", "TBG", "U", "NCU"], "models")
