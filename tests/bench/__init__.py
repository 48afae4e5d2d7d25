"""The bench: what hqt costs beside the bare commands, as ratios within one run."""
