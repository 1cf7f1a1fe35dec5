"""The application: its verbs, and what becomes of an error."""

from __future__ import annotations

import sys

import typer

from bakeoff import __version__
from bakeoff.commands import all_steps, check, claims, doctor, list_project, report, run
from bakeoff.commands.settings import CommandWithSettings
from bakeoff.errors import BakeoffError

app = typer.Typer(
    name="bakeoff",
    help="Compare interchangeable implementations of one interface: same answers first, then paired "
    "measurement, then a page to decide on.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 holds, 1 refuted or a check fails, 2 wrong usage or broken set-up, "
    "3 inconclusive under --strict, 124 timed out, 130 interrupted.",
)

app.command("list")(list_project.list_command)
app.command("check")(check.check_command)
app.command("run", cls=CommandWithSettings)(run.run_command)
app.command("report")(report.report_command)
app.command("claims")(claims.claims_command)
app.command("all", cls=CommandWithSettings)(all_steps.all_command)
app.command("doctor")(doctor.doctor_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"bakeoff {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_show_version, is_eager=True
    ),
) -> None:
    """Options before the verb."""


def run_application() -> int:
    """Run the command line.

    Returns
    -------
    int
        The exit code.
    """
    try:
        code = typer.main.get_command(app).main(prog_name="bakeoff", standalone_mode=False)
    except typer.Abort:
        return 130
    except typer.TyperException as error:
        print(f"error: {error.format_message()}\n  See: bakeoff --help", file=sys.stderr)
        return BakeoffError.exit_code
    except BakeoffError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output has gone (``| head``): there is nobody left to tell.
        sys.stderr.close()
        return 0
    return code if isinstance(code, int) else 0
