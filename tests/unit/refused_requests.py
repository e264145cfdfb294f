"""Parts of requests, and the shortest whole request of each protocol."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Hello"}
CALL = {"id": "t1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
ASKED = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]}
REASONED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
SAID = {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}
TEXT = {"role": "user", "content": [{"type": "text", "text": "Hello"}]}

FRAMES: dict[str, Json] = {
    "chat": {"model": "tiny", "messages": [SYSTEM, USER], "stream": True, "stream_options": {"include_usage": True}},
    "responses": {"model": "tiny", "input": [ASKED], "store": False, "stream": True},
    "messages": {"model": "tiny", "max_tokens": 8192, "messages": [TEXT], "stream": True},
}

ADAPTIVE: Json = {"thinking": {"type": "adaptive", "display": "summarized"}}
ENABLED: Json = {"thinking": {"type": "enabled", "budget_tokens": 4096}}
DISABLED: Json = {"thinking": {"type": "disabled"}}
NO_THINKING: Json = {"thinking": None}
