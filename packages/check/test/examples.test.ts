import { checkContract } from '../src/contract-run.ts';
import type { Observation } from '../src/judgement/observation.ts';
import { startReferenceServer, type Defect } from './support/reference-server.ts';

/** A document with one operation, `putThing`, on /things/{id}. */
function documentWith(parts: { parameters?: readonly object[]; content?: object; components?: object }) {
  const { parameters = [], content, components = {} } = parts;
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    security: [],
    components,
    paths: {
      '/things': {
        post: {
          operationId: 'putThing',
          parameters,
          ...(content !== undefined && { requestBody: { required: true, content } }),
          responses: { '200': { description: 'Done.' }, '4XX': { description: 'Refused.' } },
        },
      },
    },
  };
}

/** Returns the first requests of the operation, and the notes. */
async function check(document: ReturnType<typeof documentWith>, count: number, defect?: Defect) {
  const observed: Observation[] = [];
  const accept: Defect = () => ({ status: 200, headers: {}, body: '' });
  const result = await checkContract({
    document,
    baseUrl: await startReferenceServer(defect ?? accept),
    seed: 1,
    runs: 1,
    onExchange: (observation) => observed.push(observation),
  });
  const requests = observed.slice(0, count).map(({ testCase, request }) => {
    const { kind, description } = testCase;
    return [kind, description, request.target.replace('/things', ''), request.body?.toString()];
  });
  return { ...result, requests, observed };
}

const text = (schema: object) => ({ 'application/json': { schema } });
const thing = {
  type: 'object',
  required: ['name', 'size'],
  properties: { name: { type: 'string' }, size: { type: 'integer', minimum: 0 }, note: { type: 'string' } },
};
const first = 'the examples of the document';
const LIST = { type: 'array', items: { type: 'string' } };
const COLOUR = { type: 'object', additionalProperties: { type: 'integer' } };

test('examples are sent first: all examples together, then each alternative', async () => {
  const document = documentWith({
    parameters: [
      { name: 'page', in: 'query', example: 7, schema: { type: 'integer' } },
      { name: 'mode', in: 'query', schema: { type: 'string', examples: ['fast', 'slow'], default: 'safe' } },
      { name: 'other', in: 'query', schema: { type: 'string' } },
    ],
    content: {
      'application/json': {
        schema: thing,
        examples: {
          small: { value: { name: 'a', size: 1 } },
          big: { $ref: '#/components/examples/Big' },
          elsewhere: { externalValue: 'https://example.com/a.json' },
        },
      },
    },
    components: { examples: { Big: { value: { size: 9, name: 'b' } } } },
  });
  const { requests } = await check(document, 4);
  const small = '{"name":"a","size":1}';
  expect(requests).toEqual([
    ['positive', first, '?page=7&mode=fast', small],
    ['positive', 'example 2 of the schema of query mode', '?page=7&mode=slow', small],
    ['positive', 'default of query mode', '?page=7&mode=safe', small],
    ['positive', 'example big of body application/json', '?page=7&mode=fast', '{"size":9,"name":"b"}'],
  ]);
});

test('examples of properties are combined in a body, with generated values for other required properties', async () => {
  const { name, size, note } = thing.properties;
  const properties = { name: { ...name, examples: ['a', 'b'] }, size, note: { ...note, default: 'n' } };
  const { requests } = await check(documentWith({ content: text({ ...thing, properties }) }), 2);
  expect(requests.map(([kind, description]) => [kind, description])).toEqual([
    ['positive', first],
    ['positive', 'examples of properties of body application/json'],
  ]);
  const bodies = requests.map(([, , , body]) => JSON.parse(body ?? '') as object);
  expect(bodies).toEqual([
    { name: 'a', note: 'n', size: expect.any(Number) },
    { name: 'b', note: 'n', size: expect.any(Number) },
  ]);
});

test('examples of nested properties are put into generated objects, even with recursive schemas', async () => {
  const components = {
    schemas: {
      Node: {
        type: 'object',
        required: ['label', 'children'],
        properties: {
          label: { type: 'string', examples: ['leaf'] },
          weight: { type: 'integer', default: -1, minimum: 0 },
          children: { type: 'array', minItems: 1, maxItems: 1, items: { $ref: '#/components/schemas/Leaf' } },
          parent: { $ref: '#/components/schemas/Node' },
        },
      },
      Leaf: { type: 'object', required: ['id'], properties: { id: { type: 'integer', example: 12 } } },
    },
  };
  const { requests } = await check(
    documentWith({ content: text({ $ref: '#/components/schemas/Node' }), components }),
    1,
  );
  const [[kind, description, , body] = []] = requests;
  expect([kind, description]).toEqual(['positive', first]);
  expect(JSON.parse(body ?? '')).toMatchObject({ label: 'leaf', children: [{ id: 12 }] });
  expect(body).not.toContain('-1');
});

