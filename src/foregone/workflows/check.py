"""What `foregone check` and `foregone.check` do: one file of proofs against one release. The checker decides; nothing is solved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any

from foregone.checker import Checked, Refused, read_content, read_json, release_of
from foregone.checker import check as check_claims
from foregone.checker.encode.weaker import CertifiedCase as Case
from foregone.checker.kernel import Fails
from foregone.checker.read.policy import read_policy
from foregone.checker.read.refusal import said
from foregone.checker.verdicts.counted import FORMAT as COUNT
from foregone.checker.verdicts.counted import Recounted, check_count
from foregone.checker.verdicts.determined import PartLeft as Part
from foregone.checker.verdicts.determined import datasets_left, parts_left
from foregone.checker.verdicts.distance import FORMAT as DISTANCE
from foregone.checker.verdicts.distance import Apart, check_distance
from foregone.checker.verdicts.many import FORMAT as OF_MANY
from foregone.checker.verdicts.many import ManyProtected, check_many
from foregone.checker.verdicts.protection import FORMAT as PROTECTION
from foregone.checker.verdicts.protection import Protected, check_protection
from foregone.checker.verdicts.publication import check_published
from foregone.model.errors import InputError, UndecidedError
from foregone.model.families import Groups
from foregone.model.release import Release
from foregone.questions.asked import as_groups
from foregone.questions.check import plain


class ProofKind(Enum):
    """What a document of proofs is about."""

    CLAIMS = auto()
    DISTANCE = auto()  # two datasets that fit, and how far apart two can be
    COUNT = auto()  # how many datasets fit, and in what share of them claims hold
    PROTECTION = auto()
    OF_MANY = auto()  # one choice of tables for many releases


@dataclass(frozen=True, slots=True)
class ClaimsChecked:
    """A file of claims: what the checker says, what the file shows about the whole dataset, and the same by the values of a column,
    where that was asked and nothing was rejected.
    """

    result: Checked
    left: str
    parts: Mapping[str, Part] | None = None


@dataclass(frozen=True, slots=True)
class CertificateChecked:
    """A certificate of `protect`: what the checker says, everything that was rejected, and the document."""

    result: Protected
    rejected: tuple[str, ...]
    document: Any

    @property
    def case(self) -> Case | None:
        """What it is about; None where something was rejected."""
        return None if self.rejected else self.result.case

    @property
    def untouched(self) -> int:
        """Numbers that no allowed action would change."""
        case = self.result.case
        if case is None:
            return 0
        return len(set(range(len(case.numbers))).difference(case.primary, *(action.numbers for action in case.actions)))


@dataclass(frozen=True, slots=True)
class ViprWritten:
    """Certificates for other checkers: their folder, and the names and sizes in bytes of the certificates in it."""

    folder: Path
    files: Mapping[str, int]
    facts: int


@dataclass(frozen=True, slots=True)
class ManyChecked:
    """A certificate of `protect` for many releases: what the checker says, everything that was rejected, and the releases of the
    folder that it is not about.
    """

    result: ManyProtected
    rejected: tuple[str, ...]
    others: tuple[str, ...]


CheckedFile = ClaimsChecked | Apart | CertificateChecked | ManyChecked | Recounted


def check(
    release: Release | str | Path,
    document: Any,
    *,
    complete: bool = False,
    groups: Groups | str = Groups.PUBLISHED,
    protected: str | Path | None = None,
) -> Checked:
    """Check every proof of a document; with `complete`, also that no certain claim is missing. The certificate of a protection
    is checked against the release that was protected; `reason` then says what a solver's word stands for, if anything. With
    `protected`, the folder that is to be published, also that it holds what the certificate leaves, and nothing else. Of a
    file about two datasets that fit, `reason` says how far apart two can be; of counts of datasets, what was not counted again.

    With `groups` "none" only claims over single values have to be there.

    Parameters
    ----------
    release : Release, str or Path
        The release that the proofs are about.
    document : dict
        What `proofs` returned, or the content of a proofs file or certificate.
    complete : bool
        Also check that no certain claim is missing.
    groups : {"published", "none"}
        With `complete`: which claims have to be there.
    protected : str or Path, optional
        With the certificate of a protection: the folder that is to be published.

    Returns
    -------
    Checked
        `accepted` is how many proofs were, `rejected` a list of reasons, `complete` whether nothing is missing.

    Raises
    ------
    InputError
        A release, a claim or an argument that cannot be understood; it is a ValueError.

    >>> from foregone import Domain, Predicate, Release, Statistic, audit, proofs
    >>> domain = Domain.of({"SEX": ["F", "M"]})
    >>> release = Release(domain, (Statistic.exact(Predicate(), 3), Statistic.exact(Predicate.of({"SEX": "F"}), 2)))
    >>> result = check(release, proofs(audit(release)), complete=True)
    >>> result.accepted, result.rejected, result.complete
    (2, [], True)
    """
    place = None if isinstance(release, Release) else Path(release)
    try:
        content = plain(release) if isinstance(release, Release) else read_content(Path(release))
        rows = release_of(content)
    except Refused as error:
        raise InputError(str(error)) from None
    match kind_of(document):
        case ProofKind.PROTECTION:
            judged = check_protection(content, document)
            wrong = [] if protected is None else check_published(judged, place, Path(protected))
            return Checked(judged.accepted, judged.rejected + wrong, reason="; ".join(judged.trusted))
        case _ if protected is not None:
            raise InputError("protected: only the certificate of a protection says what may be published; give that")
        case ProofKind.DISTANCE:
            apart = check_distance(rows, document)
            return Checked(accepted(apart), apart.rejected, reason=apart.text)
        case ProofKind.COUNT:
            again = check_count(rows, document)
            return Checked(again.accepted, again.rejected, reason="; ".join(again.unproved))
        case _:
            return check_claims(rows, document, complete, as_groups(groups) == Groups.PUBLISHED)


def check_file(
    release: Path,
    proofs: Path,
    *,
    complete: bool = False,
    groups: Groups = Groups.PUBLISHED,
    by: str | None = None,
    protected: Path | None = None,
    policy: Path | None = None,
) -> CheckedFile:
    """Check a file of proofs against a release, both read by the checker itself: nothing else of this package comes between.

    `by` names a column: what is shown of each of its values is told, too. `protected` and `policy` go with a certificate: the
    folder must hold the protected release, the file the policy that was kept.
    """
    try:
        document = read_json(proofs)
        kind = kind_of(document)
        if kind is ProofKind.OF_MANY:
            return _of_many(release, document, policy, bool(complete or by or protected))
        content = read_content(release)
        rows = release_of(content)
    except Refused as error:
        raise InputError(str(error)) from None
    if by and by not in rows.domain.columns:
        raise InputError(f"--by: there is no column {by}; name a column of the release")
    if kind is not ProofKind.CLAIMS and (complete or by):
        raise InputError("--complete, --by: are about a file of claims, and this is none; leave them out")
    if kind is ProofKind.PROTECTION:
        return _certificate(content, document, release, protected, policy)
    if protected is not None or policy is not None:
        raise InputError(f"{proofs}: not a certificate of protect; leave out --protected and --policy")
    if kind is ProofKind.DISTANCE:
        return check_distance(rows, document)
    if kind is ProofKind.COUNT:
        return check_count(rows, document)
    result = check_claims(rows, document, complete, groups == Groups.PUBLISHED)
    asked = bool(by) and not result.rejected and not result.contradiction
    parts = parts_left(rows, document, result, by or "") if asked else None
    return ClaimsChecked(result, datasets_left(rows, document, result), parts)


def kind_of(document: Any) -> ProofKind:
    """What a document says it is about; claims, if it does not say. An answer of `likely` is no proof of anything."""
    some = document if isinstance(document, list) else document.get("claims") if isinstance(document, dict) else None
    if isinstance(some, list) and some and isinstance(some[0], dict) and {"share", "prior"} <= set(some[0]):
        raise UndecidedError(
            "these are shares of datasets: computed, not proved; `foregone likely RELEASE --proofs FILE` writes counts that can be"
            " checked where the release is small, and `foregone audit RELEASE --proofs FILE` proofs of certain claims"
        )
    named = document.get("format") if isinstance(document, dict) else None
    kinds = {OF_MANY: ProofKind.OF_MANY, PROTECTION: ProofKind.PROTECTION, DISTANCE: ProofKind.DISTANCE, COUNT: ProofKind.COUNT}
    return kinds.get(named, ProofKind.CLAIMS) if isinstance(named, str) else ProofKind.CLAIMS


def accepted(apart: Apart) -> int:
    """How many things a file about two datasets shows: that both fit, and that no two are farther apart."""
    return 0 if apart.rejected else 1 if apart.high is None else 2


def _certificate(content: Any, document: Any, release: Path, protected: Path | None, policy: Path | None) -> CertificateChecked:
    """A certificate that a protection is safe and that none is cheaper."""
    result = check_protection(content, document)
    wrong = list(result.rejected)
    if protected is not None and not wrong:
        wrong += check_published(result, release, protected)
    if policy is not None and not wrong and result.case is not None and not _same_policy(policy, result.case):
        wrong.append(f"the policy of the certificate, {json.dumps(document['policy'])}, is not that of {policy}")
    return CertificateChecked(result, tuple(wrong), document)


def _of_many(folder: Path, document: Any, policy: Path | None, more: bool) -> ManyChecked:
    """A certificate that one choice of tables protects every release of a folder, and that none is cheaper."""
    if more:
        raise InputError("--complete, --by, --protected: are not for a certificate of many releases; leave them out")
    if not folder.is_dir() or (folder / "domain.json").exists():
        raise InputError(f"{folder}: the certificate is about many releases; give the folder that holds them")
    names = _releases_in(folder)
    told = document.get("releases")
    said = {entry.get("name") for entry in told if isinstance(entry, dict)} if isinstance(told, list) else set()
    result = check_many({name: read_content(folder / name) for name in names if name in said}, document)
    wrong = list(result.rejected)
    if policy is not None and not wrong and result.first is not None and not _same_policy(policy, result.first):
        wrong.append(f"the policy of the certificate, {json.dumps(result.about['policy'])}, is not that of {policy}")
    return ManyChecked(result, tuple(wrong), tuple(name for name in names if name not in said))


def _releases_in(folder: Path, prefix: str = "") -> list[str]:
    """The releases of a folder by their paths: folders with a domain.json, and files."""
    found = list[str]()
    for path in sorted(folder.iterdir()):
        name = f"{prefix}{path.name}"
        if path.name.startswith("."):
            continue
        if path.is_dir() and not (path / "domain.json").exists():
            found += _releases_in(path, f"{name}/")
        elif path.is_dir() or path.suffix in (".json", ".parquet"):
            found.append(name)
    return found


def _same_policy(path: Path, case: Case) -> bool:
    """Is it the policy of a file, in the checker's own reading? `protect --know` may have said more of what a reader knows; that is
    in what is printed.
    """
    try:
        read = read_policy(case.release.domain, path)
    except Refused as error:
        raise InputError(str(error)) from None
    return case.policy.covers(read)


def export_vipr(release: Path, proofs: Path, out: Path) -> ViprWritten:
    """Write the proofs of a file that was checked, and not rejected, as VIPR certificates into a new folder."""
    from foregone.formats.outputs import new_folder
    from foregone.formats.text import csv_text
    from foregone.vipr.export import exported
    from foregone.vipr.legend import tables, text

    rows = release_of(read_content(release))
    try:
        made = exported(rows, read_json(proofs))
    except Fails as error:
        raise InputError(f"--export: {said(error)}; `foregone check` without it has checked the file") from None
    sizes = dict[str, int]()
    with new_folder(out) as folder:
        for name, certificate in made.certificates.items():
            with (folder / name).open("w", encoding="ascii") as file:
                file.writelines(f"{line}\n" for line in certificate.lines())
            sizes[name] = (folder / name).stat().st_size
        for name, (header, entries) in tables(rows, made).items():
            (folder / name).write_text(csv_text(header, entries), "utf-8")
        (folder / "README.txt").write_text(text(made), "utf-8")
    return ViprWritten(out, sizes, len(made.facts))
