import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import type { ContractOptions } from '../src/run/contract-options.ts';
import { checkContract } from '../src/contract-run.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { libraryDocument } from './support/library-document.ts';
import { startLibrary, type Flaw, type Shelves } from './support/library-server.ts';
import {
  act,
  OTHER_TOKEN,
  ownedNotesDocument,
  startOwnedNotes,
  TOKEN,
  type OwnedNotesOptions,
  type Trespass,
} from './support/owned-notes.ts';

const REPORTS = ['junit', 'har', 'ndjson', 'coverage', 'github', 'markdown'];
const checks = new Set(['object_level_authorization'] as const);

/** Checks that a second user cannot access the notes of the first user. */
async function check(server: OwnedNotesOptions, options: Partial<ContractOptions> = {}) {
  const { url: baseUrl } = await startOwnedNotes(server);
  const document = ownedNotesDocument(server);
  const users = { token: TOKEN, otherToken: OTHER_TOKEN };
  const result = await checkContract({ document, baseUrl, ...users, checks, seed: 1, runs: 0, ...options });
  const found = result.failures.map(({ operationId, message }) => `${operationId}: ${message}`);
  return { found, notes: result.notes, unused: result.unused, unsuccessful: result.unsuccessful };
}

const nothing = { found: [], notes: [], unused: [], unsuccessful: undefined };

/** Allows requests with the given methods for every user. */
const allowing =
  (...methods: readonly string[]): Trespass =>
  ({ method, notes, id, note, request }) =>
    methods.includes(method) && note !== undefined ? act(notes, id, note, request) : undefined;

const hint = (method: string, path = '/notes/{id}'): string => `; if everyone may, add --shared '${method} ${path}'`;
const READ = `getNote: another user can read it: GET got status 200${hint('GET')}`;
const LIST = `listNotes: another user can list it: GET got status 200${hint('GET', '/notes')}`;
const CHANGE = `replaceNote: another user can change it: PUT got status 200${hint('PUT')}`;
const PATCH = `patchNote: another user can change it: PATCH got status 200${hint('PATCH')}`;
const DELETE = `deleteNote: another user can delete it: DELETE got status 204${hint('DELETE')}`;

test.each<[string, OwnedNotesOptions, readonly string[]]>([
  ['read', { trespass: allowing('GET') }, [READ]],
  ['list', { lists: () => true }, [LIST]],
  ['replace', { trespass: allowing('PUT') }, [CHANGE]],
  ['patch', { trespass: allowing('PATCH') }, [PATCH]],
  ['delete', { trespass: allowing('DELETE') }, [DELETE]],
  ['read and list, which is one failure', { trespass: allowing('GET'), lists: () => true }, [READ]],
  [
    'do all with',
    { trespass: allowing('GET', 'PUT', 'PATCH', 'DELETE'), lists: () => true },
    [READ, PATCH, CHANGE, DELETE],
  ],
  [
    'delete, though it is refused,',
    {
      trespass: ({ method, notes, id }) => {
        if (method === 'DELETE') notes.delete(id);
        return undefined;
      },
    },
    ['getNote: the DELETE of another user was refused, but has deleted it'],
  ],
  [
    'change, though it is refused,',
    {
      trespass: ({ method, notes, id, note, request }) => {
        if (method === 'PUT' && note !== undefined) act(notes, id, note, request);
        return { status: 403, headers: {}, body: '' };
      },
    },
    ['getNote: the PUT of another user was refused, but has changed it'],
  ],
])('a second user who can %s a note of the first user is a failure', async (_name, server, expected) => {
  expect((await check(server)).found).toEqual(expected);
});

const unread = ['getNote', 'replaceNote', 'patchNote'];
const unseen = [...unread, 'listNotes'];
const deletes: Trespass = ({ method, notes, id }) => {
  if (method === 'DELETE') notes.delete(id);
  return undefined;
};

test.each<[string, OwnedNotesOptions, readonly string[]]>([
  ['is listed', { without: unread, trespass: allowing('DELETE') }, [DELETE]],
  ['is neither read nor listed', { without: unseen, trespass: allowing('DELETE') }, [DELETE]],
  [
    'is listed, though it is refused,',
    { without: unread, trespass: deletes },
    ['listNotes: the DELETE of another user was refused, but has deleted it'],
  ],
  [
    'is neither read nor listed, though it is refused,',
    { without: unseen, trespass: deletes },
    ['deleteNote: the DELETE of another user was refused, but has deleted it'],
  ],
  ['is replaced', { without: ['getNote', 'listNotes'], trespass: allowing('PUT') }, [CHANGE]],
])('a second user who changes a note that %s is a failure', async (_name, server, expected) => {
  expect((await check(server)).found).toEqual(expected);
});

