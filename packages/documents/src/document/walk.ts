import { escapePointer, SCHEMA_KEYWORDS } from '@contract-first/contract';
import { METHODS } from './document.ts';

/** The kinds of objects in an OpenAPI document that contain schemas, directly or not. */
export type Kind =
  | ('document' | 'components' | 'pathItem' | 'operation' | 'callback' | 'parameter' | 'header' | 'requestBody')
  | ('response' | 'mediaType' | 'encoding' | 'schema');

/** A member holds one object of a kind, a list of them, or a map of them by a name. */
type Member = readonly ['one' | 'list' | 'map', Kind];

/** An object of a document. `holder[key]` is the object itself, so that it can be replaced. */
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

/** The members of each kind of object that contain schemas (OpenAPI 3.0 to 3.2). */
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
 * Visits the objects of a document that contain schemas, parents first. References are visited, not followed. Extensions,
 * examples and other data are not visited.
 *
 * @param visit may replace the object in its holder; its replacement is then walked
 */
export function walkDocument(document: object, visit: (visited: Visited) => void): void {
  walk('document', { '': document }, '', '#', visit);
}

/** Visits `holder[key]` and the objects in it, as {@link walkDocument} does. */
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

/** An unexpected error while a part of the document was read. */
export class Bug extends Error {
  override readonly name = 'Bug';
  readonly pointer: string;
  constructor(pointer: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.pointer = pointer;
  }
}

/** Calls a function. An error becomes a {@link Bug} with the pointer, unless it has one of a part of it. */
export function readingAt<Result>(pointer: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof Bug ? error : new Bug(pointer, error);
  }
}
