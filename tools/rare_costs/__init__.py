"""Arms whose cost is rare, measured by bakeoff and, for the truth, by nothing but total time."""
