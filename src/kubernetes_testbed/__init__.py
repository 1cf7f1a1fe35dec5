"""The testbed both studies stand on: Kubernetes objects and seeded clusters of them.

It is as lean as faithful allows: fields that no study reads are left out, and metadata, spec and
status are flattened into the object they belong to.
"""
