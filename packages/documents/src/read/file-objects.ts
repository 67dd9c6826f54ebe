import { escapePointer, keywordsWhere } from '@contract-first/contract';
import { isRawNumber } from './exact-numbers.ts';

/** A file of a document: every reference in it is a JSON pointer, and every schema is JSON Schema 2020-12. */
export type SourceFile = {
  /** The absolute path or the URL. */
  readonly path: string;
  readonly text: string;
  readonly parsed: unknown;
};

/** An object of a parsed file. */
export type FileObject = Record<string, unknown>;

/** Keywords whose values are maps: the author chooses the names in them, so that a name is not a keyword. */
const MAPS = new Set([
  'responses',
  'parameters',
  'headers',
  'requestBodies',
  'callbacks',
  'links',
  'pathItems',
  'paths',
  'content',
  'encoding',
  'mediaTypes',
  'variables',
  'mapping',
  'securitySchemes',
  'webhooks',
  'examples',
  'schemas',
  ...keywordsWhere(({ holds }) => holds === 'map'),
]);

/** Keywords whose values are data, in which a name is not a keyword. */
export const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples', 'value']);

/**
 * Visits the objects of a parsed file that may be schemas or contain schemas, parents first. The file may contain an
 * OpenAPI document or any part of a document. Data and extensions are not visited.
 */
export function visitObjects(
  node: unknown,
  visit: (node: FileObject, pointer: string) => void,
  pointer = '#',
  isMap = false,
): void {
  if (!isFileObject(node)) return;
  if (!isMap && !Array.isArray(node)) visit(node, pointer);
  for (const [name, member] of Object.entries(node)) {
    if (typeof member !== 'object' || (!isMap && (DATA.has(name) || name.startsWith('x-')))) continue;
    visitObjects(member, visit, `${pointer}/${escapePointer(name)}`, !isMap && MAPS.has(name));
  }
}

/** Copies a parsed file; nodes that YAML aliases share are copied each time. */
export function copyOf<Node>(node: Node): Node {
  if (!isFileObject(node)) return node;
  const copy = (Array.isArray(node) ? [...(node as readonly unknown[])] : { ...node }) as FileObject;
  for (const key of Object.keys(copy)) {
    const member = copy[key];
    if (typeof member === 'object') copy[key] = copyOf(member);
  }
  return copy as Node;
}

/** Returns whether a value is an object or a list. A raw number is neither. */
export function isFileObject(value: unknown): value is FileObject {
  return typeof value === 'object' && value !== null && !isRawNumber(value);
}
