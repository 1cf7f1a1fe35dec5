"""The snapshot's promises as checks, by subject; `impls.snapshot.conformance` gathers them."""
