import { checkContract } from '../src/contract-run.ts';
import { documentWith } from '@contract-first/testing/document.ts';
import { startReferenceServer, type Respond, type ServerRequest } from './support/reference-server.ts';

// Behaviour that is wrong only under some conditions. Each test has a correct server and a defective server.

const done = { description: 'Done' };
const empty = (status: number) => ({ status, headers: {}, body: '' });
const takes = (mediaType: string, schema: object) => ({ required: true, content: { [mediaType]: { schema } } });

/** Checks one operation. Its server answers other paths with 404 and other methods with 405. */
async function check(path: string, method: string, operation: object, respond: Respond) {
  const document = documentWith({ [path]: { [method]: { operationId: 'operate', ...operation } } });
  const pattern = new RegExp(`^(?:https?://[^/]*)?${path.replace(/{.*}/, '[^/]+')}$`);
  const baseUrl = await startReferenceServer((request) => {
    if (!pattern.test(request.url)) return empty(404);
    const allowed = method.toUpperCase();
    return request.method === allowed ? respond(request) : { ...empty(405), headers: { Allow: allowed } };
  });
  const { failures } = await checkContract({ document, baseUrl, seed: 1, runs: 20, budgetMs: 120_000 });
  return failures.map(({ check, message }) => `${check}: ${message}`);
}

const measure = { type: 'object', required: ['value'], properties: { value: { type: 'number', format: 'float' } } };
const put = { requestBody: takes('application/json', measure), responses: { '204': done, '400': done, '415': done } };
const MAX_FLOAT = 3.4028234663852886e38;

/** Answers 204 if the value in a JSON body is allowed, otherwise 400. */
const answerTo =
  (isAllowed: (value: number) => boolean): Respond =>
  ({ headers, body }) => {
    if (!/^application\/json(?: *;|$)/i.test(headers['content-type'] ?? '')) return empty(415);
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
      const { value } = JSON.parse(text) as { readonly value?: unknown };
      return empty(typeof value === 'number' && isAllowed(value) ? 204 : 400);
    } catch {
      return empty(400);
    }
  };

test.each<[string, (value: number) => boolean, string[]]>([
  ['refused: pass', (value) => Math.abs(value) <= MAX_FLOAT, []],
  ['accepted: pass', () => true, []],
  [
    'refused, and its largest number, too: fail',
    (value) => Math.abs(value) < 3.4e38,
    ['positive_data_acceptance: valid data (a large number) got status 400'],
  ],
])('a number beyond the range of a float is %s', async (_name, isAllowed, failures) => {
  expect(await check('/measure', 'put', put, answerTo(isAllowed))).toEqual(failures);
});

const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1, maximum: 9 } };
const remove = { parameters: [id], responses: { '204': done } };

/** Accepts the deletion of each number once, and answers later deletions with the given status. */
function deleteOnce(status: number, isWrong: (request: ServerRequest) => boolean = () => false): Respond {
  const deleted = new Set<string>();
  return (request) => {
    const number = request.url.split('/').at(-1) ?? '';
    if (isWrong(request) || !/^[1-9]$/.test(number)) return empty(400);
    if (deleted.has(number)) return empty(status);
    deleted.add(number);
    return empty(204);
  };
}

test('an unusual spelling is not reported if the usual spelling fails too', async () => {
  const failures = await check('/numbers/{id}', 'delete', remove, deleteOnce(404));
  expect(failures).toContain('positive_data_acceptance: valid data got status 404, which is not documented');
  expect(failures.filter((message) => message.includes('whole URL'))).toEqual([]);
});

test('an unusual spelling is reported if the usual spelling passes', async () => {
  const failures = await check(
    '/numbers/{id}',
    'delete',
    remove,
    deleteOnce(204, ({ url }) => url.startsWith('http')),
  );
  expect(failures).toContain(
    'positive_data_acceptance: valid data (the whole URL in the request line) got status 400, which is not documented',
  );
});

const fields = {
  type: 'object',
  required: ['count'],
  properties: { count: { type: 'integer' }, isNew: { type: 'boolean' } },
};
const FORM = 'application/x-www-form-urlencoded';

test.each<[string, (count: string | null, isNew: string) => boolean, string[]]>([
  ['checks them: pass', (count, isNew) => /^-?\d+$/.test(count ?? '') && /^(?:true|false)$/.test(isNew), []],
  [
    'takes any text for a number: fail',
    (count, isNew) => count !== null && /^(?:true|false)$/.test(isNew),
    ['negative_data_rejection'],
  ],
  ['takes any text for a boolean: fail', (count) => /^-?\d+$/.test(count ?? ''), ['negative_data_rejection']],
])('types of form fields, with a server that %s', async (_name, isAllowed, checks) => {
  const responses = { '204': done, '400': done, '415': done };
  const failures = await check(
    '/form',
    'post',
    { requestBody: takes(FORM, fields), responses },
    ({ headers, body }) => {
      if (!(headers['content-type'] ?? '').toLowerCase().startsWith(FORM)) return empty(415);
      const form = new URLSearchParams(body.toString());
      return empty(isAllowed(form.get('count'), form.get('isNew') ?? 'true') ? 204 : 400);
    },
  );
  expect(failures.map((failure) => failure.split(':')[0])).toEqual(checks);
});
