from typing import Annotated
from haystack.tools import tool, Toolset
@tool
def add_order(customer: Annotated[str, "The customer."], count: Annotated[int, "How many."] = 1) -> str:
    """Adds an order."""
    return customer
