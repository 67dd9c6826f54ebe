import { randomUUID } from 'node:crypto';
import { integerOf, parseJsonTree, type JsonTree } from '@contract-first/contract';
import {
  answerJson,
  Refusal,
  startReferenceServer,
  type Respond,
  type ServerAnswer,
  type ServerRequest,
} from './reference-server.ts';

/** A resource: its members, and its version, which counts changes. */
export type Row = { readonly members: Readonly<Record<string, unknown>>; readonly version: number };

/** The state of a library. Rows are stored by path. Lists have separate copies, stored by id. */
export type Shelves = {
  readonly rows: Map<string, Row>;
  readonly lists: Map<string, Map<string, Row>>;
  /** For each idempotency key, the created resource and the request body. */
  readonly keys: Map<string, { readonly id: string; readonly body: string }>;
};

/** The behaviour of a library with a flaw. */
export type Flaw = (request: ServerRequest, respond: Respond, state: Shelves) => ServerAnswer;

/** Starts a server for the document of the library, optionally with a flaw. */
export function startLibrary(flaw: Flaw = (request, respond) => respond(request)): Promise<string> {
  const state: Shelves = { rows: new Map(), lists: new Map(), keys: new Map() };
  let count = 0;
  const handle = (request: ServerRequest): ServerAnswer => respond(request, state, () => (count += 1));
  return startReferenceServer((request) => flaw(request, handle, state));
}

/** Stores a row at a path, for reads and for lists. */
export function store({ rows, lists }: Shelves, path: string, row: Row): void {
  const [collection, id] = split(path);
  rows.set(path, row);
  lists.set(collection, (lists.get(collection) ?? new Map<string, Row>()).set(id, row));
}

/** Splits the path of a resource into the path of its collection and its id. */
export function split(path: string): readonly [collection: string, id: string] {
  const end = path.lastIndexOf('/');
  return [path.slice(0, end), path.slice(end + 1)];
}

type Context = {
  readonly request: ServerRequest;
  readonly state: Shelves;
  readonly path: string;
  readonly nextId: () => number;
};
type Members = Readonly<Record<string, (value: unknown, digits: string | undefined) => boolean>>;
type Kind = {
  readonly collection: RegExp;
  readonly isId: (text: string) => boolean;
  readonly methods: readonly [collection: readonly string[], item: readonly string[]];
  readonly required: readonly string[];
  readonly members: Members;
};

const TEXT = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 40 && /^[a-z]+( [a-z]+)*$/.test(value);
const INTEGER =
  (min: number, max: number) =>
  (value: unknown, digits: string | undefined): boolean => {
    const exact = typeof value === 'number' ? integerOf(digits ?? String(value)) : undefined;
    return exact !== undefined && exact >= BigInt(min) && exact <= BigInt(max);
  };
