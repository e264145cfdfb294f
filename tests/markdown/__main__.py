"""`python -m tests.markdown`: the examples of the CommonMark and GFM specifications, drawn at four widths."""

from __future__ import annotations

import sys

from tests.markdown.spec import NAMES, examples
from tests.markdown.sweep import WIDTHS, sweep


def main() -> int:
    code = 0
    for name in NAMES:
        found = examples(name)
        result = sweep(found)
        sys.stdout.write(
            f"{name}: {len(found)} examples x {len(WIDTHS)} widths = {result.rendered}; "
            f"exceptions {len(result.exceptions)}, rows wider than the window {len(result.wide_rows)}, "
            f"lost letters {len(result.lost)}\n"
        )
        sys.stderr.writelines(f"{fault}\n" for fault in result.faults)
        code = 1 if result.faults else code
    return code


if __name__ == "__main__":
    sys.exit(main())
