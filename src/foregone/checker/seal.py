"""What a proofs file is called and how it is sealed; docs/proofs.md has the format."""

from __future__ import annotations

import hashlib
import json
from typing import Any

FORMAT = "foregone-proofs"
VERSION = 2


def digest(document: dict[str, Any]) -> str:
    """A checksum of everything else in the file; it guards against accidents, the checker against everything."""
    content = {key: value for key, value in document.items() if key != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
