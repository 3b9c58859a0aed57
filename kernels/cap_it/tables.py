"""Cap-It: rules and policies as arrays, as for all contract rummy."""

from kernels.rummy.tables import Policies, Rules, Scratch, Tables, build_policies, build_tables, new_scratch

__all__ = ["Policies", "Rules", "Scratch", "Tables", "build_policies", "build_tables", "new_scratch"]
