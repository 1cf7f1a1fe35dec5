"""REST mappers: which resource of an API server holds objects of a kind, and which kind is behind a resource."""
