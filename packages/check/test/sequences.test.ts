import { CHECK_NAMES, isStateCheck, type CheckName } from '../src/judgement/checks.ts';
import type { ContractResult } from '../src/run/contract-result.ts';
import { checkContract } from '../src/contract-run.ts';
import { formatResult } from '../src/reports/text.ts';
import { noteDocument, startNotes, type NoteBehaviour } from './support/note-service.ts';
import { answerJson, type ServerAnswer } from './support/reference-server.ts';

const done = { description: 'Done' };
const empty = (status: number) => ({ status, headers: {}, body: '' });

/** Runs the state checks on a service of notes. */
async function checkNotes(behaviour: NoteBehaviour, operations?: readonly string[], seed = 1): Promise<ContractResult> {
  const checks = new Set(CHECK_NAMES.filter(isStateCheck));
  const [document, baseUrl] = [noteDocument(behaviour), await startNotes(behaviour)];
  return checkContract({ document, baseUrl, operations, checks, seed, runs: 0, budgetMs: 120_000 });
}

const found = ({ failures }: ContractResult): readonly string[] =>
  failures.map(({ check, operationId }) => `${check} ${operationId}`);

/** Returns a list that shows the notes of its earlier read. */
function delayed(): NonNullable<NoteBehaviour['list']> {
  let current: readonly object[] = [];
  return (notes) => {
    const earlier = current;
    current = [...notes];
    return earlier;
  };
}

test.each<[string, NoteBehaviour]>([
  ['a deletion that is answered later', { removed: { '202': done }, remove: () => empty(202) }],
  [
    'a creation that is carried out later',
    { created: { '202': done }, read: () => empty(404), create: () => empty(202) },
  ],
  [
    'a second deletion that is answered as the first, where any status is documented',
    { removed: { default: done }, remove: (notes, id) => (notes.delete(id), empty(200)) },
  ],
  [
    'a deletion that only marks',
    {
      remove: (notes, id) => {
        notes.set(id, { ...notes.get(id), deleted: true });
        return empty(204);
      },
    },
  ],
  [
    'a read of a deleted resource that is answered 410',
    { read: (note) => (note === undefined ? empty(410) : undefined) },
  ],
  ['a read of an unknown id that is answered 403', { read: (note) => (note === undefined ? empty(403) : undefined) }],
  [
    'a text without white space around it, or in lower case',
    { store: (note) => ({ ...note, text: ` ${String(note['text']).toUpperCase()} ` }) },
  ],
  [
    'a time in another time zone',
    { store: (note) => ({ ...note, ...(note['at'] !== undefined && { at: inParis(note['at']) }) }) },
  ],
  [
    'an object that is not read, where reads have more in it than a client can send',
    { store: ({ author: _author, ...note }) => note },
  ],
  [
    'ids that differ only in case',
    {
      idSchema: { type: 'string', maxLength: 20 },
      identify: (_sent, id) => {
        const count = Number(id.slice(-12));
        return `${count % 2 === 0 ? 'A' : 'a'}${String(Math.ceil(count / 2))}`;
      },
    },
  ],
  ['a list in another order', { store: (note) => ({ ...note, tags: [note['tags'] ?? []].flat().reverse() }) }],
  ['a read-only member that is ignored', { store: (note) => ({ ...note, deleted: false }) }],
  [
    'a read-only member that is refused',
    {
      store: (note) => ({ ...note, deleted: false }),
      create: ({ deleted }) => (deleted === undefined ? undefined : empty(400)),
    },
  ],
  ['a list that shows changes later', { list: delayed() }],
  ['a list with a limit that is not documented', { list: (notes) => [...NOTES, ...notes].slice(0, 10) }],
])('not a failure: %s', async (_name, behaviour) => {
  expect(found(await checkNotes(behaviour))).toEqual([]);
});

test('a PUT to the collection replaces the resource with the id in the body', async () => {
  const replace = (notes: Map<string, object>, { id, ...note }: Readonly<Record<string, unknown>>, isKept: boolean) => {
    if (!notes.has(String(id))) return empty(404);
    if (!isKept) notes.set(String(id), { id, ...note });
    return empty(204);
  };
  expect(found(await checkNotes({ replace: (notes, note) => replace(notes, note, false) }))).toEqual([]);
  const result = await checkNotes({ replace: (notes, note) => replace(notes, note, true) });
  expect(found(result)).toEqual(['update_is_visible getNote']);
});

test('a read-only member that returns the sent value is a failure', async () => {
  const result = await checkNotes({ store: (note) => ({ deleted: false, ...note }) });
  expect(found(result)).toEqual(['read_only_members getNote']);
});

test('a read-only id that the client chooses is a failure', async () => {
  const result = await checkNotes({ identify: ({ id }) => id as string | undefined });
  expect(found(result)).toEqual(['read_only_members getNote']);
  expect(result.failures.map(({ message }) => message)).toEqual([
    'the read-only id is read with the value that the client sent',
  ]);
});

