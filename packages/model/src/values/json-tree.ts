import { SourceDigits, type JsonTree } from '@contract-first/contract';
import { integerOf } from './integers.ts';
import { isArray, type Json } from './json-value.ts';

type Holder = Record<string, unknown>;

/** Copies a value like parsing its JSON text: replaces bigints with doubles and records their digits. */
export function toJsonTree(value: Json): JsonTree {
  const sourceDigits = new SourceDigits();
  const root = { '': value as unknown };
  copyMember(root, '');
  return { root, sourceDigits };

  function copyMember(holder: Holder, key: string): void {
    const member = holder[key] as Json; // The holder is a copied part of the value.
    if (typeof member === 'bigint') holder[key] = Number(member);
    if (typeof member === 'bigint' || typeof member === 'number') sourceDigits.record(holder, key, String(member));
    if (typeof member !== 'object' || member === null) return;
    const copy = (isArray(member) ? [...member] : { ...member }) as Holder; // Arrays have their indices as keys.
    holder[key] = copy;
    for (const name of Object.keys(copy)) copyMember(copy, name);
  }
}

/** Returns the reason of a syntax error without the quoted text in V8's message. */
export function syntaxProblem({ message }: Error): string {
  return message
    .replace(/, (?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON$/, '')
    .replace(/^"[^]*" is not/, 'it is not');
}

/** Converts a parsed JSON text to a value with exact integers. */
export function fromJsonTree(tree: JsonTree): Json {
  return exactAt(tree, tree.root, '');
}

function exactAt(tree: JsonTree, holder: object, key: string): Json {
  const value = (holder as Readonly<Record<string, Json>>)[key] ?? null; // Parsed from JSON.
  if (typeof value === 'number') {
    const digits = tree.sourceDigits.get(holder, key);
    return digits === undefined ? value : (integerOf(digits) ?? value);
  }
  if (Array.isArray(value)) return value.map((_, index) => exactAt(tree, value, String(index)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).map((name) => [name, exactAt(tree, value, name)]));
}
