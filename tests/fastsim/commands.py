"""The command in a process of its own, as a user's shell runs it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment(**changes: str | None) -> dict[str, str]:
    """Return this process's environment with changes; None removes a variable."""
    merged = {**os.environ, "PYTHONPATH": str(ROOT), **changes}
    return {name: value for name, value in merged.items() if value is not None}


def fastsim(
    *arguments: str, cwd: Path | None = None, python: tuple[str, ...] = (), **changes: str | None
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m fastsim`` to its end; keywords change the environment."""
    return subprocess.run(
        [sys.executable, *python, "-m", "fastsim", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment(**changes),
        check=False,
    )


def interrupted(*arguments: str, ready: str, **changes: str | None) -> tuple[int, str, str]:
    """Start Python code, interrupt it as Ctrl-C does once it says ``ready`` on standard error.

    Returns exit code, standard output and standard error.
    """
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**changes),
    ) as process:
        assert process.stderr is not None
        said = ""
        while ready not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    return process.returncode, out, said + err