test('examples of headers, cookies, forms and texts are sent', async () => {
  const parameters = [
    { name: 'X-Page', in: 'header', example: 7, schema: { type: 'integer' } },
    { name: 'theme', in: 'cookie', schema: { type: 'string', default: 'dark' } },
  ];
  const form = { schema: thing, example: { name: 'a b', size: 1 } };
  const content = {
    'application/x-www-form-urlencoded': form,
    'text/plain': { schema: { type: 'string' }, example: 'Hello' },
    'application/json': { schema: { type: 'integer' } },
  };
  const { requests, observed } = await check(documentWith({ parameters, content }), 2);
  expect(requests.map(([, , , body]) => body)).toEqual(['name=a+b&size=1', 'Hello']);
  const [one] = observed;
  expect(one?.request.headers).toEqual(
    expect.arrayContaining([
      ['X-Page', '7'],
      ['Cookie', 'theme=dark'],
    ]),
  );
});

test('examples are sent even if no value can be generated', async () => {
  const pattern = '^(?=[a-f0-9]{32}$)(?!.*00)(?=.*ab12cd34)[a-f0-9]*$';
  const example = `ab12cd34${'1'.repeat(24)}`;
  const { requests, notes } = await check(documentWith({ content: text({ type: 'string', pattern, example }) }), 1);
  expect(requests).toEqual([['positive', first, '', JSON.stringify(example)]]);
  expect(notes.join()).toContain('could be generated');
});

test('requests that would be too large are noted, and other requests are sent', async () => {
  const content = {
    ...text({ type: 'string', minLength: 2_000_000_000 }),
    'application/octet-stream': { schema: { type: 'string', minLength: 2_000_000_000 } },
    'application/vnd.small+json': { schema: { type: 'integer' } },
  };
  const { requests, notes } = await check(documentWith({ content }), 1);
  const reason = 'could be generated (too large: up to 10,000 members or 100,000 characters can be generated)';
  expect(notes).toEqual(
    expect.arrayContaining([
      `putThing: no valid request of application/json ${reason}`,
      `putThing: no valid request of application/octet-stream ${reason}`,
    ]),
  );
  expect(requests[0]?.[0]).toBe('positive');
});

test('invalid examples are noted with their place, and sent as invalid data', async () => {
  const parameters = [{ name: 'page', in: 'query', schema: { type: 'integer', maximum: 5, default: 7 } }];
  const content = { 'application/json': { schema: thing, examples: { bad: { value: { size: -1, name: 'a' } } } } };
  const isBad: Defect = ({ url, body }) => {
    const isInvalid = url.includes('page=7') || body.includes('-1');
    return { status: isInvalid ? 400 : 200, headers: {}, body: '' };
  };
  const { requests, notes, failures } = await check(documentWith({ parameters, content }), 3, isBad);
  expect(notes).toContain('putThing: the default of query page is not valid: must be <= 5');
  expect(notes).toContain('putThing: the example bad of body application/json is not valid: /size must be >= 0');
  expect(requests.slice(0, 3).map(([kind, description]) => [kind, description])).toEqual([
    ['positive', first],
    ['negative', 'default of query page'],
    ['negative', 'example bad of body application/json'],
  ]);
  expect(failures.filter(({ message }) => message.includes('example'))).toEqual([]);
});

