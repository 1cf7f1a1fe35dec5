"""The method on rounds whose truth is known: thousands of comparisons, judged by the harness's own code."""
