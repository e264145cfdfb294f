"""A terminal chat with large language models, and the provider layer under it."""

__version__ = "0.1.0"
