import type { JsonTree } from '@contract-first/contract';

/** The `this` value of the oracle's keywords. */
export type ValidationContext = { readonly json: JsonTree; readonly onInt64: OnInt64 | undefined };

/** Receives the object or array that holds an int64, and its name or index there. */
export type OnInt64 = (holder: object, key: string) => void;

/** The place of a checked value, which Ajv passes to a keyword. */
export type DataContext = { readonly parentData: object; readonly parentDataProperty: string | number };

/**
 * Returns the digits of a checked number, from its source where its double is a different number.
 *
 * @param holder the object or list that has the number, under the key
 */
export function digitsOf(
  context: ValidationContext | undefined,
  data: number,
  holder: object | undefined,
  key: string | number = '',
): string {
  const digits = holder && context?.json.sourceDigits.get(holder, String(key));
  return digits ?? String(data);
}
