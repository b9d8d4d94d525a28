from google.adk.tools import FunctionTool
def add_order(customer: str, count: int) -> str:
    """Adds an order.

    Args:
        customer: The customer.
        count: How many.
    """
    return customer
order = FunctionTool(add_order)
