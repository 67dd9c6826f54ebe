import { escapePointer, SCHEMA_KEYWORDS } from '@contract-first/contract';
import { METHODS } from './document.ts';

/** The kinds of OpenAPI objects that contain schemas, directly or indirectly. */
export type Kind =
  | ('document' | 'components' | 'pathItem' | 'operation' | 'callback' | 'parameter' | 'header' | 'requestBody')
  | ('response' | 'mediaType' | 'encoding' | 'schema');

/** The value of a member: one object of a kind, a list of objects, or a map of objects by name. */
type Member = readonly ['one' | 'list' | 'map', Kind];

/** An object of a document. Assign to `holder[key]` to replace it. */
export type Visited = {
  readonly kind: Kind;
  readonly node: Readonly<Record<string, unknown>>;
  readonly pointer: string;
  readonly holder: Record<string, unknown>;
  readonly key: string;
};

const one = (kind: Kind, ...keys: readonly string[]) => keys.map((key) => [key, ['one', kind]] as const);
const list = (kind: Kind, ...keys: readonly string[]) => keys.map((key) => [key, ['list', kind]] as const);
const map = (kind: Kind, ...keys: readonly string[]) => keys.map((key) => [key, ['map', kind]] as const);
const members = (...entries: readonly (readonly [string, Member])[]) => entries;

/** The members with schemas, for each kind of object (OpenAPI 3.0 to 3.2). */
const MEMBERS: Readonly<Record<Kind, readonly (readonly [string, Member])[]>> = {
  document: members(...map('pathItem', 'paths', 'webhooks'), ...one('components', 'components')),
  components: members(
    ...map('schema', 'schemas'),
    ...map('response', 'responses'),
    ...map('parameter', 'parameters'),
    ...map('header', 'headers'),
    ...map('requestBody', 'requestBodies'),
    ...map('callback', 'callbacks'),
    ...map('pathItem', 'pathItems'),
    ...map('mediaType', 'mediaTypes'),
  ),
  pathItem: members(
    ...one('operation', ...METHODS),
    ...map('operation', 'additionalOperations'),
    ...list('parameter', 'parameters'),
  ),
  operation: members(
    ...list('parameter', 'parameters'),
    ...one('requestBody', 'requestBody'),
    ...map('response', 'responses'),
    ...map('callback', 'callbacks'),
  ),
  callback: [], // Every member is a path item.
  parameter: members(...one('schema', 'schema'), ...map('mediaType', 'content')),
  header: members(...one('schema', 'schema'), ...map('mediaType', 'content')),
  requestBody: members(...map('mediaType', 'content')),
  response: members(...map('header', 'headers'), ...map('mediaType', 'content')),
  mediaType: members(
    ...one('schema', 'schema', 'itemSchema'),
    ...map('encoding', 'encoding'),
    ...list('encoding', 'prefixEncoding'),
    ...one('encoding', 'itemEncoding'),
  ),
  encoding: members(
    ...map('header', 'headers'),
    ...map('encoding', 'encoding'),
    ...list('encoding', 'prefixEncoding'),
    ...one('encoding', 'itemEncoding'),
  ),
  schema: members(
    ...Object.entries(SCHEMA_KEYWORDS).map(([keyword, { holds }]) => [keyword, [holds, 'schema']] as const),
  ),
};

/**
 * Visits the objects of a document that contain schemas, parents first. Visits references without following them. Skips
 * extensions, examples and other data.
 *
 * @param visit may replace the object in its holder; the walk continues in the replacement
 */
export function walkDocument(document: object, visit: (visited: Visited) => void): void {
  walk('document', { '': document }, '', '#', visit);
}

/** Visits `holder[key]` and its descendants, like {@link walkDocument}. */
export function walk(
  kind: Kind,
  holder: Record<string, unknown>,
  key: string,
  pointer: string,
  visit: (visited: Visited) => void,
): void {
  if (!isObject(holder[key])) return;
  const visited = { kind, node: holder[key], pointer, holder, key };
  readingAt(pointer, () => {
    visit(visited);
  });
  const node = holder[key];
  if (!isObject(node)) return;
  if (kind === 'callback') {
    walkMap('pathItem', node, pointer);
    return;
  }
  for (const [name, [form, memberKind]] of MEMBERS[kind]) {
    const member = Object.hasOwn(node, name) ? node[name] : undefined;
    if (!isObject(member)) continue;
    const place = `${pointer}/${name}`;
    if (form === 'one') walk(memberKind, node, name, place, visit);
    else walkMap(memberKind, member, place);
  }

  function walkMap(memberKind: Kind, entries: Record<string, unknown>, place: string): void {
    for (const name of Object.keys(entries)) {
      const isExtension = name.startsWith('x-') && (memberKind === 'pathItem' || memberKind === 'response');
      if (!isExtension) walk(memberKind, entries, name, `${place}/${escapePointer(name)}`, visit);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** An unexpected error while reading a part of the document. */
export class Bug extends Error {
  override readonly name = 'Bug';
  readonly pointer: string;
  constructor(pointer: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.pointer = pointer;
  }
}

/**
 * Calls a function. Wraps an error in a {@link Bug} with the pointer, unless it is a `Bug` with a more specific
 * pointer.
 */
export function readingAt<Result>(pointer: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof Bug ? error : new Bug(pointer, error);
  }
}
