import type { Ajv2020 } from 'ajv/dist/2020.js';

/*
 * The checks' own equality: they must not share a fault with the service that they judge. Ajv's compares objects by their
 * members `valueOf` and `toString`, which a server may send, and lists item by item with every other.
 */

/** Replaces the keywords of an Ajv instance that compare values. */
export function addEqualityKeywords(ajv: Ajv2020): void {
  for (const keyword of ['enum', 'const', 'uniqueItems']) ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword: 'enum',
    before: 'not',
    errors: false,
    error: { message: 'must be equal to one of the allowed values' },
    compile: (values: readonly unknown[]) => isOneOf(values),
  });
  ajv.addKeyword({
    keyword: 'const',
    before: 'not',
    errors: false,
    error: { message: 'must be equal to constant' },
    compile: (value: unknown) => isOneOf([value]),
  });
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    before: 'items',
    errors: false,
    error: { message: 'must NOT have duplicate items' },
    compile: (isWanted: boolean) => (items: readonly unknown[]) =>
      !isWanted || new Set(items.map(canonical)).size === items.length,
  });
}

function isOneOf(values: readonly unknown[]): (value: unknown) => boolean {
  const allowed = new Set(values.map(canonical));
  return (value) => allowed.has(canonical(value));
}

/** Returns a JSON text that equal values share (JSON Schema 2020-12 core, 4.2.2): members are in the order of their names. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value); // Without the replacer, which takes longer.
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
