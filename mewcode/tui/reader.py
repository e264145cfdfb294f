"""What the terminal sends, as keys: text, keys, pastes and replies told apart. Bytes in, keys out; no terminal here.

urwid's decoder (5.1) names the single key; it types an unknown reply letter by letter, and its cost grows with the
square of what comes at once.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from typing import TYPE_CHECKING

from urwid.display import escape

from mewcode.tui.paste import Key, Pasted, line_ends

if TYPE_CHECKING:
    from collections.abc import Callable

LINE_WAIT = 0.01  # seconds after an Enter in which more text makes it a line end of a paste
ESCAPE_WAIT = 0.03  # seconds a lone Esc is held, since it could begin a sequence
TORN_WAIT = 0.5  # seconds after an Esc in which the rest of a sequence belongs to it
LONE_WAIT = 0.15  # seconds after which a character that comes alone is a key, and no part of a reply
REST_WAIT = 0.65  # more seconds a torn sequence is held: over a slow link its rest comes later
STALLED = 1.0  # seconds without a byte, in the middle of a paste
_AT_ONCE = 100  # characters: more than that in one read are no typing
_LONGEST = 4096  # bytes of a control sequence

_RUN = re.compile(rb"[\t\n\r\x20-\x7e\x80-\xff]+")
_CSI = re.compile(rb"\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]")
_CSI_OPEN = re.compile(rb"\x1b\[[\x30-\x3f]*[\x20-\x2f]*")
_SS3 = re.compile(rb"\x1bO[0-9]?[\x20-\x7e]")
_META = re.compile(rb"\x1b([\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})")
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_MARK = re.compile(rb"\x1b\[20[01]~")
_MARK_BEGUN = re.compile(rb"(\r+|\x1b(\[(2(0[01]?)?)?)?)\Z")
_REPLY = re.compile(rb"\x1b\[[?<=>M]")  # what no key begins with
_CURSOR = re.compile(rb"\x1b\[\d+;\d+R")  # where it is; urwid would take some for F3
_TORN = re.compile(rb"\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|[\]P_^X][\x20-\xff]*(\x07|\x1b\\)|O[A-Z]")
_BROKEN = "\ufffd"  # bytes that are no text
_STRINGS = b"]P_^X"  # OSC, DCS, APC, PM, SOS. Source: ECMA-48
_NO_KEYS = frozenset({"focus in", "focus out", "status ok", "begin paste", "end paste"})


class Reader:
    """Thread: the loop's. Who feeds it calls `expire` when nothing has come for `wait` seconds.

    `mouse`: whether reports of the mouse are wanted; they are dropped otherwise, as every other report is.
    """

    def __init__(self, encoding: str = "utf-8", source: Callable[[], str | None] = lambda: None) -> None:
        """`source()`: what may have been pasted, see `line_ends`."""
        self.mouse = False
        self._source = source
        # a byte that is not ASCII can only be UTF-8, whatever a C locale says
        self._encoding = "utf-8" if codecs.lookup(encoding).name == "ascii" else encoding
        self._characters = codecs.getincrementaldecoder(self._encoding)("replace")
        self._held = b""  # a sequence whose rest has not come
        self._string = False  # within a string for a program (OSC and the like) whose end has not come
        self._paste: bytearray | None = None  # the bytes so far, while a paste is under way
        self._text = ""  # typed text that may go on
        self._lone = False  # nothing has come for a while
        self._torn = False  # an Esc was taken for the key a moment ago
        self._keys: list[Key] = []

    @property
    def wait(self) -> float | None:
        """Seconds until `expire` has something to decide; None where nothing is open."""
        if self._paste is not None:
            return STALLED if self._paste and not self._lone else None
        if self._may_be_esc:
            return ESCAPE_WAIT
        if self._open:
            return REST_WAIT if self._lone else LONE_WAIT
        if self._text:
            return LINE_WAIT
        return TORN_WAIT if self._torn else None

    def feed(self, data: bytes) -> list[Key]:
        """The keys that these bytes complete."""
        lone, self._lone = self._lone, False
        torn, self._torn = self._torn, False
        if self._paste is not None and lone and data in (b"\x03", b"\x1b"):
            data = b"\x1b[201~"  # pressed by hand: the end mark was lost, and the keyboard would stay dead
        elif torn and _TORN.match(data):
            data = b"\x1b" + data  # over a slow link it came too late
        elif lone and (self._string or _REPLY.match(self._held)) and self._one_key(data):
            self._drop()
        data, self._held = self._held + data, b""
        at = 0
        while at < len(data):
            at = self._step(data, at)
        if self._paste is None:
            self._settle(last=False)
        return self._taken()

    def expire(self) -> list[Key]:
        """Decide what is open, since nothing more has come."""
        if self._paste is not None:
            self._show_so_far(self._paste)
        elif self._may_be_esc:
            self._keys += ["esc"] * len(self._held)
            self._drop()
            self._torn = True
        elif self._open and not self._lone:
            self._lone = True
        else:
            self._drop()
            self._settle(last=True)
            self._torn = self._lone = False
        return self._taken()

    @property
    def _may_be_esc(self) -> bool:
        return self._held in (b"\x1b", b"\x1b\x1b") and not self._string  # in a string it begins the end

    @property
    def _open(self) -> bool:
        return bool(self._held or self._string or self._characters.getstate()[0])

    def _taken(self) -> list[Key]:
        keys, self._keys = self._keys, []
        return keys

    def _drop(self) -> None:
        self._held, self._string = b"", False
        self._text += self._characters.decode(b"", final=True)

    def _one_key(self, data: bytes) -> bool:
        return data[0] == 0x1B or (data[0] >= 0x20 and len(data.decode(self._encoding, "replace")) == 1)

    def _step(self, data: bytes, at: int) -> int:
        """Take one thing from the data; where the next begins."""
        if self._paste is not None:
            return self._paste_on(self._paste, data, at)
        if self._string:
            return self._skip(data, at)
        if found := _RUN.match(data, at):
            self._text += self._characters.decode(found[0])
            return found.end()
        self._text += self._characters.decode(b"", final=True)
        self._settle(last=True)
        if data[at] == 0x1B:
            return self._escape(data, at)
        self._name(data[at : at + 1])
        return at + 1

    def _settle(self, *, last: bool) -> None:
        """Make keys of the typed text. An Enter at its end, and what is more than one line, wait for what follows."""
        text, self._text = self._text, ""
        line, enter, more = text.partition("\r")
        if not enter:
            self._type(line)
        elif more.strip(_BROKEN) in ("", "\n"):
            self._type(line)
            if last:
                self._keys.append("enter")
            else:
                self._text = enter + more
        elif last:
            self._keys.append(Pasted(line_ends(text)))
        else:
            self._text = text

    def _type(self, text: str) -> None:
        if len(text) > _AT_ONCE:
            self._keys.append(Pasted(text))
            return
        for character in text:
            if character in "\n\t":
                self._keys.append("ctrl j" if character == "\n" else "tab")
            elif character != _BROKEN and unicodedata.category(character) != "Cc":
                self._keys.append(character)

    def _escape(self, data: bytes, at: int) -> int:
        second = data[at + 1 : at + 2]
        if not second:
            return self._hold(data, at)
        if second in _STRINGS:
            self._string = True
            return at + 2
        if second == b"[":
            return self._csi(data, at)
        if second == b"O":
            return self._whole(_SS3.match(data, at), data, at)
        if second == b"\x1b":
            return self._double(data, at)
        if second >= b"\x80":
            return self._meta(data, at)
        self._name(data[at : at + 2])
        return at + 2

    def _csi(self, data: bytes, at: int) -> int:
        found = _CSI.match(data, at)
        if found is None:
            opened = _CSI_OPEN.match(data, at)
            assert opened is not None
            if opened.end() == len(data) and opened.end() - at < _LONGEST:
                return self._hold(data, at)
            return opened.end()  # a control or a letter beyond ASCII: it has no end, and that is a key
        more = {b"\x1b[M": 3, b"\x1b[[": 1}.get(found[0], 0)  # the old mouse report, the Linux console's F keys
        if ended := _CONTROL.search(data, found.end(), found.end() + more):
            return ended.start()
        if found.end() + more > len(data):
            return self._hold(data, at)
        if found[0] == b"\x1b[200~":
            self._paste = bytearray()
        else:
            self._name(data[at : found.end() + more])
        return found.end() + more

    def _whole(self, found: re.Match[bytes] | None, data: bytes, at: int) -> int:
        if found is None:
            return self._hold(data, at) if len(data) - at < 4 and data[-1] >= 0x20 else at + 2
        self._name(found[0])
        return found.end()

    def _double(self, data: bytes, at: int) -> int:
        """Esc twice, or a key that is a sequence, pressed with Alt."""
        third = data[at + 2 : at + 3]
        if not third:
            return self._hold(data, at)
        if third in (b"[", b"O"):
            before = len(self._keys)
            end = self._escape(data, at + 1)
            if self._held:
                self._held = data[at:]
            self._keys[before:] = [f"meta {key}" if isinstance(key, str) else key for key in self._keys[before:]]
            return end
        self._keys.append("esc")
        return at + 1

    def _meta(self, data: bytes, at: int) -> int:
        if found := _META.match(data, at):
            self._keys.append(f"meta {found[1].decode('utf-8', 'replace')}")
            return found.end()
        if len(data) - at < 5 and not _CONTROL.search(data, at + 1):
            return self._hold(data, at)
        self._keys.append("esc")
        return at + 1

    def _hold(self, data: bytes, at: int) -> int:
        self._held = data[at:]
        return len(data)

    def _skip(self, data: bytes, at: int) -> int:
        """Pass over a string. A control that cannot be in one is a key, and the string has no end."""
        found = _CONTROL.search(data, at)
        if found is None:
            return len(data)
        if found[0] == b"\x1b" and found.end() == len(data):
            return self._hold(data, found.start())
        self._string = False
        if found[0] == b"\x07":
            return found.end()
        if found[0] != b"\x1b" or data[found.end()] in b"[O]P_^X":
            return found.start()
        return found.end() + (data[found.end()] == 0x5C)  # the end, or half of it: what follows is a key

    def _name(self, sequence: bytes) -> None:
        """The key of a sequence; nothing for a report, and for what no key sends."""
        if _CURSOR.fullmatch(sequence):
            return
        names, rest = escape.process_keyqueue(list(sequence), False)
        if rest or len(names) != 1:
            return
        (key,) = names
        match key:
            case (str(action), int(button), int(column), int(row)):
                if self.mouse and "mouse" in action:
                    self._keys.append((action, button, column, row))
            case str() if key not in _NO_KEYS and not (key.startswith("<") and len(key) > 1):
                self._keys.append(key)

    def _paste_on(self, paste: bytearray, data: bytes, at: int) -> int:
        before = len(paste)
        paste += data[at:]
        found = _MARK.search(paste, max(0, before - 5))
        if found is None:
            return len(data)
        # a begin within a paste: the end of the first was lost
        self._paste = bytearray() if found[0] == b"\x1b[200~" else None
        self._keys.append(self._pasted(paste[: found.start()]))
        return at + found.end() - before

    def _show_so_far(self, paste: bytearray) -> None:
        """Let a paste that has stalled be seen, but for what its next bytes may change."""
        self._lone = True
        text, used = codecs.getincrementaldecoder(self._encoding)("replace"), len(paste)
        if found := _MARK_BEGUN.search(paste):
            used = found.start()
        text.decode(bytes(paste[:used]))
        used -= len(text.getstate()[0])
        if used:
            self._keys.append(self._pasted(paste[:used]))
            del paste[:used]

    def _pasted(self, data: bytearray) -> Pasted:
        return Pasted(line_ends(data.decode(self._encoding, "replace"), self._source))
