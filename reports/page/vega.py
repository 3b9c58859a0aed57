"""From specifications of charts to SVG, by the Vega that vl-convert brings, in a thread of its own.

Vega takes most of the time that a page takes, and needs nothing of Python meanwhile: charts are
drawn while the page's tables are made, and Vega starts while other modules are imported.
"""

import re
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any

import vl_convert


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "vega")


def start() -> None:
    """Begin to load Vega, if that was not done before."""
    if not _thread.cache_info().currsize:
        _thread().submit(vl_convert.vegalite_to_svg, {"data": {"values": []}, "mark": "point"})


def svg(specification: dict[str, Any], name: str) -> "Future[str]":
    """Return a chart as SVG, whose ids start with a name: unique in a page, and always the same."""
    return _thread().submit(_svg, specification, name)


def _svg(specification: dict[str, Any], name: str) -> str:
    found: str = vl_convert.vegalite_to_svg(specification)
    for index, each in enumerate(dict.fromkeys(re.findall(r' id="(\w+)"', found))):
        found = found.replace(f' id="{each}"', f' id="{name}-{index}"')
        found = found.replace(f"url(#{each})", f"url(#{name}-{index})")
    return found
