"""Every promise of the snapshot as a check; an implementation is right if it passes all of them.

A check is a function of the factory ``create``; its first line is the promise. It raises
`AssertionError` if the promise is broken. Checks look at one promise each where they can, so
that the name of the one that fails says what is wrong. They are in `_checks`, by subject.
"""

from __future__ import annotations

from impls.snapshot._checks.aliasing import *
from impls.snapshot._checks.claims import *
from impls.snapshot._checks.devices import *
from impls.snapshot._checks.layers import *
from impls.snapshot._checks.pods import *
