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

/** The members that are objects of a kind, for each kind. */
const MEMBERS = new Map(
  Object.entries(OBJECTS).map(([kind, { members }]) => [
    kind,
    Object.entries(members).flatMap(([name, { holds, kind: memberKind }]) =>
      holds === undefined || memberKind === undefined ? [] : [{ name, holds, kind: memberKind }],
    ),
  ]),
);

/**
 * Visits the objects of a document, parents first. Visits references without following them. Skips extensions, values of
 * examples and other data.
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
  for (const { name, holds, kind: memberKind } of MEMBERS.get(kind) ?? []) {
    const member = Object.hasOwn(node, name) ? node[name] : undefined;
    if (!isObject(member)) continue;
    const place = `${pointer}/${name}`;
    if (holds === 'one') walk(memberKind, node, name, place, visit);
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
