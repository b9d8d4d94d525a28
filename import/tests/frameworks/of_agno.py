from agno.tools import tool, Toolkit
@tool
def add_order(customer: str, count: int = 1) -> str:
    """Adds an order.

    Args:
        customer (str): The customer.
        count (int): How many.
    """
    return customer
class Orders(Toolkit):
    def __init__(self): super().__init__(name="orders", tools=[self.list_orders])
    def list_orders(self, customer: str) -> str:
        """Lists orders."""
        return ""
kit = Orders()
