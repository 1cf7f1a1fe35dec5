"""The mapper's promises and capabilities as checks, by subject; `impls.restmapper.conformance` gathers them."""
