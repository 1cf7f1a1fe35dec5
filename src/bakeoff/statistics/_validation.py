"""What every procedure of this room demands of its input; breaking it is a programmer's error."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def require_alpha(alpha: float) -> None:
    """Raise `ValueError` unless `alpha` is a probability of error that an interval can have."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha lies in (0, 1): 0.01 is a 99 % interval; got {alpha}.")


def finite_vector(values: npt.ArrayLike, name: str) -> FloatArray:
    """`values` as a one-dimensional array of finite floats, at least one."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has one number per round, shape (rounds,); got {array.shape}.")
    _require_finite(array, name)
    return array


def finite_matrix(values: npt.ArrayLike, name: str) -> FloatArray:
    """`values` as a two-dimensional array of finite floats, at least one row and one column."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(
            f"{name} has one row per cell and one column per round, shape (cells, rounds); "
            f"got {array.shape}."
        )
    _require_finite(array, name)
    return array


def _require_finite(array: FloatArray, name: str) -> None:
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has a number that is NaN or infinite: {array.tolist()}.")
