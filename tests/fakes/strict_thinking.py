"""What Messages refuses about thinking: each block is signed, together with all that came before it.

Texts that follow each other count as one, since their seam is not heard in a stream.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from tests.fakes.strict_memory import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.fakes.strict_memory import Given, Json, Question

_SEALS = {"thinking": "signature", "redacted_thinking": "data"}
_CHANGED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must "
    "remain as they were in the original response."
)


def thinking_setting(question: Question) -> Iterator[str]:
    setting = question.body.get("thinking", {"type": "disabled"})
    kind, allowed = setting.get("type"), question.options.thinking_types
    if "thinking" in question.body and kind not in allowed:
        match kind:
            case "enabled" if "adaptive" in allowed:
                yield (
                    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
                    '"output_config.effort" to control thinking behavior.'
                )
            case "adaptive":
                yield "adaptive thinking is not supported on this model"
            case _:
                yield f'"thinking.type.{kind}" is not supported for this model.'
    known = {"enabled": {"type", "budget_tokens", "display"}, "adaptive": {"type", "display"}}.get(kind, {"type"})
    yield from (f"thinking.{kind}.{name}: Extra inputs are not permitted" for name in sorted(setting.keys() - known))
    if setting.get("display", "summarized") not in ("summarized", "omitted"):
        yield f"thinking.{kind}.display: Input should be 'summarized' or 'omitted'"


def budget(question: Question) -> Iterator[str]:
    match question.body.get("thinking"):
        case {"type": "enabled", "budget_tokens": int(tokens)}:
            if tokens < 1024:
                yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
            if tokens >= question.body["max_tokens"]:
                yield "`max_tokens` must be greater than `thinking.budget_tokens`."
        case {"type": "enabled"}:
            yield "thinking.enabled.budget_tokens: Field required"


def forced_tool(question: Question) -> Iterator[str]:
    setting, choice = question.body.get("thinking", {}), question.body.get("tool_choice", {})
    if setting.get("type") in ("adaptive", "enabled") and choice.get("type") in ("any", "tool"):
        yield "Thinking may not be enabled when tool_choice forces tool use."


def effort(question: Question) -> Iterator[str]:
    level, levels = question.body.get("output_config", {}).get("effort"), question.options.efforts
    if level is not None and levels is not None and level not in levels:
        yield (f"This model does not support effort level '{level}'. Supported levels: {', '.join(sorted(levels))}.")


def thinking_is_as_given(question: Question) -> Iterator[str]:
    for place, message in enumerate(question.body["messages"]):
        for index, block in enumerate(_content(message)):
            if block["type"] in _SEALS:
                yield from _faults(question, place, index)


def no_thinking_is_left_out(question: Question) -> Iterator[str]:
    """Where some of an answer's thinking is kept, what was thought before the rest of the message may not be gone."""
    for place, message in enumerate(question.body["messages"]):
        content = _content(message)
        kept = [block for block in content if block["type"] in _SEALS]
        if kept and (found := _origin(question, kept[0])):
            given = found[0].blocks
            missing = next((at for at, block in enumerate(given) if _is_thinking(block) and block not in kept), None)
            if missing is not None and _goes_on(content, given[:missing]):
                yield f"messages.{place}.content.0: {_CHANGED}"


def tool_turns_start_with_thinking(question: Question) -> Iterator[str]:
    """While a tool's answer is the last word, thinking that led to the call has to be there."""
    messages = question.body["messages"]
    for place in _open_tool_turn(messages):
        content = _content(messages[place])
        if content[0]["type"] not in _SEALS and _thought_first(question, content):
            yield (
                f"messages.{place}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
                f"`{content[0]['type']}`. When `thinking` is enabled, a final `assistant` message must start with a "
                "thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
            )


def bare(blocks: Iterable[Json]) -> list[Json]:
    """Blocks without what may change from request to request."""
    return [{name: value for name, value in block.items() if name != "cache_control"} for block in blocks]


def _faults(question: Question, place: int, index: int) -> Iterator[str]:
    content = _content(question.body["messages"][place])
    where, block = f"messages.{place}.content.{index}", content[index]
    found = _origin(question, block)
    if found is None or found[0].model != question.body["model"]:
        yield f"{where}: Invalid `{_SEALS[block['type']]}` in `{block['type']}` block"
        return
    given, at = found
    if given.blocks[at] != block or _spoken(content[:index]) != _spoken(given.blocks[:at]):
        yield f"{where}: {_CHANGED}"
    if _prefix(question.body, place) != _prefix(given.body, None):
        yield f"{where}: {_CHANGED} What precedes them is not what they were made from."


def _origin(question: Question, block: Json) -> tuple[Given, int] | None:
    seal = _SEALS[block["type"]]
    return question.memory.find(seal, block[seal])


def _prefix(body: Json, end: int | None) -> str:
    """All that stands before a message, as one string."""
    said = [(message["role"], bare(_content(message))) for message in body["messages"][:end]]
    return canonical([bare(_content({"content": body.get("system", "")})), bare(body.get("tools", [])), said])


def _spoken(blocks: Iterable[Json]) -> list[Json]:
    joined: list[Json] = []
    for block in bare(blocks):
        if block["type"] == "text" and joined and joined[-1]["type"] == "text":
            joined[-1] = {"type": "text", "text": joined[-1]["text"] + block["text"]}
        elif block["type"] != "text" or block["text"].strip():
            joined.append(block)
    return joined


def _goes_on(content: list[Json], before: list[Json]) -> bool:
    """Whether the message says or calls more than these blocks do."""
    calls = [block["id"] for block in before if block["type"] == "tool_use"]
    more = any(block["type"] == "tool_use" and block["id"] not in calls for block in content)
    return more or len(_text(content)) > len(_text(before))


def _text(blocks: list[Json]) -> str:
    return "".join(block["text"] for block in blocks if block["type"] == "text").strip()


def _open_tool_turn(messages: list[Json]) -> Iterator[int]:
    """Places of the assistant's messages since the user last spoke of his own accord."""
    ends = range(len(messages) - 1, 0, -2)
    answered = takewhile(lambda end: any(block["type"] == "tool_result" for block in _content(messages[end])), ends)
    yield from (end - 1 for end in answered)


def _thought_first(question: Question, content: list[Json]) -> bool:
    """Whether thinking is wanted here: where this model had begun with it; enabled by hand, also before its time."""
    if not _on(question):
        return False
    founds = [question.memory.find("id", block["id"]) for block in content if block["type"] == "tool_use"]
    answers = [found[0] for found in founds if found and found[0].model == question.body["model"]]
    by_hand = question.body.get("thinking", {}).get("type") == "enabled"
    return any(_is_thinking(given.blocks[0]) for given in answers) or (by_hand and not answers)


def _on(question: Question) -> bool:
    """Thinking is on unless it is switched off: without the setting, the model decides."""
    return question.body.get("thinking", {"type": "adaptive"})["type"] in ("adaptive", "enabled")


def _is_thinking(block: Json) -> bool:
    return block["type"] in _SEALS


def _content(message: Json) -> list[Json]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


THINKING_RULES = (
    thinking_setting,
    budget,
    forced_tool,
    effort,
    thinking_is_as_given,
    no_thinking_is_left_out,
    tool_turns_start_with_thinking,
)
