"""What the many servers that speak chat completions answer when they refuse, and every refusal there is in one list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewcode import errors
from tests.fakes.dialects import CHAT
from tests.loopback.error_table import ANTHROPIC, AZURE, OPENAI, TPM, Row, said

if TYPE_CHECKING:
    from tests.fakes.dialects import Dialect

Json = Any

_VLLM = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"
_LITELLM = (
    "litellm.BadRequestError: litellm.ContextWindowExceededError: OpenAIException - This model's maximum context length"
    " is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion)."
)
_OPENROUTER = "This endpoint's maximum context length is 200000 tokens. However, you requested about 2500021 tokens"
_GEMINI_QUOTA = "You exceeded your current quota, please check your plan and billing details. Please retry in 34.5s."
_RAW = '{"error":{"message":"The inner words","code":"throttled"}}'
_OVER = "needs 9,000 tokens, 808 tokens over the limit of 8,192 of tiny"


def flat(words: Json, **more: Json) -> Json:
    return {"object": "error", "message": words, **more}


def _row(vendor: str, status: int, body: Json, kind: type[errors.LLMError], *pieces: str, **more: Json) -> Row:
    return Row(vendor, CHAT, status, body, kind, pieces, **more)


def _full(vendor: str, status: int, body: Json, limit: int | None, requested: int | None, *pieces: str) -> Row:
    return Row(vendor, CHAT, status, body, errors.ContextTooLong, pieces, limit, requested)


_REFUSED = (
    _row(
        "DeepSeek",
        401,
        said("Authentication Fails, Your api key: ****-key is invalid", type="authentication_error"),
        errors.AuthError,
        "HERE_KEY",
    ),
    _row("xAI", 400, {"code": "invalid-argument", "error": "Incorrect API key provided."}, errors.AuthError),
    _row("Mistral", 401, {"detail": "Invalid API Key"}, errors.AuthError),
    _row("Groq", 401, said("Invalid API Key", type="invalid_request_error", code="invalid_api_key"), errors.AuthError),
    _row("Groq", 401, said("Who are you", code="invalid_api_key"), errors.AuthError),
    _row("OpenRouter", 401, said("Missing Authentication header", code=401), errors.AuthError),
    _row("Perplexity", 401, said("Invalid key", type="invalid_api_key", code=401), errors.AuthError),
    _row("Ollama cloud", 401, {"error": "Unauthorized"}, errors.AuthError),
    _row("Ollama", 401, said("Who are you", type="api_error"), errors.AuthError, in_stream=errors.ServerError),
    _row("llama.cpp", 401, said("Invalid API Key", type="authentication_error", code=401), errors.AuthError),
    _row(
        "Gemini",
        400,
        [said("No valid key.", code=400, status="INVALID_ARGUMENT", details=[{"reason": "API_KEY_INVALID"}])],
        errors.AuthError,
    ),
    _row("Gemini", 400, [said("API key not valid.", status="INVALID_ARGUMENT")], errors.AuthError),
    _row("Doubleword", 403, said("Who are you", code="forbidden"), errors.AuthError),
    _row("ChatGPT backend", 401, {"detail": "Could not parse your authentication token."}, errors.AuthError),
    _row("LiteLLM", 400, said("No connected db.", type="no_db_connection", code="400"), errors.AuthError),
    _row("DeepSeek", 402, said("Insufficient Balance", code="invalid_request_error"), errors.QuotaExhausted),
    _row("OpenRouter", 402, said("This request requires more credits", code=402), errors.QuotaExhausted),
    _row("Kimi", 429, said("Suspended", type="exceeded_current_quota_error"), errors.QuotaExhausted),
    _row("Qwen", 400, said("Not in good standing", code="Arrearage"), errors.QuotaExhausted),
    _row("any", 429, said("You exceeded your current quota."), errors.QuotaExhausted),
    _row("any", 429, said("Look at your billing page"), errors.QuotaExhausted),
    _row("any", 429, said("The spending limit is reached"), errors.QuotaExhausted),
    _row("GLM", 429, said("您的账户已欠费，请充值后重试", code="1113"), errors.QuotaExhausted),
    _row("GLM", 429, said("余额不足或无可用资源包,请充值。", code="1113"), errors.QuotaExhausted),
    _row("OpenAI's", 400, said("Not that", code="content_policy_violation"), errors.ContentFiltered),
    _row("Qwen", 400, said("Not that", code="data_inspection_failed"), errors.ContentFiltered),
    _row("OpenRouter", 403, said("Your input was flagged", code=403), errors.ContentFiltered),
    _row("Mistral", 400, flat("Invalid model: x", type="invalid_model", code="1500"), errors.ModelNotFound),
    _row("Groq", 404, said("The model `x` is gone", code="model_not_found"), errors.ModelNotFound, "the model tiny"),
    _row("Ollama", 404, {"error": "model 'x' not found"}, errors.ModelNotFound),
    _row("Ollama", 404, said("model 'x' not found", type="not_found_error"), errors.ModelNotFound),
    _row("Gemini", 404, [said("models/x is not found for this version", status="NOT_FOUND")], errors.ModelNotFound),
    _row("Venice", 404, {"error": "Specified model not found: x"}, errors.ModelNotFound),
    _row("LiteLLM", 400, said("Invalid model name passed in model=x", code="400"), errors.ModelNotFound),
    _row("Groq", 400, said("Invalid model output format"), errors.BadRequest, in_stream=errors.ServerError),
    _row("DeepSeek", 400, said("Model Not Exist", code="invalid_request_error"), errors.ModelNotFound),
    _row("GLM", 400, said("模型不存在，请检查模型代码。", code="1211"), errors.ModelNotFound),
    _row("Perplexity", 400, said("Not this one", type="invalid_model", code=400), errors.ModelNotFound),
    _row("Hugging Face", 400, said("Not here", code="model_not_supported"), errors.ModelNotFound),
    _row("OpenRouter", 400, said("x is not a valid model ID", code=400), errors.ModelNotFound),
    _row("any", 404, said("Which model is x"), errors.ModelNotFound, in_stream=errors.ServerError),
    _row("OpenRouter", 404, said("No endpoints found for x", code=404), errors.ModelNotFound),
    _row(
        "Mistral",
        422,
        flat({"detail": [{"loc": ["body", "top_k"], "msg": "Extra inputs"}]}, type="invalid_request_error"),
        errors.BadRequest,
        "body.top_k: Extra inputs",
    ),
    _row("Groq", 400, said("Failed to call a function", code="tool_use_failed"), errors.BadRequest),
    _row("Doubleword", 400, {"code": 400, "message": "Validation: no", "type": "Bad Request"}, errors.BadRequest),
    _row(
        "OpenRouter",
        429,
        said("Provider returned error", code=429, metadata={"provider_name": "Inner", "raw": "the inner words"}),
        errors.RateLimited,
        "Provider returned error: the inner words",
    ),
    _row(
        "OpenRouter",
        429,
        said("Provider returned error", code=429, metadata={"raw": _RAW}),
        errors.RateLimited,
        "Provider returned error: The inner words; try again later.",
    ),
    _row("Gemini", 429, [said(_GEMINI_QUOTA, code=429, status="RESOURCE_EXHAUSTED")], errors.RateLimited),
    _row("Kimi", 429, said("Engine is full", type="engine_overloaded_error"), errors.Overloaded),
    _row("llama.cpp", 503, said("Loading model", code=503, type="unavailable_error"), errors.Overloaded),
    _row("OpenRouter", 502, said("The model is down", code=502), errors.ServerError, "127.0.0.1"),
    _row("OpenRouter", 503, said("Nobody there", code=503), errors.ServerError),
    _row("any", 500, said("Oops", code=418), errors.ServerError, in_stream=errors.BadRequest),
    _row(
        "any gateway", 502, "<html><title>502 Bad Gateway</title></html>", errors.ServerError, "(502): 502 Bad Gateway"
    ),
    _row("any gateway", 520, "<h1>Unknown &amp; odd</h1>", errors.ServerError, "(520): Unknown & odd"),
)
_TOO_LONG = (
    _full("DeepSeek", 400, said(_VLLM, type="invalid_request_error", code="invalid_request_error"), 8192, 9000, _OVER),
    _full("Groq", 413, said(TPM, type="tokens", code="rate_limit_exceeded"), 30_000, 36_278, "6,278 tokens over"),
    _full("OpenRouter", 400, said(_OPENROUTER, code=400), 200_000, 2_500_021, "2,300,021 tokens over"),
    _full("OpenRouter", 400, said("Token limit reached", code=400) | {"choices": []}, None, None, "too long for tiny"),
    _full(
        "Perplexity",
        400,
        said("User input tokens exceeds 127072 tokens", type="too_many_prompt_tokens", code=400),
        127_072,
        None,
        "over the limit of 127,072 tokens of tiny",
    ),
    _full(
        "Ollama cloud",
        400,
        {"error": "prompt too long; exceeded max context length by 42 tokens"},
        None,
        None,
        "42 tokens too long for tiny",
    ),
    _full(
        "llama.cpp",
        400,
        said("Too big", type="exceed_context_size_error", code=400, n_ctx=512, n_prompt_tokens=600),
        512,
        600,
        "88 tokens over the limit of 512",
    ),
    _full(
        "llama.cpp",
        400,
        said("request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", code=400),
        4096,
        5000,
        "904 tokens over",
    ),
    _full("vLLM", 400, flat(_VLLM, type="BadRequestError", code=400), 8192, 9000, _OVER),
    _full("vLLM", 400, said(_VLLM, type="BadRequestError", code=400), 8192, 9000, _OVER),
    _full("vLLM", 400, said(_VLLM.replace("you requested", "your request has"), code=400), 8192, 9000, _OVER),
    _full("OpenAI's", 400, said(_VLLM.replace("you requested", "your messages resulted in")), 8192, 9000, _OVER),
    _full("LiteLLM", 400, said(_LITELLM, type=None, param=None, code="400"), 4096, 5000, "904 tokens over the limit"),
    _full("Kimi", 400, said("Your request exceeded model token limit: 100 (requested: 150)"), 100, 150, "50 tokens"),
    _full("Qwen", 400, said("Range of input length should be [1, 30720]"), 30_720, None, "limit of 30,720"),
    _full(
        "Gemini",
        400,
        [said("The input token count (1200) exceeds the maximum number of tokens allowed (1000).", code=400)],
        1000,
        1200,
        "200 tokens over",
    ),
    _full(
        "Mistral",
        400,
        flat("Prompt contains 240 tokens and 0 images, too large for model with 128 maximum context length"),
        128,
        240,
        "112 tokens over",
    ),
    _full("GLM", 400, said("Prompt exceeds max length", code="1261"), None, None),
    _full(
        "Anthropic's",
        400,
        said("input length and `max_tokens` exceed context limit: 86888 + 119866 > 204648"),
        204_648,
        None,
        "over the limit of 204,648",
    ),
    _full("OpenAI's", 400, said("Your input is huge", code="context_length_exceeded"), None, None),
    _full("any", 400, said("Too many tokens in the messages"), None, None),
)

ROWS = (*ANTHROPIC, *OPENAI, *AZURE, *_REFUSED, *_TOO_LONG)
FAULTS: list[tuple[Dialect, int, Json, type[errors.LLMError]]] = [
    (row.dialect, row.status, row.body, row.kind) for row in ROWS
]