test('a read-only number that the client chooses as an id is a failure with every seed', async () => {
  for (const seed of [1, 2, 3, 4]) {
    let count = 0;
    const idSchema = { type: 'integer', minimum: 1 };
    const result = await checkNotes(
      { idSchema, identify: ({ id }) => (id as number | undefined) ?? (count += 1) },
      undefined,
      seed,
    );
    expect(found(result)).toEqual(['read_only_members getNote']);
    expect(result.failures[0]?.earlier).toHaveLength(3);
  }
});

test('a read of a created resource that is refused is noted', async () => {
  const { failures, notes } = await checkNotes({ read: (note) => (note === undefined ? undefined : empty(403)) });
  expect(failures).toEqual([]);
  expect(notes).toContain('read_your_writes was not judged for 1 resource: its read got status 403 (createNote)');
});

test('resources whose paths end with a slash are checked', async () => {
  const result = await checkNotes({ slash: '/', remove: () => empty(204) });
  expect(found(result)).toContain('use_after_free getNote');
});

test('resources with numbers as ids are checked, even if the id in the path is a text', async () => {
  let count = 0;
  const result = await checkNotes({
    idSchema: { type: 'integer' },
    pathIdSchema: { type: 'string' },
    identify: () => (count += 1),
    remove: () => empty(204),
  });
  expect(found(result)).toEqual(['use_after_free getNote', 'use_after_free listNotes']);
});

const byId = (notes: readonly Readonly<Record<string, unknown>>[]): object =>
  Object.fromEntries<object>(notes.map((note) => [String(note['id']), { tags: ['a'], ...note }]));

test.each<[string, Required<NoteBehaviour>['list'], readonly string[]]>([
  ['all notes by their ids', byId, []],
  ['the first note by its id', (notes) => byId(notes.slice(0, 1)), ['list_contains_created listNotes']],
])('a list that is an object with %s', async (_name, list, expected) => {
  const listSchema = { type: 'object', additionalProperties: { $ref: '#/components/schemas/Note' } };
  const result = await checkNotes({ listSchema, list });
  expect(found(result)).toEqual(expected);
  expect(result.notes).toEqual([]);
});

test.each<[string, (note: object) => object, readonly string[]]>([
  ['an undocumented envelope', (note) => ({ note }), []],
  ['an invalid member', (note) => ({ ...note, deleted: 'no' }), []],
  [
    'an invalid member and without a written member',
    (note) => ({ ...note, deleted: 'no', tags: undefined }),
    ['read_your_writes getNote'],
  ],
])('a read with %s has a failure for each cause', async (_name, shown, others) => {
  const read: NoteBehaviour['read'] = (note) => (note === undefined ? undefined : answerJson(200, shown(note)));
  const checks = new Set<CheckName>(['response_schema_conformance', 'read_your_writes', 'update_is_visible']);
  const [document, baseUrl] = [noteDocument({}), await startNotes({ read })];
  const result = await checkContract({ document, baseUrl, checks, seed: 1, runs: 2, budgetMs: 120_000 });
  const ofRead = found(result).filter((text) => text.endsWith(' getNote'));
  expect(ofRead).toEqual(['response_schema_conformance getNote', ...others]);
});

test('a rejected creation is noted, and not a failure', async () => {
  const result = await checkNotes({ create: () => empty(409) });
  expect(found(result)).toEqual([]);
  expect(result.notes).toEqual([
    'sequences of requests were not checked for 1 resource: the creation was refused with 409 (createNote)',
  ]);
});

test.each([1, 8])('resources with few valid ids are judged with seed %d', async (seed) => {
  const ids = ['a', 'b', 'c', 'd'];
  const identify: NoteBehaviour['identify'] = (_sent, id) => ids[(Number(id.slice(-12)) - 1) % ids.length];
  const notes: NoteBehaviour = { idSchema: { type: 'string', enum: ids }, identify, remove: () => empty(204) };
  expect(found(await checkNotes(notes, undefined, seed))).toContain('use_after_free getNote');
});

const undeclared = { '201': { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } } };

test.each<[string, NoteBehaviour, readonly string[]]>([
  ['deletions are judged', { remove: () => empty(204) }, ['use_after_free getNote', 'use_after_free listNotes']],
  ['correct deletions are no failure', {}, []],
])('if the response to a creation has an id that is not declared, %s', async (_name, others, expected) => {
  const result = await checkNotes({ created: undeclared, ...others });
  expect([found(result), result.notes]).toEqual([expected, []]);
});

const unknown = '00000000-0000-4000-8000-000000000000';
const another = answerJson(200, { id: unknown, text: 'another' });

test.each<[string, unknown, ServerAnswer | undefined]>([
  ['is not the id of a resource', unknown, undefined],
  ['is the id of another resource', unknown, another],
  ['does not fit the path', 1, undefined],
  ['is missing', undefined, undefined],
])('if an undeclared id in the response to a creation %s, this is noted', async (_name, id, read) => {
  const result = await checkNotes({ created: undeclared, create: () => answerJson(201, { id }), read: () => read });
  expect([found(result), result.notes, result.unused]).toEqual([
    [],
    [
      'sequences of requests were not checked for 1 resource: the response of createNote has no valid value for {id} (createNote)',
    ],
    [],
  ]);
});

