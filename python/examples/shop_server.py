"""The tools as an MCP server on standard input and output: `python -m shop_server`."""

from __future__ import annotations

from orders import handlers
from shop import catalog
from toolc.adapters import mcp

if __name__ == "__main__":
    mcp.serve(catalog.turn("mcp"), handlers(), "shop")
