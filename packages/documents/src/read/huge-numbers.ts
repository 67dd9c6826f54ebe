import { escapePointer } from '@contract-first/contract';
import type { Diagnostic } from './diagnostic.ts';

// A double is less than 1.8e308.
const MAY_BE_HUGE = /\de\+?\d{3}|\d{309}/i;

/**
 * Replaces numbers beyond the range of a double by the nearest double, in place. Limits keep their meaning, since
 * requests and responses with such numbers are refused.
 *
 * @param text the document as JSON
 *
 * @returns a warning for each
 */
export function replaceHugeNumbers(document: object, text: string): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  if (MAY_BE_HUGE.test(text)) replace(document as Record<string, unknown>, '#', found); // Lists are read as records.
  return found;
}

function replace(holder: Record<string, unknown>, pointer: string, found: Diagnostic[]): void {
  for (const [name, value] of Object.entries(holder)) {
    const place = `${pointer}/${escapePointer(name)}`;
    if (typeof value === 'object' && value !== null) replace(value as Record<string, unknown>, place, found);
    const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
    if (Number.isFinite(number)) continue;
    holder[name] = Math.sign(number) * Number.MAX_VALUE;
    const message = `a number is beyond the range of a double, and is read as ${String(holder[name])}`;
    found.push({ pointer: place, message });
  }
}
