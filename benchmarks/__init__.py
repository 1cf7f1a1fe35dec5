"""The ruler: one suite per study; always taken from the working tree."""
