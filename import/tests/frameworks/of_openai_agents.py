from agents import function_tool
@function_tool
def add_order(customer: str, count: int = 1) -> str:
    """Adds an order.

    Args:
        customer: The customer.
    """
    return customer
