"""The names of resources, guessed from kinds where a server does not say."""

from __future__ import annotations


def guess_resource(kind: str) -> tuple[str, str]:
    """Plural and singular of a kind, by the few rules of English that Kubernetes knows.

    Source: ``meta.UnsafeGuessKindToResource``, apimachinery v0.36.2. ``Gateway`` becomes ``gatewaies``, there as here.
    """
    singular = kind.lower()
    # The one plural that Kubernetes has kept from its beginnings.
    if singular.endswith("endpoints"):
        return singular, singular
    if singular.endswith("s"):
        return singular + "es", singular
    if singular.endswith("y"):
        return singular[:-1] + "ies", singular
    return singular + "s", singular
