from __future__ import annotations

import pytest

from kubernetes_testbed.pods import Pod, PodClaimReference, PodClaimStatus


@pytest.mark.parametrize(
    ("reference", "statuses", "name"),
    [
        (PodClaimReference("r", "claim"), [], "claim"),
        (PodClaimReference("r", "claim"), [PodClaimStatus("r", "made")], "claim"),
        (PodClaimReference("r", ""), [PodClaimStatus("r", "made")], None),
        (PodClaimReference("r", None, "template"), [], None),
        (PodClaimReference("r", None, "template"), [PodClaimStatus("r", None)], None),
        (PodClaimReference("r", None, "template"), [PodClaimStatus("q", "made")], None),
        (
            PodClaimReference("r", None, "template"),
            [PodClaimStatus("r", None), PodClaimStatus("r", "made"), PodClaimStatus("r", "late")],
            "made",
        ),
    ],
)
def test_a_reference_means_its_claim_or_the_first_that_was_made_for_it(
    reference: PodClaimReference, statuses: list[PodClaimStatus], name: str | None
) -> None:
    pod = Pod("default", "pod", "uid", (reference,), tuple(statuses))
    assert pod.claim_name(reference) == name