test('invalid examples within a schema are noted once, and not sent', async () => {
  const tag = { type: 'object', properties: { name: { type: 'string', maxLength: 2, example: 'long' } } };
  const properties = {
    tags: { type: 'array', items: { $ref: '#/components/schemas/Tag' } },
    main: { $ref: '#/components/schemas/Tag' },
    'a/b': { type: 'integer', examples: [1, 'x'] },
    parent: { $ref: '#/components/schemas/Node' },
  };
  const schema = { $ref: '#/components/schemas/Node' };
  const components = { schemas: { Tag: tag, Node: { type: 'object', properties } } };
  const content = { 'application/json': { schema }, 'application/merge-patch+json': { schema } };
  const { requests, notes } = await check(documentWith({ content, components }), 3);
  expect(notes.filter((note) => note.includes('not valid'))).toEqual([
    'putThing: the example of /tags/*/name in body application/json is not valid: must NOT have more than 2 characters',
    'putThing: the example 2 of /a~1b in body application/json is not valid: must be integer',
  ]);
  expect(requests.filter(([, , , body]) => body?.includes('long'))).toEqual([]);
});

test('a server that rejects a valid example fails', async () => {
  const refusing: Defect = ({ body }) => ({ status: body.includes('"special"') ? 400 : 200, headers: {}, body: '' });
  const content = text({ ...thing, example: { name: 'special', size: 1 } });
  const { failures } = await check(documentWith({ content }), 0, refusing);
  expect(failures).toContainEqual(
    expect.objectContaining({
      check: 'positive_data_acceptance',
      request: expect.objectContaining({ body: expect.anything() }),
    }),
  );
});

test.each<[string, object]>([
  ['an object for a list', { in: 'query', explode: false, schema: LIST, example: { R: 100, G: 200 } }],
  ['an object for a list in a header', { in: 'header', schema: LIST, example: { R: 100, G: 200 } }],
  ['an object for a text', { in: 'query', explode: false, schema: { type: 'string' }, example: { R: 100 } }],
  ['a list for a text', { in: 'query', explode: false, schema: { type: 'string' }, example: ['a', 'b'] }],
  ['a list of one item for a text', { in: 'query', schema: { type: 'string' }, example: ['a'] }],
  ['a list for an object', { in: 'query', explode: false, schema: COLOUR, example: ['R', 100] }],
  ['an object for a list, as parameters of its own', { in: 'query', schema: LIST, example: { R: 100 } }],
  [
    'an object for a list with pipes',
    { in: 'query', style: 'pipeDelimited', explode: false, schema: LIST, example: { R: 1 } },
  ],
])('an example whose serialization is valid as another type is not invalid data: %s', async (_name, parameter) => {
  const { failures } = await check(documentWith({ parameters: [{ name: 'p', ...parameter }] }), 0);
  expect(failures.filter(({ check }) => check === 'negative_data_rejection')).toEqual([]);
});

test('an example whose serialization is not valid as any type is invalid data', async () => {
  const schema = { type: 'array', items: { type: 'integer' } };
  const parameters = [{ name: 'p', in: 'query', explode: false, schema, example: { R: 100 } }];
  const { failures } = await check(documentWith({ parameters }), 0);
  expect(failures.map(({ check }) => check)).toContain('negative_data_rejection');
});

test('malformed bodies for a media type range are sent with a media type of the range', async () => {
  const { observed } = await check(
    documentWith({ content: { 'application/*+json': { schema: { type: 'object' } } } }),
    1,
  );
  const malformed = observed.filter(({ testCase }) => testCase.description.includes('malformed JSON'));
  const types = malformed.flatMap(({ request }) => request.headers.filter(([name]) => name === 'Content-Type'));
  expect(new Set(types.map(([, value]) => value))).toEqual(new Set(['application/vnd.example+json']));
});

test('bodies whose schema describes a decoded value are noted, and not sent as text or bytes', async () => {
  const content = {
    'application/cbor': { schema: { $ref: '#/components/schemas/Thing' } },
    'text/csv': { schema: { type: 'array', items: { type: 'string' } } },
    'application/pdf': { schema: { type: 'string', format: 'binary' } },
    'text/plain': { schema: { type: 'string' } },
  };
  const { notes, observed } = await check(documentWith({ content, components: { schemas: { Thing: thing } } }), 0);
  const note = 'putThing: not tried, as they cannot be generated: request bodies of';
  expect(notes).toEqual(expect.arrayContaining([`${note} application/cbor`, `${note} text/csv`]));
  const positive = observed.filter(({ testCase }) => testCase.kind === 'positive');
  const types = positive.flatMap(({ request }) => request.headers.filter(([name]) => name === 'Content-Type'));
  const essences = types.map(([, value]) => value.split(';', 1)[0]?.trim().toLowerCase());
  expect(new Set(essences)).toEqual(new Set(['application/pdf', 'text/plain']));
});