test.each<[string, readonly string[], readonly string[]]>([
  [
    'creates',
    ['createNote'],
    [
      'object_level_authorization was not judged for 1 resource: no checked operation gives an id for id: set an id with --value id=… (replaceNote)',
    ],
  ],
  [
    'reads or lists',
    unseen,
    ['sequences of requests were not checked for 1 resource: no operation reads or lists resources (deleteNote)'],
  ],
])('the summary names resources that no operation %s', async (_name, without, notes) => {
  expect((await check({ without })).notes).toEqual(notes);
});

test.each<[string, OwnedNotesOptions]>([
  ['404', {}],
  ['404 for a note that is only listed', { without: unread }],
  ['403', { trespass: () => ({ status: 403, headers: {}, body: '' }) }],
  ['401', { trespass: () => ({ status: 401, headers: {}, body: '' }) }],
  [
    '204 to a DELETE without effect',
    { trespass: ({ method }) => (method === 'DELETE' ? { status: 204, headers: {}, body: '' } : undefined) },
  ],
  ['notes of its own with the same ids', { hasOwnIds: true }],
])('not a failure: a second user who gets %s', async (_name, server) => {
  expect(await check(server)).toEqual(nothing);
});

test('the second user creates resources with values that the first user has not used, which may be unique', async () => {
  const sent: Record<string, (string | undefined)[]> = {};
  await check(
    {},
    {
      checks: new Set(['object_level_authorization', 'update_is_visible']),
      onExchange: ({ request, testCase }) => {
        if (request.method === 'POST') (sent[testCase.kind] ??= []).push(request.body?.toString());
      },
    },
  );
  expect(sent['positive']).not.toContain(sent['other user']?.[0]);
});

test('operations in --shared are not judged, and other operations are', async () => {
  const server = { trespass: allowing('GET', 'PUT'), lists: () => true };
  expect((await check(server, { shared: ['GET /*'] })).found).toEqual([CHANGE]);
  expect((await check(server, { shared: ['/notes*'] })).found).toEqual([]);
  expect((await check(server, { shared: ['getNote'] })).found).toEqual([LIST, CHANGE]);
});

test('public operations are not judged, and other operations are', async () => {
  expect((await check({ open: ['GET'], trespass: allowing('DELETE') })).found).toEqual([DELETE]);
});

test('without a second user, the check does not apply', async () => {
  expect(await check({ trespass: allowing('GET') }, { otherToken: undefined })).toEqual(nothing);
});

test('the run is unsuccessful if no request of the second user succeeds', async () => {
  const { found, notes, unused, unsuccessful } = await check({}, { otherToken: 'unknown' });
  expect(found).toEqual([]);
  expect(unused).toEqual(['object_level_authorization']);
  expect(notes).toEqual([
    'object_level_authorization was not judged for 1 resource: no request of the second user was successful: are its credentials right? (createNote)',
  ]);
  expect(unsuccessful).toBe('no request of the second user was judged');
});

test('without a token, public operations are checked with --allow-incomplete', async () => {
  const { url: baseUrl } = await startOwnedNotes({ open: ['GET'] });
  const options = { document: ownedNotesDocument({ open: ['GET'] }), baseUrl, seed: 1, runs: 0 };
  const need = 'createNote and 3 other operations need a token: CONTRACT_TOKEN or --token';
  await expect(checkContract(options)).rejects.toThrow(`${need}; --allow-incomplete checks the others`);
  const { requests, incomplete, notes } = await checkContract({ ...options, isIncompleteAllowed: true });
  expect(requests).toBeGreaterThan(0);
  expect(incomplete).toEqual(['createNote', 'replaceNote', 'patchNote', 'deleteNote']);
  expect(notes).toContain(`not checked: ${need}`);
});

test('without a token, a run ends at once if every operation needs a token', async () => {
  await expect(check({}, { token: undefined, otherToken: undefined, isIncompleteAllowed: true })).rejects.toThrow(
    /^createNote and 5 other operations need a token: CONTRACT_TOKEN or --token$/,
  );
});

