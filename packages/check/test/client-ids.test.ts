import { checkContract } from '../src/contract-run.ts';
import { CHECK_NAMES, isStateCheck } from '../src/judgement/checks.ts';
import type { ContractResult } from '../src/run/contract-result.ts';
import { answerJson, startReferenceServer, type ServerAnswer } from './support/reference-server.ts';

// Resources whose ids the client chooses, where no response has the id.

type Method = 'get' | 'put' | 'post' | 'delete';
type PathItem = Partial<Record<Method, object>> & { readonly parameters?: readonly object[] };
/** The resources by their paths. */
type Stored = Map<string, unknown>;
/** Answers a request. Returns `undefined` if the method is not supported. */
type Serve = (method: string, path: string, sent: unknown, stored: Stored) => ServerAnswer | undefined;

const json = (schema: object) => ({ 'application/json': { schema } });
const text = { type: 'string', pattern: '^[a-z]{3,9}$' };
const empty = (status: number): ServerAnswer => ({ status, headers: {}, body: '' });

const entry = { type: 'object', required: ['text'], properties: { text } };
const user = { type: 'object', required: ['username', 'text'], properties: { username: text, text } };
const shownUser = { ...user, properties: { username: { type: 'string' }, text } };

/** Returns an operation with the schemas of its request and its response. */
function operation(operationId: string, status: number, { takes, gives }: { takes?: object; gives?: object } = {}) {
  return {
    operationId,
    ...(takes && { requestBody: { required: true, content: json(takes) } }),
    responses: {
      [status]: { description: 'Done', ...(gives && { content: json(gives) }) },
      400: { description: 'Invalid' },
      404: { description: 'Missing' },
    },
  };
}

/** Runs the state checks on a service. */
async function check(paths: Readonly<Record<string, PathItem>>, serve: Serve, seed = 1): Promise<ContractResult> {
  const stored: Stored = new Map();
  const baseUrl = await startReferenceServer(({ method, url, body }) => {
    const sent: unknown = body.length === 0 ? undefined : JSON.parse(body.toString());
    return serve(method, url, sent, stored) ?? empty(405);
  });
  const withParameters = Object.entries(paths).map(([path, operations]) => {
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
      return { name, in: 'path', required: true, schema: text };
    });
    return [path, { parameters, ...operations }] as const;
  });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Client ids', version: '1.0.0' },
    security: [],
    paths: Object.fromEntries(withParameters),
  };
  const checks = new Set(CHECK_NAMES.filter(isStateCheck));
  return checkContract({ document, baseUrl, checks, seed, runs: 0, budgetMs: 120_000 });
}

const found = ({ failures }: ContractResult): readonly string[] =>
  failures.map(({ check, operationId }) => `${check} ${operationId}`);

const ENTRIES = {
  '/entries/{key}': {
    get: operation('getEntry', 200, { gives: entry }),
    put: operation('putEntry', 204, { takes: entry }),
    delete: operation('deleteEntry', 204),
  },
};

const readOrDelete: Serve = (method, path, _sent, stored) => {
  if (method === 'DELETE') return empty(stored.delete(path) ? 204 : 404);
  if (method === 'GET') return stored.has(path) ? answerJson(200, stored.get(path)) : empty(404);
  return undefined;
};

test.each<[string, Serve, readonly string[]]>([
  [
    'creates resources',
    (method, path, sent, stored) => {
      if (method !== 'PUT') return readOrDelete(method, path, sent, stored);
      stored.set(path, sent);
      return empty(204);
    },
    [],
  ],
  [
    'keeps the first value',
    (method, path, sent, stored) => {
      if (method !== 'PUT') return readOrDelete(method, path, sent, stored);
      if (!stored.has(path)) stored.set(path, sent);
      return empty(204);
    },
    ['update_is_visible getEntry'],
  ],
  [
    'has no effect',
    (...request) => (request[0] === 'PUT' ? empty(204) : readOrDelete(...request)),
    ['ensure_resource_availability getEntry'],
  ],
])('a PUT to a new address, without a documented 201, that %s', async (_name, serve, expected) => {
  const result = await check(ENTRIES, serve);
  expect([found(result), result.notes]).toEqual([expected, []]);
});

