import { escapePointer } from '@contract-first/contract';
import { type Kind, OBJECTS } from './objects.ts';

/** An object of a document. Assign to `holder[key]` to replace it. */
export type Visited = {
  readonly kind: Kind;
  readonly node: Readonly<Record<string, unknown>>;
  readonly pointer: string;
  readonly holder: Record<string, unknown>;
  readonly key: string;
};

/** A member that is an object of a kind, or a list or map of objects. */
type ObjectMember = { readonly name: string; readonly holds: 'one' | 'list' | 'map'; readonly kind: Kind };

/** The members that are objects of a kind, for each kind. */
const MEMBERS = new Map(
  Object.entries(OBJECTS).map(([kind, { members }]) => [
    kind as Kind,
    Object.entries(members).flatMap(([name, { holds, kind: memberKind }]): readonly ObjectMember[] =>
      holds === undefined || memberKind === undefined ? [] : [{ name, holds, kind: memberKind }],
    ),
  ]),
);
const KEYWORDS = new Map(
  (MEMBERS.get('schema') ?? []).map((member, position) => [member.name, { ...member, position }]),
);

/**
 * Visits the objects of a document, parents first. Visits references without following them. Skips extensions, values of
 * examples and other data.
 *
 * @param visit may replace the object in its holder; the walk continues in the replacement
 * @param kinds the kinds of the visited objects; by default, all. Objects that cannot contain them are skipped
 */
export function walkDocument(document: object, visit: (visited: Visited) => void, kinds?: readonly Kind[]): void {
  const visitKinds = (visited: Visited): void => {
    if (kinds === undefined || kinds.includes(visited.kind)) visit(visited);
  };
  walk('document', { '': document }, '', '#', visitKinds, kinds && kindsWith(kinds));
}

/** Returns kinds and the kinds of the objects that contain them. */
function kindsWith(kinds: readonly Kind[]): ReadonlySet<Kind> {
  const found = new Set(kinds);
  // The loop also visits kinds that are added meanwhile.
  for (const kind of found) {
    if (kind === 'pathItem') found.add('callback');
    for (const [holder, members] of MEMBERS) if (members.some((member) => member.kind === kind)) found.add(holder);
  }
  return found;
}

/**
 * Visits `holder[key]` and its descendants, like {@link walkDocument}.
 *
 * @param entered the kinds of the objects to look into; by default, all
 */
export function walk(
  kind: Kind,
  holder: Record<string, unknown>,
  key: string,
  pointer: string,
  visit: (visited: Visited) => void,
  entered?: ReadonlySet<Kind>,
): void {
  const original = holder[key];
  if (!isObject(original)) return;
  try {
    visit({ kind, node: original, pointer, holder, key });
  } catch (error) {
    throw asBug(pointer, error);
  }
  const node = holder[key];
  if (!isObject(node)) return;
  if (kind === 'callback') {
    walkMap('pathItem', node, pointer, visit, entered);
    return;
  }
  for (const { name, holds, kind: memberKind } of kind === 'schema' ? keywordsIn(node) : (MEMBERS.get(kind) ?? [])) {
    if (entered?.has(memberKind) === false) continue;
    const member = Object.hasOwn(node, name) ? node[name] : undefined;
    if (!isObject(member)) continue;
    const place = `${pointer}/${name}`;
    if (holds === 'one') walk(memberKind, node, name, place, visit, entered);
    else walkMap(memberKind, member, place, visit, entered);
  }
}

function walkMap(
  kind: Kind,
  entries: Record<string, unknown>,
  place: string,
  visit: (visited: Visited) => void,
  entered?: ReadonlySet<Kind>,
): void {
  for (const name of Object.keys(entries)) {
    const isExtension = (kind === 'pathItem' || kind === 'response') && name.startsWith('x-');
    if (!isExtension) walk(kind, entries, name, `${place}/${escapePointer(name)}`, visit, entered);
  }
}

/** Returns the members of a schema with objects, in a fixed order. Most schemas have a few of the many keywords. */
function keywordsIn(schema: Record<string, unknown>): readonly ObjectMember[] {
  const found: (ObjectMember & { readonly position: number })[] = [];
  for (const name of Object.keys(schema)) {
    const keyword = KEYWORDS.get(name);
    if (keyword !== undefined) found.push(keyword);
  }
  return found.length < 2 ? found : found.sort((one, other) => one.position - other.position);
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
    throw asBug(pointer, error);
  }
}

function asBug(pointer: string, error: unknown): Bug {
  return error instanceof Bug ? error : new Bug(pointer, error);
}
