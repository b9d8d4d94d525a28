"""The SDK `openai`: `chat` is for Chat Completions, and `responses` for the Responses API."""

from __future__ import annotations

from . import chat, responses

__all__ = ["chat", "responses"]
