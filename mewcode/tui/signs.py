"""What stands for our own signs, and for those that models write most, where the terminal lacks them.

Where the encoding lacks them urwid takes these, and draws the lines of tables by the terminal's second character set
(urwid 5.1). Under `LC_ALL=C` Python and urwid write UTF-8 all the same: then all of it is put in their place before it
is written, and other letters go out as they are, since most such terminals show them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

IN_ASCII: Mapping[str, str] = {
    **dict(zip("❯•◦▪●↓↑→←☐☑✓✗", ">*-*ov^><ox+x", strict=True)),
    **dict(zip("“”„‘’‚–—−…×÷≤≥≈≠", '"""\'\',---.x/<>~#', strict=True)),
}
LINES_IN_ASCII = str.maketrans({**IN_ASCII, **dict(zip("·─│┼", "--|+", strict=True))})
