"""How kernels are compiled: all flags in one place.

Importing this module points numba's cache at the folder of the present sources (see ``cache``),
which must happen before the first function is decorated.
"""

from typing import Any

import numba

from kernels import cache

_folder, note = cache.open_folder()
"""``note`` is what the user should know of the cache (a fallback that was taken), or None."""
# Without a folder, numba's own choice of place must not come into play: it would be stale.
numba.config.CACHE_DIR = str(_folder) if _folder else ""  # type: ignore[attr-defined]

# Kernels are handed all the arrays that they use, so numba need not count references to them.
_flags: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}

kernel = numba.njit(cache=_folder is not None, **_flags)
"""Decorator of a function that Python calls: compiled once, kept on disk, free of the lock."""

helper = numba.njit(forceinline=True, **_flags)
"""Decorator of a small function that only kernels call: becomes part of its caller."""

function = numba.njit(**_flags)
"""Decorator of a larger function that only kernels call, at a place or time that is rare."""
