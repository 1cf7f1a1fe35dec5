"""Paired rounds: fresh processes that are alive together on one CPU and take turns in random order.

Import the submodules: a measuring process imports this package, and must not pay for the parent's
half of it (statistics, records).
"""
