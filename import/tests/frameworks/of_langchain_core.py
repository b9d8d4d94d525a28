from langchain_core.tools import tool
@tool
def add_order(customer: str, count: int = 1) -> str:
    """Adds an order."""
    return customer
