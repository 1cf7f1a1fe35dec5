"""From what was simulated and tried to the tables of docs/method.md."""
