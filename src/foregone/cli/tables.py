"""Tables as people have them: release rules, import of files, several releases as one."""

from __future__ import annotations

from typing import Annotated

import typer

from foregone.cli.show import errors_as_lines, say_lines


def rules(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One rule, such as nhs-hes or round:5.")] = None,
) -> None:
    """List the release rules that are known, or show what each displayed value can mean under one of them."""
    with errors_as_lines():
        from foregone.rules.registry import rule as find
        from foregone.rules.registry import rules as known
        from foregone.rules.sentences import rule_list, rule_text

        say_lines(rule_list(known()) if name is None else rule_text(find(name)))
