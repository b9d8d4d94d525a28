"""A service with FastAPI, which offers the tools to programs: `uvicorn fastapi_service:app`. Bodies are repaired and validated by the
catalog, so `{"customer": "c-17", "limit": "5"}` finds at most five orders."""

from typing import Annotated, Any

from fastapi import Body, FastAPI

from orders import Orders
from shop import AddOrderArguments, FindOrdersArguments, FindOrdersResult, catalog
from toolc.adapters.pydantic import ToolArguments

app = FastAPI(title="shop")
turn = catalog.turn("mcp")
orders = Orders()


@app.get("/tools")
def tools() -> list[dict[str, Any]]:
    """Returns the definitions of the tools."""
    return turn.definitions


# Before Python 3.12, pydantic has no schema for the type of the result.
@app.post("/find_orders", response_model=None)
async def find_orders(
    arguments: Annotated[FindOrdersArguments, ToolArguments(turn, "find_orders"), Body()],
) -> FindOrdersResult:
    """Finds the newest orders of a customer."""
    return await orders.find_orders(arguments)


@app.post("/add_order")
def add_order(arguments: Annotated[AddOrderArguments, ToolArguments(turn, "add_order"), Body()]) -> dict[str, str]:
    """Adds an order."""
    return orders.add_order(arguments)
