"""The version, where every module can have it without importing the package's public face."""

from __future__ import annotations

__version__ = "0.3.0"


def versions(*packages: str) -> dict[str, str]:
    """Of Foregone, Python and those of the packages that are installed, to be written beside results."""
    import platform  # these take a while, and every command imports this module
    from importlib.metadata import PackageNotFoundError, version

    found = {"foregone": __version__, "python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
