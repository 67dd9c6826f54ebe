/** Returns the first items, with the number of omitted items as the last item: `and 3 more`. */
export function shorten(items: readonly string[], limit: number): readonly string[] {
  const more = items.length - limit;
  return more > 0 ? [...items.slice(0, limit), `and ${String(more)} more`] : items;
}

/** Joins the first items: `a, b and 3 more`. */
export function joinFirst(items: readonly string[], limit: number): string {
  const more = items.length - limit;
  return more > 0 ? `${items.slice(0, limit).join(', ')} and ${String(more)} more` : items.join(', ');
}