test('the second user must have different credentials', async () => {
  await expect(check({}, { otherToken: TOKEN })).rejects.toThrow(
    'the second user has the credentials of the first user: set other credentials with --other-token',
  );
});

/** Checks a library with two users. It has nested resources, entity tags and client-chosen ids. */
async function checkLibrary(flaw: Flaw): Promise<readonly string[]> {
  const document = {
    ...libraryDocument,
    security: [{ bearer: [] }],
    components: {
      ...(libraryDocument['components'] as object), // The document has components.
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
  const users = { token: TOKEN, otherToken: OTHER_TOKEN };
  const result = await checkContract({
    document,
    baseUrl: await startLibrary(flaw),
    ...users,
    checks,
    seed: 1,
    runs: 0,
  });
  expect([result.notes, result.unused]).toEqual([[], []]);
  return result.failures.map(({ operationId }) => operationId).sort();
}

test('a library with separate shelves for each user has no failures', async () => {
  const byUser = new Map<string, Shelves>();
  const found = await checkLibrary((request, respond, state) => {
    const user = request.headers['authorization'] ?? '';
    const own = byUser.get(user) ?? { rows: new Map(), lists: new Map(), keys: new Map() };
    byUser.set(user, own);
    const copy = (from: Shelves, to: Shelves): void => {
      for (const name of ['rows', 'lists', 'keys'] as const) {
        to[name].clear();
        for (const [key, value] of from[name]) to[name].set(key, value as never); // Copied from the same map.
      }
    };
    copy(own, state);
    const answer = respond(request);
    copy(state, own);
    return answer;
  });
  expect(found).toEqual([]);
});

test('a library with the same shelves for all users fails for each way to access them', async () => {
  expect(await checkLibrary((request, respond) => respond(request))).toEqual([
    ...['deleteAuthor', 'deleteBook', 'deleteLabel', 'deleteShelf'],
    ...['getAuthor', 'getBook', 'getLabel', 'getShelf'],
    ...['patchBook', 'putLabel', 'replaceBook', 'replaceShelf'],
  ]);
});

/** Runs the command against a service with the given options. */
async function command(server: OwnedNotesOptions, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { url } = await startOwnedNotes(server);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(ownedNotesDocument(server)));
  const reports = REPORTS.flatMap((kind) => ['--report', `${kind}:${kind}.out`]);
  const selected = ['--checks', 'object_level_authorization', '--runs', '0', '--seed', '1'];
  const outcome = await runHere(
    checkCommand,
    ['openapi.json', '--url', url, ...selected, ...reports, ...args],
    folder,
    env,
  );
  const files = REPORTS.map((kind) => readFileSync(join(folder, `${kind}.out`), 'utf8'));
  return { ...outcome, all: [outcome.stdout, outcome.stderr, ...files].join('\n') };
}

test('the evidence is the creation and the access, with variables for the tokens', async () => {
  const { stdout, all } = await command({ trespass: allowing('GET') }, [
    '--token',
    TOKEN,
    '--other-token',
    OTHER_TOKEN,
  ]);
  const lines = stdout.split('\n').filter((line) => line.startsWith('  curl'));
  expect(lines).toEqual([
    expect.stringMatching(/ -X POST '[^']*\/notes' -H 'Authorization: Bearer '"\$TOKEN" /),
    expect.stringMatching(/ -X GET '[^']*\/notes\/1' -H 'Authorization: Bearer '"\$OTHER_TOKEN"$/),
  ]);
  expect(stdout).toContain(`--token "$TOKEN" --other-token "$OTHER_TOKEN"`);
  expect(all).not.toMatch(/token-of-/);
});

test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
  ['the environment', [], { CONTRACT_TOKEN: TOKEN, CONTRACT_OTHER_TOKEN: OTHER_TOKEN }],
  ['the scheme', ['--credential', `bearer=${TOKEN}`, '--credential', `bearer=${OTHER_TOKEN}`], {}],
])('the second user gets credentials from %s', async (_name, args, env) => {
  const { stdout, all } = await command({ trespass: allowing('DELETE') }, args, env);
  expect(stdout).toContain('FAILED object_level_authorization  deleteNote');
  expect(all).not.toMatch(/token-of-/);
});
