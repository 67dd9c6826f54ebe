import { createViolation, MAX_VIOLATIONS, placeOf, type Violation } from '@contract-first/contract';
import type { ValidRequest } from './validate-request.ts';

/** Finds strings with U+0000 in the values and member names of a request. Some databases cannot store U+0000. */
export function findNullCharacters({ path, query, headers, cookies, body }: ValidRequest): readonly Violation[] {
  const violations: Violation[] = [];
  const parts: readonly (readonly [name: string, value: unknown])[] = [
    ['path', path],
    ['query', query],
    ['header', headers],
    ['cookie', cookies],
    ['body', body],
  ];
  for (const [name, value] of parts) visit(value, [name]);
  return violations;

  function visit(value: unknown, place: readonly string[]): void {
    if (violations.length === MAX_VIOLATIONS) return;
    if (typeof value === 'string') check(value, place);
    if (!isPlain(value)) return;
    for (const [name, member] of Object.entries(value)) {
      check(name, place);
      visit(member, [...place, name]);
    }
  }

  function check(text: string, place: readonly string[]): void {
    if (text.includes('\0'))
      violations.push(createViolation(placeOf(...place), 'must not contain the character U+0000'));
  }
}

/** Whether a value is an array or a plain object: not a file, and not a value of a declared format. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
