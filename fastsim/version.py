"""The version of the distribution."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("fastsim-cards")
except PackageNotFoundError:  # run from a source tree that is not installed
    VERSION = "0+unknown"
