"""copy.deepcopy: a fork copies the whole map of claims with the standard library's generic copier.

How it works
    As ``deepcopy``, but the claims of a fork are made by ``copy.deepcopy``, which finds out about every object as
    it goes and remembers all it has copied; ``deepcopy`` has a ``clone`` written for claims.

What it costs
    As ``deepcopy``, with a far larger factor: fork O(objects in all claims).

Where it comes from
    What a Python user writes first. There is no such form upstream: Kubernetes generates a clone for each type.
"""

from __future__ import annotations

import copy

from impls.snapshot._snapshot import cloned_on_fork

create = cloned_on_fork(copy.deepcopy)
