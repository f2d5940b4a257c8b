"""A policy for facts that were found before and stand in rows of a file: what a run keeps of each of many releases.

Rows tell how many columns a fact names, as a policy counts them, and about how many records it is; sometimes how likely it is by
chance. What else a policy asks cannot be judged from them.
"""

from __future__ import annotations

from foregone.model.policy import Policy
from foregone.policy.judge import Doubt

ONE_RELEASE = "a run keeps certain claims and nothing else; audit each release with this policy"


def over_sql(policy: Policy, columns: str, chance: str = "") -> str:
    """`Policy.over` as a condition of SQL on rows with a column `count`: `columns` is the one with the number of columns that a
    policy counts, and `chance` the one with the chance of the claim, if there is one.

    >>> over_sql(Policy(singled_out_columns=3), "judged")
    'judged >= 3 AND count < 2'
    """
    if policy.singled_out_columns is None or (policy.largest_baseline < 1 and not chance):
        return "FALSE"
    over = f"{columns} >= {policy.singled_out_columns} AND count < {policy.smallest_group}"
    return f"{over} AND {chance} <= {policy.largest_baseline}" if policy.largest_baseline < 1 else over


def not_in_rows(policy: Policy, chances: bool = False) -> tuple[Doubt, ...]:
    """The parts of a policy that rows of claims do not tell anything about.

    >>> [doubt.key for doubt in not_in_rows(Policy(singled_out_columns=3, attribute=("DX",), stars=2))]
    ['attribute', 'stars']
    """
    keys = {
        "attribute": bool(policy.attribute),
        "primary": policy.primary is not None,
        "both_sides": policy.both_sides > 0,
        "stars": policy.stars > 0,
        "know": policy.know is not None and policy.know.words != "",
    }
    doubts = [Doubt(key, ONE_RELEASE) for key, asked in keys.items() if asked]
    if policy.largest_baseline < 1 and policy.about_claims and not chances:
        doubts.append(Doubt("largest_baseline", "how likely a claim is by chance is not part of a run"))
    return tuple(doubts)
