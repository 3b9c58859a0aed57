"""The command in this process, for tests of what it prints and writes."""

import pytest

from fastsim.cli import main


class Said:
    """Exit code, standard output and standard error of a command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Return a function that runs the command in this process."""
    monkeypatch.setattr("fastsim.cli.atexit.register", lambda function: function)

    def run(*arguments: str) -> Said:
        code = 0
        try:
            main(list(arguments))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return run
