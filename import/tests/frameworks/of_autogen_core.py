from autogen_core.tools import FunctionTool
def add_order(customer: str, count: int = 1) -> str:
    """Adds an order."""
    return customer
order = FunctionTool(add_order, description="Adds an order.")
