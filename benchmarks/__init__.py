"""What a run costs, beside peers, as ratios measured in one run: ``python -m benchmarks``."""
