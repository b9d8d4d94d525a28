from pydantic_ai import Tool, Agent, FunctionToolset
def add_order(customer: str, count: int = 1) -> str:
    """Adds an order.

    Args:
        customer: The customer.
        count: How many.
    """
    return customer
order = Tool(add_order)
def remove_order(order: int) -> None:
    """Removes an order."""
toolset = FunctionToolset(tools=[remove_order])
agent = Agent("test", tools=[add_order])
@agent.tool_plain
def list_orders(customer: str) -> list[str]:
    """Lists the orders of a customer."""
    return []
