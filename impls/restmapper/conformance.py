"""Every promise of a mapper as a check, and every capability that some of them have and others not.

A function ``check_…`` raises `AssertionError` if the promise is broken. A function ``capability_…`` does so if the mapper cannot do
it, which is no fault: the originals differ in just these things. All of them ask a real server on loopback.
"""

from __future__ import annotations

from impls.restmapper._checks.answers import *
from impls.restmapper._checks.capabilities import *
from impls.restmapper._checks.trouble import *