test('a rejected creation is tried with the examples of the document, which may contain existing ids', async () => {
  const create = ({ text }: { readonly text?: unknown }) => (text === 'known' ? undefined : empty(404));
  const result = await checkNotes({ create, example: 'known', remove: () => empty(204) });
  expect(found(result)).toEqual(['use_after_free getNote', 'use_after_free listNotes']);
  expect(result.notes).toEqual([]);
});

test('a stateless server is noted once, and not a failure', async () => {
  const note = { id: '00000000-0000-4000-8000-000000000000', text: 'any' };
  const result = await checkNotes({ read: () => answerJson(200, note), list: () => [note] });
  expect(found(result)).toEqual([]);
  expect(result.notes).toEqual([
    'sequences of requests were not checked for 1 resource: reads of unknown ids succeed (createNote)',
  ]);
});

const NOTES = Array.from({ length: 10 }, (_, index) => ({
  id: `10000000-0000-4000-8000-00000000000${String(index)}`,
  text: 'an old one',
}));

function inParis(time: unknown): string {
  return new Date(Date.parse(String(time)) + 3_600_000).toISOString().replace('Z', '+01:00');
}

const behaviour: NoteBehaviour = { remove: () => empty(204) };

test('the evidence of a sequence is the shortest one that fails, with its responses', async () => {
  const result = await checkNotes(behaviour);
  expect(found(result)).toContain('use_after_free getNote');
  const repeated: (readonly string[])[] = [];
  const options = {
    baseUrl: 'http://server',
    redactor: undefined,
    repeatLine: (ids: readonly string[]) => (repeated.push(ids), 'again'),
  };
  const lines = formatResult(result, options).split('\n');
  const start = lines.indexOf('FAILED use_after_free  getNote');
  const end = lines.indexOf('  repeat: again', start);
  const evidence = lines.slice(start + 1, end).filter((line) => /curl|FAILED|status|< HTTP/.test(line));
  const id = /DELETE '[^']*\/([^/']+)'/.exec(evidence.join())?.[1] ?? '';
  expect(evidence).toEqual([
    '  a deleted resource can be read: status 200',
    expect.stringMatching(/^ {2}curl .* -X POST 'http:\/\/server\/notes' .*$/),
    '  < HTTP 201',
    `  curl -sSi --path-as-is -g -X DELETE 'http://server/notes/${id}'`,
    '  < HTTP 204',
    `  curl -sSi --path-as-is -g -X GET 'http://server/notes/${id}'`,
    '  < HTTP 200',
  ]);
  expect(repeated[0]?.toSorted()).toEqual(['createNote', 'deleteNote', 'getNote', 'listNotes']);
});

test('the operations in the repeat line of a sequence reproduce its failures', async () => {
  const result = await checkNotes(behaviour);
  const [first] = result.failures;
  const again = await checkNotes(behaviour, first?.operationIds);
  expect(again.failures.map(({ request }) => request.target)).toEqual(
    result.failures.map(({ request }) => request.target),
  );
});

const check = async (behaviour: NoteBehaviour, operations?: readonly string[]): Promise<readonly string[]> => {
  const [document, baseUrl] = [noteDocument(behaviour), await startNotes(behaviour)];
  const checks = new Set(['not_a_server_error'] as const);
  const result = await checkContract({ document, baseUrl, operations, checks, seed: 1, runs: 5, budgetMs: 120_000 });
  return result.notes;
};

test('ids come from created resources, so that reads and deletions are successful', async () => {
  expect(await check({})).toEqual([]);
});

test('ids come from lists if nothing can be created', async () => {
  const isKnown = (note: object | undefined) => (note === undefined ? answerJson(200, NOTES[0]) : undefined);
  expect(await check({ list: () => NOTES, read: isKnown }, ['listNotes', 'getNote'])).toEqual([]);
});

test('a lost value has the same cause for every seed, as baselines require', async () => {
  const lossy: NoteBehaviour = { read: (note) => note && answerJson(200, { ...note, text: 'another one' }) };
  const [one, other] = [await checkNotes(lossy, undefined, 1), await checkNotes(lossy, undefined, 2)];
  const causesOf = ({ failures }: ContractResult): readonly string[] => failures.map(({ cause }) => cause);
  expect(causesOf(one)).toContain('text is read with another value than was written');
  expect(causesOf(other)).toEqual(causesOf(one));
});

test('a missing id is noted with the reason', async () => {
  expect(await check({}, ['getNote'])).toEqual([
    'getNote: no valid request was successful: they got 404; no checked operation gives an id for id: set an id with --value id=…',
  ]);
  const refused = 'no valid request was successful: they got 404; the creation was refused with 409';
  const notes = await check({ create: () => empty(409) }, ['createNote', 'getNote']);
  expect(notes).toContain(`getNote: ${refused}`);
});
