"""``python -m fastsim`` is the command ``fastsim``; so light that an interrupt finds it ready."""

import sys


def main() -> None:
    """Run the command; an interrupt while it is still loading is told as any other."""
    try:
        from fastsim.cli import main as command
    except KeyboardInterrupt:
        sys.stderr.write("fastsim: interrupted\n")
        sys.exit(130)
    command()


if __name__ == "__main__":
    main()
