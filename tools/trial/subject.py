"""What is judged: one function, and itself slowed by a known percentage."""

from __future__ import annotations

#: One block is about ten microseconds of plain arithmetic, so the whole is about a millisecond.
BLOCKS = 100
STEPS = 200

_SOURCE = '''"""Arithmetic that takes as long as it has blocks."""

BLOCKS = {blocks}
STEPS = {steps}


def work():
    for _ in range(BLOCKS):
        total = 0
        for step in range(STEPS):
            total += step * step % 7
    return total
'''


def source_of(effect_percent: int) -> str:
    """Source text of a module with a function ``work()``.

    Every block computes the same sum anew, so the answer does not depend on the effect.

    Parameters
    ----------
    effect_percent : int
        How many percent more work it does than the one of effect 0.

    Raises
    ------
    ValueError
        If the effect is negative.
    """
    if effect_percent < 0:
        raise ValueError(f"The second function is never the faster one: {effect_percent} %.")
    # One block is one percent because there are a hundred.
    return _SOURCE.format(blocks=BLOCKS + effect_percent, steps=STEPS)
