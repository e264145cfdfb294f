"""What stands for our own signs, and for those that models write most, where the terminal's encoding lacks them.

The lines of tables are not here: urwid draws them by the terminal's own second character set (urwid 5.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

IN_ASCII: Mapping[str, str] = {
    **dict(zip("❯•◦▪●↓↑→←☐☑✓✗", ">*-*ov^><ox+x", strict=True)),
    **dict(zip("“”„‘’‚–—−…×÷≤≥≈≠", '"""\'\',---.x/<>~#', strict=True)),
}
