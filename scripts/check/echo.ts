import { integerOf } from '../../src/engine/contract/int64.ts';
import type { JsonTree } from '../../src/engine/contract/json.ts';
import { encodingOf } from './body-bytes.ts';
import { membersOf, type Json } from './json-value.ts';
import type { RequestInput } from './wire-request.ts';

/**
 * Looks for an int64 that was sent under a name and came back under the same name as its neighbour: the same as a
 * double, but not the same. An integer that is another one altogether may well be meant.
 *
 * @param isInt64At whether the document says that a number of the answer is an int64; a double may well be rounded
 * @returns what is wrong, for people
 */
export function findRounded(
  { parameters, body }: RequestInput,
  answer: JsonTree,
  isInt64At: (holder: object, key: string) => boolean,
): string | undefined {
  const sent = new Map<string, bigint[]>();
  for (const { parameter, value } of parameters) collectSent(parameter.name, value, sent);
  if (body !== undefined && encodingOf(body.content) === 'json') collectSent('', body.value, sent);
  return search(answer.root, '', '');

  function search(holder: object, key: string, name: string): string | undefined {
    const value = (holder as Readonly<Record<string, unknown>>)[key];
    if (typeof value === 'number') {
      if (!isInt64At(holder, key)) return undefined;
      const exact = integerOf(answer.sourceDigits(holder, key) ?? String(value));
      const known = sent.get(name) ?? [];
      const lost = known.includes(exact ?? 0n) ? undefined : known.find((integer) => Number(integer) === value);
      return lost === undefined
        ? undefined
        : `${name} was sent as ${String(lost)} and came back as ${String(exact ?? value)}`;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    // The items of an array have its name.
    const found = Object.keys(value).map((member) => search(value, member, Array.isArray(value) ? name : member));
    return found.find((complaint) => complaint !== undefined);
  }
}

function collectSent(name: string, value: Json, sent: Map<string, bigint[]>): void {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
    sent.set(name, [...(sent.get(name) ?? []), BigInt(value)]);
  }
  for (const [key, member] of membersOf(value)) collectSent(typeof key === 'number' ? name : key, member, sent);
}
