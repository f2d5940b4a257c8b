"""Releases that the tests of the page share."""

from __future__ import annotations

from foregone import Release, Statistic, tabulate

BAD = "<script>document.title='taken'</script>"


def town() -> Release:
    """Four people; the old woman is singled out, and so is the man from Ardmore."""
    people = {
        "SEX": ["F", "F", "M", "M"],
        "AGE": ["old", "young", "young", "young"],
        "HOME": ["Brewood", "Brewood", "Brewood", "Ardmore"],
    }
    return tabulate(people, margins=["SEX,AGE", "SEX,HOME", "AGE,HOME"], record="person")


def hostile_release() -> Release:
    """Column names, values, labels and table names that would do harm if they were taken for HTML or JavaScript."""
    people = {
        BAD: [
            "<img src=x onerror=\"document.title='taken'\">",
            "'\"></script><script>document.title='taken'</script>",
            "{{ 7 * 7 }}",
        ],
        "<b>bold": ["\"'`", "</style><style>*{display:none}", "</style><style>*{display:none}"],
    }
    release = tabulate(people, margins=[f"{BAD}", f"{BAD},<b>bold"], record="<i>person</i>")
    return Release(
        release.domain,
        tuple(Statistic(s.predicate, s.low, s.high, f"{BAD}{s.name}", f"</table>{s.table}") for s in release.statistics),
    )