const NOTE = (value: unknown): boolean => value === null || TEXT(value);
const SITE = (value: unknown): boolean => typeof value === 'string' && /^[a-z]+:[^\s"<>\\^`{|}]+$/.test(value);
const LENT = (value: unknown): boolean => typeof value === 'boolean';
const IS_NUMBER = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text) && Number(text) < 2 ** 31;
const IS_UUID = (text: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

const KINDS: Readonly<Record<'shelf' | 'book' | 'author' | 'label', Kind>> = {
  shelf: {
    collection: /^\/v1\/shelves$/,
    isId: IS_NUMBER,
    methods: [
      ['GET', 'POST'],
      ['GET', 'PUT', 'DELETE'],
    ],
    required: ['title', 'floor'],
    members: {
      title: TEXT,
      floor: INTEGER(0, 99),
      site: SITE,
      secret: TEXT,
      tags: (value) => Array.isArray(value) && value.length <= 3 && value.every(TEXT),
    },
  },
  book: {
    collection: /^\/v1\/shelves\/[^/]+\/books$/,
    isId: IS_NUMBER,
    methods: [
      ['GET', 'POST'],
      ['GET', 'PUT', 'PATCH', 'DELETE'],
    ],
    required: ['title', 'pages'],
    members: { title: TEXT, pages: INTEGER(1, 9999), lent: LENT, note: NOTE },
  },
  author: {
    collection: /^\/v1\/authors$/,
    isId: IS_UUID,
    methods: [
      ['GET', 'POST'],
      ['GET', 'DELETE'],
    ],
    required: ['name'],
    members: { name: TEXT, motto: TEXT },
  },
  label: {
    collection: /^\/v1\/labels$/,
    isId: (text) => /^[a-z]{3,9}$/.test(text),
    methods: [['GET'], ['GET', 'PUT', 'DELETE']],
    required: ['color'],
    members: { color: (value) => ['red', 'green', 'blue'].includes(value as string), weight: INTEGER(0, 9) },
  },
};

/** Implements the document, independently of the checks. */
function respond(request: ServerRequest, state: Shelves, nextId: () => number): ServerAnswer {
  try {
    const path = decodeURI(new URL(request.url, 'http://server').pathname);
    const context = { request, state, path, nextId };
    for (const kind of Object.values(KINDS)) {
      const isItem = !kind.collection.test(path) && kind.collection.test(split(path)[0]);
      if (!isItem && !kind.collection.test(path)) continue;
      const methods = kind.methods[isItem ? 1 : 0];
      if (!methods.includes(request.method)) throw new Refusal(405, { Allow: methods.join(', ') });
      const shelf = /^\/v1\/shelves\/([^/]+)\/books/.exec(path)?.[1];
      if (shelf !== undefined && !IS_NUMBER(shelf)) throw new Refusal(400);
      if (isItem && !kind.isId(split(path)[1])) throw new Refusal(400);
      const members = ['POST', 'PUT', 'PATCH'].includes(request.method) ? readMembers(kind, request) : {};
      const page = request.method === 'GET' && !isItem ? readPaging(kind, request) : new Map<string, number>();
      if (shelf !== undefined && !state.rows.has(`/v1/shelves/${shelf}`)) throw new Refusal(404);
      return isItem ? answerItem(context, kind, members) : answerCollection(context, kind, members, page);
    }
    throw new Refusal(404);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answerJson(error.status, { error: error.message }, error.headers);
  }
}

function answerCollection(
  context: Context,
  kind: Kind,
  members: Row['members'],
  query: ReadonlyMap<string, number>,
): ServerAnswer {
  const { request, state, path, nextId } = context;
  if (request.method === 'GET') return answerList(state.lists.get(path) ?? new Map<string, Row>(), kind, query);
  const key = request.headers['idempotency-key'] ?? '';
  const body = request.body.toString();
  const known = state.keys.get(key);
  const isReused = known !== undefined && known.body !== body;
  if (kind === KINDS.author && ((key !== '' && !IS_UUID(key)) || isReused)) throw new Refusal(400);
  const id = known?.id ?? (kind === KINDS.author ? randomUUID() : String(nextId()));
  if (key !== '') state.keys.set(key, { id, body });
  const row = { members, version: 1 };
  if (known === undefined) store(state, `${path}/${id}`, row);
  if (kind === KINDS.author) return { status: 201, headers: { Location: `${path}/${id}` }, body: '' };
  return answerRow(201, kind, id, row);
}

function answerItem({ request, state, path }: Context, kind: Kind, members: Row['members']): ServerAnswer {
  const [collection, id] = split(path);
  const row = state.rows.get(path);
  const { method, headers } = request;
  if (kind === KINDS.label && method === 'PUT') {
    const changed = { members, version: (row?.version ?? 0) + 1 };
    store(state, path, changed);
    return answerRow(row === undefined ? 201 : 200, kind, id, changed);
  }
  const condition = headers['if-match'];
  if (kind === KINDS.shelf && condition !== undefined && !/^"\d{1,9}"$/.test(condition)) throw new Refusal(400);
  if (row === undefined) {
    if (kind === KINDS.shelf && method === 'DELETE') return { status: 204, headers: {}, body: '' };
    throw new Refusal(404);
  }
  if (method === 'GET') {
    const isKnown = kind === KINDS.shelf && headers['if-none-match'] === `"${String(row.version)}"`;
    return isKnown ? { status: 304, headers: {}, body: '' } : answerRow(200, kind, id, row);
  }
  if (kind === KINDS.shelf && condition !== undefined && condition !== `"${String(row.version)}"`)
    throw new Refusal(412);
  if (method === 'DELETE') {
    state.rows.delete(path);
    state.lists.get(collection)?.delete(id);
    return kind === KINDS.label ? answerRow(200, kind, id, row) : { status: 204, headers: {}, body: '' };
  }
  const merged = method === 'PATCH' ? { ...row.members, ...members } : members;
  const changed = { members: merged, version: row.version + 1 };
  store(state, path, changed);
  return answerRow(200, kind, id, changed);
}

function answerRow(status: number, kind: Kind, id: string, row: Row): ServerAnswer {
  const headers: Record<string, string> = kind === KINDS.shelf ? { ETag: `"${String(row.version)}"` } : {};
  return answerJson(status, toBody(kind, id, row), headers);
}

function toBody(kind: Kind, id: string, { members }: Row): object {
  const shown = Object.fromEntries(Object.entries(members).filter(([name]) => name !== 'secret'));
  if (kind === KINDS.label) return { ...shown, name: id };
  if (kind === KINDS.author) return { ...shown, authorId: id };
  return kind === KINDS.shelf
    ? { ...shown, number: Number(id), changed: new Date().toISOString() }
    : { ...shown, id: Number(id) };
}

function answerList(rows: ReadonlyMap<string, Row>, kind: Kind, query: ReadonlyMap<string, number>): ServerAnswer {
  const all = [...rows].map(([id, row]) => [id, toBody(kind, id, row)] as const);
  if (kind === KINDS.label)
    return answerJson(
      200,
      all.map(([, body]) => body),
    );
  const size = query.get('limit') ?? query.get('size') ?? 20;
  const after = query.get('after') ?? 0;
  const start = query.get('offset') ?? ((query.get('page') ?? 1) - 1) * size;
  const rest = all.filter(([id]) => kind !== KINDS.shelf || Number(id) > after).slice(start);
  const items = rest.slice(0, size).map(([, body]) => body);
  if (kind !== KINDS.shelf) return answerJson(200, items);
  const last = Number(rest[size - 1]?.[0]);
  return answerJson(200, { items, ...(rest.length > size && { next: last }) });
}

const QUERIES: readonly (readonly [Kind, Readonly<Record<string, readonly [number, number]>>])[] = [
  [KINDS.shelf, { limit: [1, 100], after: [1, 2 ** 31 - 1] }],
  [KINDS.book, { limit: [1, 100], offset: [0, 9999] }],
  [KINDS.author, { page: [1, 9999], size: [1, 100] }],
];

function readPaging(kind: Kind, { url }: ServerRequest): ReadonlyMap<string, number> {
  const [, known = {}] = QUERIES.find(([its]) => its === kind) ?? [];
  const pairs = [...new URLSearchParams(url.split('?')[1] ?? '')].filter(([name]) => Object.hasOwn(known, name));
  return new Map(
    pairs.map(([name, text]) => {
      const [min = 0, max = 0] = known[name] ?? [];
      if (!/^-?\d+$/.test(text) || Number(text) < min || Number(text) > max) throw new Refusal(400);
      return [name, Number(text)] as const;
    }),
  );
}

function readMembers({ required, members }: Kind, { method, headers, body }: ServerRequest): Row['members'] {
  const mediaType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== mediaType) throw new Refusal(415);
  let json: JsonTree;
  try {
    json = parseJsonTree(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new Refusal(400);
  }
  const value = json.root[''];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refusal(400);
  const patchable = ['title', 'lent', 'note'];
  for (const [name, member] of Object.entries(value)) {
    const isKnown = Object.hasOwn(members, name) && (method !== 'PATCH' || patchable.includes(name));
    if (!isKnown || members[name]?.(member, json.sourceDigits.get(value, name)) !== true) throw new Refusal(400);
  }
  if (method !== 'PATCH' && required.some((name) => !Object.hasOwn(value, name))) throw new Refusal(400);
  return value as Row['members'];
}
