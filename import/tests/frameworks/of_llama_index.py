from llama_index.core.tools import FunctionTool
def add_order(customer: str, count: int = 1) -> str:
    """Adds an order."""
    return customer
order = FunctionTool.from_defaults(fn=add_order)
