"""The handlers of the shop: orders in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shop
from toolc import ErrorKind, ToolError

if TYPE_CHECKING:
    from toolc import Handlers


class Orders:
    """The handlers of the toolset `shop`."""

    def __init__(self) -> None:
        self._orders: dict[str, list[shop.FindOrdersResultOrdersItem]] = {"c-17": [{"number": "o-1", "total": 20.5}]}

    async def find_orders(self, arguments: shop.FindOrdersArguments) -> shop.FindOrdersResult:
        """Finds the newest orders of a customer."""
        orders = self._orders.get(arguments["customer"])
        if orders is None:
            raise ToolError(f"there is no customer `{arguments['customer']}`", kind=ErrorKind.NOT_FOUND)
        return {"orders": orders[::-1][: arguments["limit"]]}

    def add_order(self, arguments: shop.AddOrderArguments) -> dict[str, str]:
        """Adds an order. Each piece costs ten euros."""
        orders = self._orders.setdefault(arguments["customer"], [])
        number = f"o-{1 + sum(map(len, self._orders.values()))}"
        orders.append({"number": number, "total": 10.0 * sum(item["quantity"] for item in arguments["items"])})
        return {"number": number}

    def add_up(self, arguments: shop.AddUpArguments) -> int:
        """Adds up numbers."""
        return sum(map(int, arguments["numbers"].split(" + ")))


def handlers() -> Handlers:
    """Returns the handlers of all tools."""
    return shop.handlers(shop=Orders())
