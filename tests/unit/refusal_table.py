"""What servers say of a field that they do not take, as recorded or reported, 2026-11: one row a correction.

Each row: the protocol, what the request holds beside its frame, what of that becomes something else (None: it is gone),
and the refusals that call for it, each with its source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.unit import refused_requests as sent
from tests.unit.refusal_bodies import anthropic, extra, litellm, mistral, openai, pydantic, vllm, vllm_extra

if TYPE_CHECKING:
    from tests.unit.refusal_bodies import Json, Refused


class Row(NamedTuple):
    protocol: str
    held: Json
    becomes: Json
    refusals: dict[str, Refused]


NEW_NAME = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
ONE_TEMPERATURE = (
    "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported."
)
GPT_5 = (
    "UnsupportedParamsError: gpt-5 models (including gpt-5-codex) don't support temperature=0.7. Only temperature=1 is "
    "supported. For gpt-5.1, temperature is supported when reasoning_effort='none' (or not specified, as it defaults "
    "to 'none'). To drop unsupported params set litellm.drop_params = True. Received Model Group=gpt-5-mini"
)
EFFORTS = "Unsupported value: '{}' is not supported with the 'o3' model. Supported values are: {}."
SOME_EFFORTS = "'reasoning_effort' : value is not one of the allowed values ['none', 'default', 'low', 'high']"
AZURE = "Unrecognized request argument supplied: stream_options. Please contact us through an Azure support request."
NO_SYSTEM = "Unsupported value: 'messages[0].role' does not support 'system' with this model."
UNVERIFIED = "Your organization must be verified to generate reasoning summaries. Please click on Verify Organization."
LOST_ITEM = "Item 'rs_1' of type 'reasoning' was provided without its required following item."
WRONG_SEAL = "The encrypted content for item rs_1 could not be verified. Reason: it could not be decrypted or parsed."
TOO_MANY = "max_tokens: 300000 > {}, which is the maximum allowed number of output tokens for tiny"
ONLY_ADAPTIVE = (
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" '
    "to control thinking behavior."
)
LEVELS = "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium."
ALWAYS_ON = '"thinking.type.disabled" is not supported for this model.'
ONLY_ENABLED = "Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'disabled', 'enabled'"
CHANGED = "messages.1.content.0: `thinking` blocks in the latest assistant message cannot be modified."
BOUND = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation."
UNTHOUGHT = (
    "messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is "
    "enabled, a final `assistant` message must start with a thinking block."
)

CHAT_ROWS = (
    Row(
        "chat",
        {"max_tokens": 800},
        {"max_tokens": None, "max_completion_tokens": 800},
        {
            "openai": openai(NEW_NAME, "max_tokens", "unsupported_parameter"),
            "azure, without the name": openai(NEW_NAME),
            "litellm": litellm(f"BadRequestError: OpenAIException - {NEW_NAME}"),
            "openrouter, in the stream": (200, {"error": {"code": 400, "message": NEW_NAME}, "choices": []}),
        },
    ),
    Row(
        "chat",
        {"max_completion_tokens": 800},
        {"max_completion_tokens": None, "max_tokens": 800},
        {
            "older openai": openai("Unrecognized request argument supplied: max_completion_tokens"),
            "vllm": vllm_extra("max_completion_tokens", 800),
            "mistral": mistral(extra("max_completion_tokens")),
            "mistral, of two fields": pydantic(extra("store"), extra("max_completion_tokens")),
        },
    ),
    Row(
        "chat",
        {},
        {"stream_options": None},
        {
            "tgi": (422, {"error": "Failed to deserialize: unknown field `stream_options`"}),
            "vllm": vllm_extra("stream_options", {"include_usage": True}),
            "azure": openai("Unknown parameter: 'stream_options'.", "stream_options", "unknown_parameter"),
            "older azure": openai(AZURE),
            "fireworks": openai("Extra inputs are not permitted, field: 'stream_options'"),
            "json schema": (400, {"error": "Additional properties are not allowed ('stream_options' was unexpected)"}),
            "glm": openai("参数 stream_options 不支持"),
        },
    ),
    Row(
        "chat",
        {"temperature": 0.5, "reasoning_effort": "high"},
        {"temperature": None},
        {
            "openai": openai(ONE_TEMPERATURE, "temperature", "unsupported_value"),
            "kimi": openai("invalid temperature: only 1 is allowed for this model"),
            "zen": (400, {"message": "temperature is deprecated for this model."}),
            "litellm": litellm(GPT_5),
        },
    ),
    Row(
        "chat",
        {"reasoning_effort": "xhigh"},
        {"reasoning_effort": "high"},
        {
            "openai": openai(EFFORTS.format("xhigh", "'low', 'medium', and 'high'"), "reasoning_effort"),
            "groq": openai(SOME_EFFORTS),
            "deepinfra": pydantic({"loc": ["body", "reasoning_effort"], "msg": "Input should be 'low' or 'high'"}),
            "serde": openai("reasoning_effort: unknown variant `xhigh`, expected one of `high`, `low`, `none`"),
        },
    ),
    Row(
        "chat",
        {"reasoning_effort": "high"},
        {"reasoning_effort": None},
        {
            "groq": openai("`reasoning_effort` must be one of `none` or `default`"),
            "xai": (400, {"code": "invalid-argument", "error": "Model x does not support parameter reasoningEffort."}),
            "litellm": litellm("UnsupportedParamsError: groq does not support parameters: ['reasoning_effort']"),
        },
    ),
    Row(
        "chat",
        {},
        {"messages": [{"role": "user", "content": "Be brief.\n\nHello"}]},
        {
            "o1-mini": openai(NO_SYSTEM, "messages[0].role", "unsupported_value"),
            "gemma at vllm": vllm("System role not supported"),
            "gemma at gemini": (
                400,
                [{"error": {"message": "Developer instruction is not enabled for models/gemma-3"}}],
            ),
            "mistral's old template": vllm("Conversation roles must alternate user/assistant/user/assistant/..."),
        },
    ),
    Row(
        "chat",
        {"messages": [sent.USER, sent.CALLING]},
        {"messages": [sent.USER, {**sent.CALLING, "content": ""}]},
        {
            "ollama": openai("invalid message content type: <nil>"),
            "openai": openai("Invalid value for 'content': expected a string, got null.", "messages.[1].content"),
            "mistral": pydantic({"loc": ["body", "messages", 1, "content"], "msg": "Input should be a valid string"}),
        },
    ),
    Row(
        "chat",
        {"max_tokens": 20_000},
        {"max_tokens": 8192},
        {
            "openai": openai("max_tokens is too large: 20000. This model supports at most 8192 completion tokens."),
            "deepseek": openai("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"),
            "older groq": openai("max_tokens for `llama-3.1-8b` must be less than or equal to 8192"),
        },
    ),
    Row(
        "chat",
        {"max_completion_tokens": 50_000},
        {"max_completion_tokens": 40_960},
        {"groq": openai("`max_completion_tokens` must be less than or equal to `40960`", "max_completion_tokens")},
    ),
)
RESPONSES_ROWS = (
    Row(
        "responses",
        {"temperature": 0.5},
        {"temperature": None},
        {"openai": openai("Unsupported parameter: 'temperature' is not supported with this model.", "temperature")},
    ),
    Row(
        "responses",
        {"reasoning": {"effort": "none", "summary": "auto"}},
        {"reasoning": {"effort": "minimal", "summary": "auto"}},
        {"openai": openai(EFFORTS.format("none", "'minimal' and 'low'"), "reasoning.effort", "unsupported_value")},
    ),
    Row(
        "responses",
        {"reasoning": {"effort": "high"}},
        {"reasoning": None},
        {"openai": openai("Unsupported parameter: 'reasoning.effort' is not supported with this model.")},
    ),
    Row(
        "responses",
        {"reasoning": {"effort": "high", "summary": "auto"}},
        {"reasoning": {"effort": "high"}},
        {"openai": openai(UNVERIFIED, "reasoning.summary", "unsupported_value")},
    ),
    Row(
        "responses",
        {"include": ["reasoning.encrypted_content"]},
        {"include": None},
        {"openai": openai("Encrypted content is not supported with this model.", "include")},
    ),
    Row(
        "responses",
        {"prompt_cache_key": "c", "max_output_tokens": 800},
        {"prompt_cache_key": None},
        {"a gateway": pydantic(extra("prompt_cache_key"))},
    ),
    Row(
        "responses",
        {"prompt_cache_key": "c", "max_output_tokens": 800},
        {"max_output_tokens": None},
        {"chatgpt": (400, {"detail": "Unsupported parameter: max_output_tokens"})},
    ),
    Row(
        "responses",
        {"input": [sent.ASKED, sent.REASONED, sent.ASKED]},
        {"input": [sent.ASKED, sent.ASKED]},
        {
            "openai": openai(LOST_ITEM, "input"),
            "another organisation": openai(WRONG_SEAL, None, "invalid_encrypted_content"),
        },
    ),
)
MESSAGES_ROWS = (
    Row(
        "messages", {"max_tokens": 300_000}, {"max_tokens": 128_000}, {"anthropic": anthropic(TOO_MANY.format(128_000))}
    ),
    Row(
        "messages",
        {"max_tokens": 9000, **sent.ENABLED},
        {"max_tokens": 1500, "thinking": {"type": "enabled", "budget_tokens": 1024}},
        {"anthropic": anthropic(TOO_MANY.format(1500))},
    ),
    Row(
        "messages",
        {"max_tokens": 9000, **sent.ENABLED},
        {"max_tokens": 1000, **sent.NO_THINKING},
        {"anthropic": anthropic(TOO_MANY.format(1000))},
    ),
    Row(
        "messages",
        {"cache_control": {"type": "ephemeral"}},
        {"cache_control": None},
        {"older servers": anthropic("cache_control: Extra inputs are not permitted")},
    ),
    Row(
        "messages",
        {**sent.ENABLED, "output_config": {"effort": "low"}},
        sent.ADAPTIVE,
        {"anthropic": anthropic(ONLY_ADAPTIVE)},
    ),
    Row(
        "messages",
        {**sent.ADAPTIVE, "output_config": {"effort": "low"}},
        sent.ENABLED,
        {
            "anthropic": anthropic("adaptive thinking is not supported on this model"),
            "bedrock": anthropic(f"thinking: {ONLY_ENABLED}"),
            "qwen": openai("Only 'enabled' and 'disabled' are supported for thinking; 'adaptive' is not supported."),
            "nvidia": (400, {"message": "Validation: `thinking.type` must be `enabled` or `disabled`", "code": 400}),
        },
    ),
    Row("messages", sent.DISABLED, sent.NO_THINKING, {"anthropic": anthropic(ALWAYS_ON)}),
    Row(
        "messages",
        sent.ADAPTIVE,
        sent.NO_THINKING,
        {
            "ollama": anthropic('"tiny" does not support thinking'),
            "older servers": anthropic("thinking: Extra inputs are not permitted"),
        },
    ),
    Row(
        "messages",
        sent.ADAPTIVE,
        {"thinking": {"type": "adaptive"}},
        {"older servers": anthropic("thinking.adaptive.display: Extra inputs are not permitted")},
    ),
    Row(
        "messages",
        {"output_config": {"effort": "xhigh"}},
        {"output_config": {"effort": "high"}},
        {"anthropic": anthropic(LEVELS)},
    ),
    Row(
        "messages",
        {"output_config": {"effort": "low"}},
        {"output_config": None},
        {
            "anthropic": anthropic("This model does not support the effort parameter."),
            "older servers": anthropic("output_config: Extra inputs are not permitted"),
        },
    ),
    Row(
        "messages",
        {"messages": [sent.TEXT, {"role": "assistant", "content": [sent.THOUGHT, *sent.SAID["content"]]}, sent.TEXT]},
        {"messages": [sent.TEXT, sent.SAID, sent.TEXT]},
        {"anthropic": anthropic(CHANGED), "anthropic, bound": anthropic(BOUND)},
    ),
    Row("messages", sent.ENABLED, sent.NO_THINKING, {"anthropic": anthropic(UNTHOUGHT)}),
)
ROWS = (*CHAT_ROWS, *RESPONSES_ROWS, *MESSAGES_ROWS)
