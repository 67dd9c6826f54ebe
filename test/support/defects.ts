import type { CheckName, ResponseCheckName } from '../../scripts/check/checks.ts';
import { answerJson, TOKEN, type Defect, type ServerAnswer, type ServerRequest } from './reference-server.ts';

/** A defect of the reference server, and the check that must find it. */
export type BrokenServer = readonly [name: string, check: CheckName, operation: string, defect: Defect];

type Change = (answer: ServerAnswer) => Partial<ServerAnswer>;

/** Changes the responses with some statuses. */
const onStatuses =
  (isAffected: (status: number) => boolean, change: Change): Defect =>
  (request, respond) => {
    const answer = respond(request);
    return isAffected(answer.status) ? { ...answer, ...change(answer) } : answer;
  };
/** Changes successful responses. */
const onSuccess = (change: Change): Defect => onStatuses((status) => status < 300, change);
/** Changes the responses with one status. */
const onStatus = (status: number, change: Change): Defect => onStatuses((its) => its === status, change);
/** Changes requests before they are handled. */
const onRequest =
  (change: (request: ServerRequest) => Partial<ServerRequest>): Defect =>
  (request, respond) =>
    respond({ ...request, ...change(request) });
/** Changes the text of JSON bodies before they are parsed. */
const onText = (change: (text: string) => string): Defect =>
  onRequest(({ body }) => ({ body: Buffer.from(change(body.toString())) }));
/** Responds to some requests with another status. */
const answers =
  (status: number, isAffected: (request: ServerRequest) => boolean): Defect =>
  (request, respond) =>
    isAffected(request) ? answerJson(status, { error: status, message: 'refused' }, CHALLENGE) : respond(request);

/** Responds to requests whose body contains a text with another status. */
const answersTo = (status: number, text: string): Defect =>
  answers(status, (request) => textOf(request).includes(text));

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };
const without =
  (name: string): Change =>
  ({ headers }) => ({ headers: Object.fromEntries(Object.entries(headers).filter(([known]) => known !== name)) });
const withHeaders =
  (added: ServerAnswer['headers']): Change =>
  ({ headers }) => ({ headers: { ...headers, ...added } });
const withHeader = (request: ServerRequest, name: string, value: string): Partial<ServerRequest> => ({
  headers: { ...request.headers, [name]: value },
});
const letIn = (isLetIn: (authorization: string, url: string) => boolean): Defect =>
  onRequest((request) =>
    isLetIn(request.headers['authorization'] ?? '', request.url)
      ? withHeader(request, 'authorization', `Bearer ${TOKEN}`)
      : {},
  );
const textOf = ({ body }: ServerRequest): string => body.toString();

