"""The candidates, one folder per study; taken from the commit under measurement."""
