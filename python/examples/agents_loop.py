"""An agent with the framework `openai-agents`: `python agents_loop.py "What did c-17 order?"`. It needs the variable `OPENAI_API_KEY`."""

from __future__ import annotations

import asyncio
import sys

from agents import Agent, Runner

from orders import handlers
from shop import catalog
from toolc.adapters import openai_agents


async def answer(question: str) -> str:
    """Asks the model, and runs the calls that it makes, until it answers."""
    tools = openai_agents.tools(catalog.turn("openai-responses"), handlers())
    agent = Agent(name="shop", instructions="Answer questions about orders.", tools=tools)
    result = await Runner.run(agent, question)
    return str(result.final_output)


if __name__ == "__main__":
    print(asyncio.run(answer(sys.argv[1])))
