import { escapePointer } from '@contract-first/contract';
import { tokensOf } from '@contract-first/documents';

// openapi-typescript parses names as JSON pointers in URLs, where `#` and `%` are syntax. The escapes are from the private
// use area.
const ESCAPES = [
  ['#', '\uE001'],
  ['%', '\uE002'],
] as const;

/** Copies a part of a document with other characters in place of `#` and `%` in its names and texts. */
export function escapeText<Node>(node: Node): Node {
  return copy(node) as Node; // Only texts differ.
}

/** Restores the characters in printed TypeScript, where they may be escape sequences. */
export function unescapeText(source: string): string {
  return ESCAPES.reduce(
    (text, [character, escape]) => text.replaceAll(escape, character).replaceAll(toSequence(escape), character),
    source,
  );
}

function copy(node: unknown): unknown {
  if (typeof node === 'string') return escape(node);
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(copy);
  return Object.fromEntries(
    Object.entries(node).map(([name, member]) => [
      escape(name),
      name === '$ref' ? escapeReference(member) : copy(member),
    ]),
  );
}

/** Encodes a local reference by its tokens; another text is not a reference. */
function escapeReference(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('#/')) return copy(value);
  return `#/${tokensOf(value)
    .map((token) => escapePointer(escape(token)))
    .join('/')}`;
}

function escape(text: string): string {
  return ESCAPES.reduce((escaped, [character, escape]) => escaped.replaceAll(character, escape), text);
}

function toSequence(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
