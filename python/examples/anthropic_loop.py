"""An agent with the SDK `anthropic`: `python anthropic_loop.py "What did c-17 order?"`. It needs the variable `ANTHROPIC_API_KEY`."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from anthropic import AsyncAnthropic

from orders import handlers
from shop import catalog
from toolc.adapters import anthropic

if TYPE_CHECKING:
    from anthropic.types import MessageParam


async def answer(question: str) -> str:
    """Asks the model, and runs the calls that it makes, until it answers."""
    client, turn, running = AsyncAnthropic(), catalog.turn("anthropic"), handlers()
    messages: list[MessageParam] = [{"role": "user", "content": question}]
    while True:
        message = await client.messages.create(model="claude-sonnet-5", max_tokens=4_000, messages=messages, tools=anthropic.tools(turn))
        messages.append({"role": "assistant", "content": message.content})
        results = await anthropic.results_async(turn, message, running)
        if not results:
            return "".join(block.text for block in message.content if block.type == "text")
        messages += results


if __name__ == "__main__":
    print(asyncio.run(answer(sys.argv[1])))
