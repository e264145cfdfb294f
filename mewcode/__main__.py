"""`python -m mewcode`: the same program as the `mewcode` command."""

from mewcode.cli import main

raise SystemExit(main())
