"""Tests, intervals, effect sizes, power: how sure can we be?

Every function takes scores by topic (``{topic: score}``, sequences; several systems as Scores,
``{system: {topic: score}}`` or an array [topics, systems]) and returns an object with what it
found: statistic, p-value, interval, and what was assumed.
"""

from __future__ import annotations

from cranfield.stats.anova import Anova, one_way, two_way, two_way_replicated
from cranfield.stats.corrections import Corrected, benjamini_hochberg, bonferroni, holm
from cranfield.stats.effects import Effect, anova_effect, cohen_dz, glass_delta, hedges_g
from cranfield.stats.families import PairTest, compare_pairs
from cranfield.stats.letters import letters
from cranfield.stats.paired import bootstrap, randomisation, sign_test, t_test, wilcoxon
from cranfield.stats.power import (
    Design,
    Pilot,
    difference_for_anova,
    difference_for_t,
    power_of_anova,
    power_of_t,
    topics_for_anova,
    topics_for_interval,
    topics_for_t,
    variance_from,
    width_of_interval,
)
from cranfield.stats.result import Outcome, Sampled
from cranfield.stats.standardise import Factors, factors, standardise
from cranfield.stats.summary import Summary, summarise
from cranfield.stats.tukey import Family, randomised_tukey_hsd, tukey_hsd
from cranfield.stats.unpaired import unpaired_bootstrap, welch

__all__ = [
    "Anova",
    "Corrected",
    "Design",
    "Effect",
    "Factors",
    "Family",
    "Outcome",
    "PairTest",
    "Pilot",
    "Sampled",
    "Summary",
    "anova_effect",
    "benjamini_hochberg",
    "bonferroni",
    "bootstrap",
    "cohen_dz",
    "compare_pairs",
    "difference_for_anova",
    "difference_for_t",
    "factors",
    "glass_delta",
    "hedges_g",
    "holm",
    "letters",
    "one_way",
    "power_of_anova",
    "power_of_t",
    "randomisation",
    "randomised_tukey_hsd",
    "sign_test",
    "standardise",
    "summarise",
    "t_test",
    "topics_for_anova",
    "topics_for_interval",
    "topics_for_t",
    "tukey_hsd",
    "two_way",
    "two_way_replicated",
    "unpaired_bootstrap",
    "variance_from",
    "welch",
    "width_of_interval",
    "wilcoxon",
]