test('a PUT that only replaces resources is noted', async () => {
  const result = await check(ENTRIES, (...request) => (request[0] === 'PUT' ? empty(404) : readOrDelete(...request)));
  expect([found(result), result.notes]).toEqual([
    [],
    [
      'sequences of requests were not checked for 1 resource: no checked operation gives an id for key: set an id with --value key=… (putEntry)',
    ],
  ]);
});

test.each<[string, boolean, readonly string[]]>([
  ['is gone', true, []],
  ['stays', false, ['use_after_free getUser', 'use_after_free listUsers']],
])(
  'a POST without a response body creates the resource that its body names: deleted, it %s',
  async (_name, isGone, expected) => {
    const paths = {
      '/users': {
        post: operation('createUser', 201, { takes: user }),
        get: operation('listUsers', 200, { gives: { type: 'array', items: shownUser } }),
      },
      '/users/{username}': {
        get: operation('getUser', 200, { gives: shownUser }),
        delete: operation('deleteUser', 204),
      },
    };
    const result = await check(paths, (method, path, sent, stored) => {
      if (method === 'DELETE' && !isGone) return empty(stored.has(path) ? 204 : 404);
      if (path === '/users' && method === 'GET') return answerJson(200, [...stored.values()]);
      if (method !== 'POST') return readOrDelete(method, path, sent, stored);
      const { username, ...others } = sent as { readonly username: string };
      stored.set(`/users/${username}`, { username: ` ${username.toUpperCase()}`, ...others }); // The list shows it so.
      return empty(201);
    });
    expect([found(result), result.notes]).toEqual([expected, []]);
  },
);

test('a POST with an id that is in use may replace the resource', async () => {
  const id = { type: 'integer', minimum: 0, maximum: 3 };
  const thing = { type: 'object', required: ['id', 'text'], properties: { id, text } };
  const paths: Record<string, PathItem> = {
    '/things': { post: operation('createThing', 200, { takes: thing, gives: entry }) },
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: operation('getThing', 200, { gives: thing }),
    },
  };
  const serve: Serve = (method, path, sent, stored) => {
    if (method !== 'POST') return readOrDelete(method, path, sent, stored);
    const { id: key, text: value } = sent as { readonly id: number; readonly text: string };
    stored.set(`/things/${String(key)}`, sent);
    return answerJson(200, { text: value });
  };
  for (let seed = 1; seed <= 20; seed += 1) expect(found(await check(paths, serve, seed))).toEqual([]);
});

type Tags = readonly { readonly text: string }[];
test.each<[string, (before: Tags, sent: Tags) => Tags, readonly string[]]>([
  ['replaces it', (_before, sent) => sent, []],
  ['adds new items before others', (before, sent) => [...new Set([...sent, ...before])].slice(0, 5), []],
  ['has no effect', (before) => before, ['update_is_visible listTags']],
  ['changes items', (_before, sent) => sent.map(({ text }) => ({ text: `${text}-` })), ['update_is_visible listTags']],
  ['appends items', (before, sent) => [...before, ...sent], ['put_is_idempotent listTags']],
])('a PUT of a whole list that %s', async (_name, replace, expected) => {
  const list = { type: 'array', minItems: 1, items: entry };
  const paths = {
    ...ENTRIES,
    '/tags': { get: operation('listTags', 200, { gives: list }), put: operation('putTags', 204, { takes: list }) },
  };
  let tags: Tags = [{ text: 'first' }];
  const result = await check(paths, (method, path, sent, stored) => {
    if (path === '/tags' && method === 'GET') return answerJson(200, tags);
    if (method !== 'PUT') return readOrDelete(method, path, sent, stored);
    if (path === '/tags') tags = replace(tags, sent as Tags);
    else stored.set(path, sent);
    return empty(204);
  });
  expect(found(result)).toEqual(expected);
});
