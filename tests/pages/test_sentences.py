"""Words for facts: a subject's own where it has some, the general ones elsewhere."""

from __future__ import annotations

from foregone import Domain, Predicate
from foregone.batch.subject import ANY, Subject
from foregone.pages.ranking import RankedFact
from foregone.pages.sentences import Words, fact_words, listed, redacted_sentence

DOMAIN = Domain.of({"SEX": {"F": "female", "M": "male"}}, {"SEX": "sex"}, "person")
FACT = RankedFact(Predicate.of({"SEX": "F"}), 1, "linear", None, ())


def test_listed() -> None:
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


def test_a_subject_speaks_for_itself() -> None:
    women = Subject(domain=DOMAIN, sentence=lambda codes: f"Somebody, {codes['SEX']}.")
    assert fact_words(women, DOMAIN, FACT) == (Words("Somebody, F."),)
    assert fact_words(ANY, DOMAIN, FACT) == (Words("Exactly one person has sex: female."),)


def test_redacted_sentences_name_attributes_and_no_values() -> None:
    assert redacted_sentence(DOMAIN, FACT) == "One person: their sex is certain."
