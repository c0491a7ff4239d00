"""Rules that turn answers into scores: those of the survey, and one's own."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import cranfield as cf
from cranfield.assess.aggregate import aggregate
from cranfield.assess.assessments import read_assessments
from cranfield.assess.rules import read_built_in, read_rules

# Rules


@pytest.mark.parametrize("name", read_built_in())
def test_built_in_rules_say_what_may_be_answered(name: str) -> None:
    rules = read_rules(name)
    assert rules.top == 2
    assert rules.otherwise == 0
    assert all(0 in answers and 1 in answers for answers in rules.criteria.values())


def said(scheme: str, *answers: int) -> float:
    """The score of answers in the order of the scheme's criteria."""
    rules = read_rules(scheme)
    return rules.score(dict(zip(rules.criteria, answers, strict=True)))


@pytest.mark.parametrize("answers", [*product((0, 1), repeat=4)])
@pytest.mark.parametrize("scheme", ["ntcir12-stc", "ntcir13-stc-chinese"])
def test_four_binary_criteria(scheme: str, answers: tuple[int, ...]) -> None:
    """Section 4.9: L1 if the first two hold, L2 if the others hold as well."""
    first, second, third, fourth = answers
    graded = 2 if third and fourth else 1
    assert said(scheme, *answers) == (graded if first and second else 0)


@pytest.mark.parametrize("answers", [*product((0, 1), (0, 1), (0, 1, 2), (0, 1, 2))])
def test_the_two_japanese_schemes(answers: tuple[int, ...]) -> None:
    """SCHEME1 and SCHEME2 as section 4.9 writes them."""
    fluent, coherent, dependent, informative = answers
    scheme1 = scheme2 = 0
    if fluent and coherent:
        if dependent == 2 and informative == 2:
            scheme1 = scheme2 = 2
        elif dependent == 0 or informative == 0:
            scheme1, scheme2 = 1, 0
        else:
            scheme1 = scheme2 = 1
    assert said("ntcir13-stc-japanese-1", *answers) == scheme1
    assert said("ntcir13-stc-japanese-2", *answers) == scheme2


@pytest.mark.parametrize("answers", [*product((0, 1), repeat=3)])
def test_emotional_conversations(answers: tuple[int, ...]) -> None:
    fluent, coherent, emotion = answers
    assert said("ntcir14-stc-cecg", *answers) == fluent * coherent * (1 + emotion)


def test_rules_give_a_score_for_each_assessor(here: Path) -> None:
    Path("stc.csv").write_text(
        "topic,doc,worker,Fluent,Coherent,Emotion Consistent,note\nt,r,a,1,1,1,fine\nt,r,b,1,1,0,\nt,r,c,0,1,1,\n"
    )
    read = read_assessments("stc.csv", rules="ntcir14-stc-cecg")
    assert read.votes == {"t": {"r": {"a": 2.0, "b": 1.0, "c": 0.0}}}
    assert aggregate(read).to_dict() == {"t": {"r": 1}}  # L2, L1 and L0
    assert aggregate(read, "majority").to_dict() == {"t": {"r": 0}}  # no majority
    (labels,) = aggregate(read, "unanimity").notes  # the rules declare the highest score
    assert labels.text == "labels per item: 3 for 1 item"


def test_answers_with_names(here: Path) -> None:
    Path("rules.toml").write_text(
        'otherwise = 0\n[[rule]]\nwhen = {useful = ["yes", "mostly"], words = "!=0"}\nscore = 2\n'
        '[[rule]]\nwhen = {useful = "partly", words = "> 10"}\nscore = 1\n'
    )
    rules = read_rules("rules.toml")
    assert rules.score({"useful": "mostly", "words": "3"}) == 2
    assert rules.score({"useful": "partly", "words": 11}) == 1
    assert rules.score({"useful": "partly", "words": 10}) == 0
    with pytest.raises(cf.InputError, match="words 'many', expected a number"):
        rules.score({"useful": "partly", "words": "many"})
    with pytest.raises(cf.InputError, match="expected an answer"):
        rules.score({"useful": "", "words": 3})


def test_an_alphabet_for_answers() -> None:
    row = {"topic": "t", "doc": "r", "assessor": "a", "fluent": "yes", "coherent": "yes",
           "emotion-consistent": "no", "comment": "nice"}  # fmt: skip
    read = read_assessments([row], labels="yes=1,no=0", rules="ntcir14-stc-cecg")
    assert read.votes == {"t": {"r": {"a": 1.0}}}
    true = {"fluent": True, "coherent": True, "emotion-consistent": True}
    assert read_rules("ntcir14-stc-cecg").score(true) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rule = 3", "no rules"),
        ("otherwise = 0", "no rules"),
        ("[[rule]]\nscore = 1", "rule 1 has no when"),
        ("[[rule]]\nwhen = {a = 1}", "None as score of rule 1"),
        ('[[rule]]\nwhen = {a = 1}\nscore = "2"', "'2' as score of rule 1"),
        ("[[rule]]\nwhen = {a = 1}\nscore = 1\notherwise = 0", "Put otherwise above the first"),
        ('[[rule]]\nwhen = {a = ">x"}\nscore = 1', "a comparison with a number"),
        ("[[rule]]\nwhen = {a = {b = 1}}\nscore = 1", "a value, a list or a comparison"),
        ("[criteria]\nb = [1]\n[[rule]]\nwhen = {a = 1}\nscore = 1", "unknown criterion 'a'"),
        ("[criteria]\na = 1\n[[rule]]\nwhen = {a = 1}\nscore = 1", "a list of valid answers"),
        ('criteria = ["a"]\n[[rule]]\nwhen = {a = 1}\nscore = 1', r"found criteria = \['a'\]"),
        ("else = 0", "unknown key 'else' in the table"),
        ("[[rule", "invalid TOML"),
    ],
)
def test_tables_that_are_no_rules(here: Path, text: str, message: str) -> None:
    Path("rules.toml").write_text(text)
    with pytest.raises(cf.InputError, match=message):
        read_rules("rules.toml")


def test_answers_that_no_rule_knows(here: Path) -> None:
    rules = read_rules({"rule": [{"when": {"a": 1}, "score": 1}]})
    with pytest.raises(cf.InputError, match=r"x\.csv:7: no rule of rules applies to a 2"):
        rules.score({"a": 2}, "x.csv", 7)
    with pytest.raises(cf.InputError, match=r"fluent '7', expected one of 0, 1"):
        read_rules("ntcir14-stc-cecg").score({"fluent": 7})
    with pytest.raises(cf.InputError, match="one of ntcir12-stc"):
        read_rules("nothing")
    Path("a.txt").write_text("q 0 d 1\n")
    with pytest.raises(cf.InputError, match=r"a\.txt:1: found columns label, expected one for"):
        read_assessments("a.txt", rules="ntcir12-stc")
