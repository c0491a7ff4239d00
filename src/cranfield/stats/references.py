"""References of tests, corrections and effect sizes: keys of `references.bib`."""

from __future__ import annotations

METHODS = {
    "randomised-tukey": ("carterette2012",),
    "tukey": ("tukey1949",),
    "randomisation": ("fisher1935", "smucker2007"),
    "t": ("student1908",),
    "wilcoxon": ("wilcoxon1945",),
    "sign": ("dixon1946",),
    "bootstrap": ("efron1993", "sakai2006bootstrap"),
    "bootstrap-shift": ("efron1993", "smucker2007"),
    "crossed": ("satterthwaite1946",),
    "holm": ("holm1979",),
    "bonferroni": ("dunn1961",),
    "bh": ("benjamini1995",),
    "none": (),
    "dz": ("cohen1988",),
    "g": ("hedges1981",),
    "glass": ("glass1976",),
    "anova": ("sakai2018book",),
}
"""BibTeX keys of each test, correction and effect size, by its name in `compare`."""
