/** A customer's order. */
export type Order = { readonly id: number; readonly item: string; readonly customer: string; readonly paid: boolean };

/** The orders, in memory. */
export function createOrders() {
  const orders = new Map<number, Order>();
  return {
    add(item: string, customer: string): Order {
      const order = { id: orders.size + 1, item, customer, paid: false };
      orders.set(order.id, order);
      return order;
    },
    find: (id: number): Order | undefined => orders.get(id),
    /** Returns whether the order exists. */
    pay(id: number): boolean {
      const order = orders.get(id);
      if (order !== undefined) orders.set(id, { ...order, paid: true });
      return order !== undefined;
    },
  };
}

export type Orders = ReturnType<typeof createOrders>;
