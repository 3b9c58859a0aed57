"""30-30: played by the kernel of contract rummy; what is its own is in its layout and its rules."""

from kernels.rummy.play import play

__all__ = ["play"]
