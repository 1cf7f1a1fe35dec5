from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--vectors",
        type=Path,
        default=None,
        metavar="DIR",
        help="folder with recorded answers of the original implementations; each file in it whose "
        "name says what it holds is replayed (default: shared/vectors beside the repository)",
    )


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The repository."""
    return ROOT
