from strands import tool
@tool
def add_order(customer: str, count: int = 1) -> str:
    """Adds an order.

    Args:
        customer: The customer.
        count: How many.
    """
    return customer
