"""The core: turns, events, messages. Knows no SDK, no terminal and no YAML."""
