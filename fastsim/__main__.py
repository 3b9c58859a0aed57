"""``python -m fastsim`` is the command ``fastsim``."""

from fastsim.cli import main

main()
