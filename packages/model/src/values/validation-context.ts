import type { JsonTree } from '@contract-first/contract';

/** The `this` value of the oracle's keywords. */
export type ValidationContext = { readonly json: JsonTree; readonly onInt64: OnInt64 | undefined };

/** Is called with the object or array that contains an int64, and its key. */
export type OnInt64 = (holder: object, key: string) => void;

/** Ajv's context of a validated value, which it passes to keywords. */
export type DataContext = { readonly parentData: object; readonly parentDataProperty: string | number };

/**
 * Returns the digits of a number: the source digits if its double differs, else the digits of the double.
 *
 * @param holder the object or list that contains the number, under the key
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
