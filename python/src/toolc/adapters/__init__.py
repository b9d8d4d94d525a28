"""Adapters for the SDKs of vendors and for frameworks. Each is a module that is imported by its own name.

The adapters of the vendors' APIs have the same functions: `tools` for the request, and `results` or `results_async` for the messages that
answer the calls in a response. They take the objects of the SDK, or the same as plain dictionaries, and do not import the SDK.

| module | what it adapts to |
|---|---|
| `toolc.adapters.openai.chat`, `toolc.adapters.openai.responses` | the SDK `openai` |
| `toolc.adapters.anthropic` | the SDK `anthropic` |
| `toolc.adapters.google` | the SDK `google-genai` |
| `toolc.adapters.mcp` | servers with the SDK `mcp` |
| `toolc.adapters.openai_agents` | the framework `openai-agents` |
| `toolc.adapters.langchain` | the framework `langchain` |
| `toolc.adapters.pydantic` | fields and bodies of `pydantic` and FastAPI |
"""

from __future__ import annotations

from .calls import ToolCall

__all__ = ["ToolCall"]
