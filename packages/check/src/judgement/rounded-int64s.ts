import type { JsonTree } from '@contract-first/contract';
import { encodingOf } from '@contract-first/model/operations';
import { integerOf, isInt64, type Json, membersOf } from '@contract-first/model/values';
import type { RequestInput } from '@contract-first/model/requests';

/** The integers of a request that a double cannot represent safely, by their names. */
export type LargeIntegers = ReadonlyMap<string, readonly bigint[]>;

/** Collects the integers of a request that may be rounded. */
export function largeIntegersIn({ parameters, body }: RequestInput): LargeIntegers {
  const sent = new Map<string, bigint[]>();
  for (const { parameter, value } of parameters) collectSent(parameter.name, value, sent);
  if (body !== undefined && encodingOf(body.content) === 'json') collectSent('', body.value, sent);
  return sent;
}

/**
 * Finds an int64 that was rounded to a double: the response has the same name with the value of that double. Other
 * differences may be intended.
 *
 * @param isInt64At returns whether the document declares a number of the response as int64
 * @returns a message; `undefined` when no int64 was rounded
 */
export function findRounded(
  sent: LargeIntegers,
  json: JsonTree,
  isInt64At: (holder: object, key: string) => boolean,
): string | undefined {
  return search(json.root, '', '');

  function search(holder: object, key: string, name: string): string | undefined {
    const value = (holder as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'number') {
      if (!isInt64At(holder, key)) return undefined;
      const exact = integerOf(json.sourceDigits.get(holder, key) ?? String(value));
      const candidates = sent.get(name) ?? [];
      if (candidates.includes(exact ?? 0n)) return undefined;
      const rounded = candidates.filter(isInt64).find((integer) => roundingsOf(Number(integer)).includes(exact));
      return rounded === undefined
        ? undefined
        : `${name} was sent as ${String(rounded)} and returned as ${String(exact)}`;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    // Array items are compared under the name of the array.
    for (const member of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const found = search(value, String(member), typeof member === 'number' ? name : member);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Returns the integers that a double is written as: all its digits, or as few as identify it, and zeros. */
function roundingsOf(double: number): readonly (bigint | undefined)[] {
  return [BigInt(double), integerOf(String(double))];
}

function collectSent(name: string, value: Json, sent: Map<string, bigint[]>): void {
  const isNumber = typeof value === 'bigint' || typeof value === 'number';
  if (isNumber && Number.isInteger(Number(value)) && !Number.isSafeInteger(Number(value))) {
    sent.set(name, [...(sent.get(name) ?? []), BigInt(value)]);
  }
  for (const [key, member] of membersOf(value)) collectSent(typeof key === 'number' ? name : key, member, sent);
}