const DEFECTS: Readonly<Record<ResponseCheckName, readonly (readonly [string, string, Defect])[]>> = {
  not_a_server_error: [
    ['fails on U+0000', 'putItem', answersTo(500, '\\u0000')],
    ['fails on a lone surrogate', 'putItem', answersTo(500, '\\ud800')],
    ['fails on the largest int64', 'putItem', answersTo(503, '9223372036854775807')],
    ['fails on %00 in the query', 'findItems', answers(500, ({ url }) => url.includes('%00'))],
    [
      'hangs up on deep nesting',
      'putItem',
      (request, respond) => {
        if (textOf(request).includes('[[[[[[')) throw new Error('stack overflow');
        return respond(request);
      },
    ],
    ['fails on a method it does not have', 'putItem', answers(501, ({ method }) => method === 'PATCH')],
  ],
  status_code_conformance: [
    ['answers another success', 'putItem', onSuccess(() => ({ status: 202 }))],
    ['answers invalid data with a status of its own', 'findItems', onStatus(400, () => ({ status: 409 }))],
    ['answers 200 in place of 204', 'deleteItem', onStatus(204, () => ({ status: 200 }))],
  ],
  content_type_conformance: [
    ['answers another media type', 'putItem', onSuccess(withHeaders({ 'Content-Type': 'text/html' }))],
    ['answers without a media type', 'putItem', onSuccess(without('Content-Type'))],
    [
      'answers errors as text',
      'putItem',
      onStatus(400, () => ({ status: 400, headers: { 'Content-Type': 'text/plain' }, body: 'no' })),
    ],
  ],
  response_headers_conformance: [
    ['leaves a required header out', 'putItem', onSuccess(without('ETag'))],
    ['sends a header of the wrong type', 'findItems', onSuccess(withHeaders({ 'X-Total': 'many' }))],
    ['sends a header out of range', 'findItems', onSuccess(withHeaders({ 'X-Total': '-1' }))],
  ],
  response_schema_conformance: [
    ['rounds an int64', 'putItem', onSuccess(({ body }) => ({ body: JSON.stringify(JSON.parse(body)) }))],
    ['answers an int64 out of range', 'uploadFile', onSuccess(() => ({ body: '{"bytes":9223372036854775808}' }))],
    [
      'answers an integer that is almost one',
      'uploadFile',
      onSuccess(() => ({ body: '{"bytes":9007199254740992.5}' })),
    ],
    [
      'answers an id as a string',
      'putItem',
      onSuccess(({ body }) => ({ body: body.replace(/"id":(-?\d+)/, '"id":"$1"') })),
    ],
    ['leaves a required property out', 'findItems', onSuccess(() => ({ body: '[{"id":1}]' }))],
    [
      'adds a property that is not documented',
      'putItem',
      onSuccess(({ body }) => ({ body: body.replace('{', '{"secret":1,') })),
    ],
    ['answers half a JSON text', 'putItem', onSuccess(({ body }) => ({ body: body.slice(0, -1) }))],
    ['answers errors of another shape', 'deleteItem', onStatus(404, () => ({ body: '{"error":"not found"}' }))],
  ],
  negative_data_rejection: [
    ['reads text as numbers', 'putItem', onText((text) => text.replaceAll(/("id":)"(\d+)"/g, '$1$2'))],
    [
      'does not need a name',
      'putItem',
      onText((text) => (text.includes('"name"') ? text : text.replace('{', '{"name":"",'))),
    ],
    ['cuts names that are too long', 'putItem', onText((text) => text.replaceAll(/x{41,}/g, 'x'))],
    ['wraps int32s around', 'putItem', onText((text) => text.replaceAll('"count":2147483648', '"count":0'))],
    ['takes 2^63 for an int64', 'putItem', onText((text) => text.replaceAll('9223372036854775808', '1'))],
    ['accepts unknown properties', 'putItem', onText((text) => text.replace(',"extra":"x"', ''))],
    ['accepts an extra comma', 'putItem', onText((text) => (text === '{"extra":1,}' ? '{"id":1,"name":""}' : text))],
    ['repairs UTF-8', 'putItem', onText((text) => text.replace(',"extra":"\ufffd"', ''))],
    [
      'takes JSON under any name',
      'putItem',
      onRequest((request) => withHeader(request, 'content-type', 'application/json')),
    ],
    [
      'does not look at the id in the path',
      'deleteItem',
      onRequest(({ url }) => ({ url: url.replace(/[^/]*$/, '1') })),
    ],
    [
      'does not need a required query parameter',
      'findItems',
      onRequest(({ url }) => ({ url: url.includes('text=') ? url : `${url}${url.includes('?') ? '&' : '?'}text=a` })),
    ],
    [
      'takes any item of a list',
      'findItems',
      onRequest(({ url }) => ({ url: url.replace(/kinds=[^&]*/, 'kinds=tree') })),
    ],
    [
      'does not look inside deep objects',
      'findItems',
      onRequest(({ url }) => ({ url: url.replaceAll(/(range%5Bm..%5D)=[^&]*/g, '$1=1') })),
    ],
    ['does not look at cookies', 'findItems', onRequest((request) => withHeader(request, 'cookie', ''))],
    ['takes an upload without its file', 'uploadFile', onStatus(422, () => answerJson(201, { bytes: 0 }))],
  ],
  positive_data_acceptance: [
    ['refuses characters beyond the BMP', 'putItem', answersTo(400, '🌿')],
    ['refuses negative ids', 'putItem', answersTo(422, '"id":-')],
    ['refuses null where it is allowed', 'putItem', answersTo(400, '"note":null')],
    ['needs an optional parameter', 'findItems', answers(400, ({ url }) => !url.includes('limit='))],
    [
      'refuses uploads',
      'uploadFile',
      answers(415, ({ headers }) => (headers['content-type'] ?? '').startsWith('multipart')),
    ],
    ['refuses everyone', 'deleteItem', answers(403, ({ headers }) => headers['authorization'] === `Bearer ${TOKEN}`)],
  ],
  missing_required_header: [
    [
      'does not need a required header',
      'putItem',
      onRequest((request) => ({ headers: { 'x-request-id': '1', ...request.headers } })),
    ],
  ],
  unsupported_method: [
    ['answers other methods 404', 'writeNote', onStatus(405, () => ({ status: 404 }))],
    ['does not say which methods are allowed', 'writeNote', onStatus(405, without('Allow'))],
    ['allows the wrong methods', 'deleteItem', onStatus(405, withHeaders({ Allow: 'PUT' }))],
    [
      'treats another method like the documented one',
      'findItems',
      onRequest(({ method, url }) => (method === 'TRACE' ? { method: 'GET', url: `${url}&text=a` } : {})),
    ],
  ],
  ignored_auth: [
    ['accepts every caller', 'putItem', letIn(() => true)],
    ['accepts every token', 'putItem', letIn((authorization) => authorization.startsWith('Bearer '))],
    [
      'compares the start of a token only',
      'deleteItem',
      letIn((authorization) => authorization.startsWith(`Bearer ${TOKEN}`)),
    ],
    ['takes any scheme', 'putItem', letIn((authorization) => authorization.endsWith(` ${TOKEN}`))],
    ['takes a token in the query', 'putItem', letIn((_, url) => url.includes(`access_token=${TOKEN}`))],
    ['takes any API key', 'uploadFile', onRequest((request) => withHeader(request, 'x-key', TOKEN))],
    ['refuses without a challenge', 'putItem', onStatus(401, without('WWW-Authenticate'))],
    ['refuses with 403', 'putItem', onStatus(401, () => ({ status: 403 }))],
  ],
};

export const BROKEN_SERVERS: readonly BrokenServer[] = Object.entries(DEFECTS).flatMap(([check, defects]) =>
  // The keys of the table are names of checks.
  defects.map(([name, operation, defect]): BrokenServer => [name, check as CheckName, operation, defect]),
);
