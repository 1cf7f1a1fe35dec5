"""Settings: options that a study's workloads declare, given on the command line like any other (``--kubeconfig FILE``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from bakeoff.errors import BakeoffError
from bakeoff.study import Workload

_KEY = "bakeoff.settings"


class CommandWithSettings(TyperCommand):
    """A command that keeps options it does not know itself: what they mean is the workloads' affair."""

    # typer keeps the base class of its contexts to itself.
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the settings out, and parse the rest."""
        own = {
            name
            for parameter in self.get_params(ctx)
            for name in (*parameter.opts, *parameter.secondary_opts)
        }
        rest, ctx.meta[_KEY] = split_settings(args, own)
        return super().parse_args(ctx, rest)


def given_settings(context: typer.Context) -> Mapping[str, str]:
    """The settings on the command line, by name."""
    found: Mapping[str, str] = context.meta[_KEY]
    return found


def split_settings(
    arguments: Sequence[str], own_options: Iterable[str]
) -> tuple[list[str], dict[str, str]]:
    """What a command knows, and the settings by name.

    Parameters
    ----------
    arguments : sequence of str
        ``["snapshot", "--budget", "10m", "--kubeconfig", "config"]``.
    own_options : iterable of str
        The command's own: ``{"--budget", …}``.

    Returns
    -------
    tuple
        ``["snapshot", "--budget", "10m"]`` and ``{"kubeconfig": "config"}``; a file is named by its whole path.

    Raises
    ------
    BakeoffError
        If a setting has no value.
    """
    own = {*own_options}
    rest: list[str] = []
    settings: dict[str, str] = {}
    left = [*arguments]
    while left:
        argument = left.pop(0)
        option, has_value, value = argument.partition("=")
        if argument == "--":
            return [*rest, argument, *left], settings
        if not argument.startswith("--") or option in own:
            rest.append(argument)
            continue
        if not has_value:
            if not left or left[0].startswith("-"):
                raise BakeoffError(f"No such option: {option}", "See: bakeoff --help")
            value = left.pop(0)
        # Measuring processes work elsewhere.
        settings[option[2:]] = str(Path(value).absolute()) if Path(value).exists() else value
    return rest, settings


def require_known(settings: Mapping[str, str], workloads: Iterable[type[Workload]]) -> None:
    """Refuse a setting that no workload declares.

    Raises
    ------
    BakeoffError
        If there is one.
    """
    known = {name: text for workload in workloads for name, text in workload.settings.items()}
    for name in settings:
        if name not in known:
            offered = ", ".join(f"--{one} ({text})" for one, text in sorted(known.items()))
            raise BakeoffError(
                f"No such option: --{name}",
                f"The workloads' own settings are {offered}."
                if offered
                else "The workloads chosen have no settings of their own; see: bakeoff --help",
            )


def settings_of(workload: type[Workload], given: Mapping[str, str]) -> dict[str, str]:
    """What of the settings concerns a workload."""
    return {name: value for name, value in given.items() if name in workload.settings}
