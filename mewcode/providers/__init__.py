"""One module a protocol. Empty on purpose: importing it must not import an SDK."""
