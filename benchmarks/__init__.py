"""Speed, memory and quality, as ratios measured in one run."""
