"""The config file: found, read, checked. Nothing here opens a connection or keeps state."""
