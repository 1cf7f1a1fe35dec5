"""What the documentation names exists: files, make targets, verbs and their options."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BAKEOFF = Path(sys.executable).with_name("bakeoff")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def commands(page: Path) -> list[str]:
    """Commands in code blocks and in backquotes, without comments."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)
    return [line.partition("#")[0].strip() for line in lines]


@cache
def help_of(*verb: str) -> str:
    finished = subprocess.run(
        [BAKEOFF, *verb, "--help"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"},
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_make_target_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    asked = {
        word
        for command in commands(page)
        if command.startswith("make ")
        for word in command.split()[1:]
        if "=" not in word
    }
    assert asked <= targets


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_verb_and_option_of_bakeoff_exists(page: Path) -> None:
    for command in commands(page):
        match = re.match(r"(?:\.venv/bin/)?bakeoff ([a-z]+)(.*)", command)
        if match:
            options = re.findall(r"--[a-z-]+", match[2])
            described = help_of(match[1])
            assert [option for option in options if option not in described] == [], command
