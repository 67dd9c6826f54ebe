import type { CheckName } from '../../scripts/check/checks.ts';
import { answerJson, TOKEN, type Defect, type ServerAnswer, type ServerRequest } from './reference-server.ts';

/** A defect of the reference server, and the check that must find it. */
export type BrokenServer = readonly [name: string, check: CheckName, operation: string, defect: Defect];

/** Changes successful responses. */
const onSuccess =
  (change: (answer: ServerAnswer, request: ServerRequest) => ServerAnswer): Defect =>
  (request, respond) => {
    const answer = respond(request);
    return answer.status < 300 ? change(answer, request) : answer;
  };
/** Changes the responses with one status. */
const onStatus =
  (status: number, change: (answer: ServerAnswer) => ServerAnswer): Defect =>
  (request, respond) => {
    const answer = respond(request);
    return answer.status === status ? change(answer) : answer;
  };
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

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };
const without = (headers: Readonly<Record<string, string>>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([known]) => known !== name));
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

export const BROKEN_SERVERS: readonly BrokenServer[] = [
  ['fails on U+0000', 'not_a_server_error', 'putItem', answers(500, (request) => textOf(request).includes('\\u0000'))],
  [
    'fails on a lone surrogate',
    'not_a_server_error',
    'putItem',
    answers(500, (request) => textOf(request).includes('\\ud800')),
  ],
  [
    'fails on the largest int64',
    'not_a_server_error',
    'putItem',
    answers(503, (request) => textOf(request).includes('9223372036854775807')),
  ],
  ['fails on %00 in the query', 'not_a_server_error', 'findItems', answers(500, ({ url }) => url.includes('%00'))],
  [
    'hangs up on deep nesting',
    'not_a_server_error',
    'putItem',
    (request, respond) => {
      if (textOf(request).includes('[[[[[[')) throw new Error('stack overflow');
      return respond(request);
    },
  ],
  [
    'fails on a method it does not have',
    'not_a_server_error',
    'putItem',
    answers(501, ({ method }) => method === 'PATCH'),
  ],

  [
    'answers another success',
    'status_code_conformance',
    'putItem',
    onSuccess((answer) => ({ ...answer, status: 202 })),
  ],
  [
    'answers invalid data with a status of its own',
    'status_code_conformance',
    'findItems',
    onStatus(400, (answer) => ({ ...answer, status: 422 })),
  ],
  [
    'answers 200 in place of 204',
    'status_code_conformance',
    'deleteItem',
    onStatus(204, (answer) => ({ ...answer, status: 200 })),
  ],

  [
    'answers another media type',
    'content_type_conformance',
    'putItem',
    onSuccess((answer) => ({ ...answer, headers: { ...answer.headers, 'Content-Type': 'text/html' } })),
  ],
  [
    'answers without a media type',
    'content_type_conformance',
    'putItem',
    onSuccess((answer) => ({ ...answer, headers: without(answer.headers, 'Content-Type') })),
  ],
  [
    'answers errors as text',
    'content_type_conformance',
    'putItem',
    onStatus(400, () => ({ status: 400, headers: { 'Content-Type': 'text/plain' }, body: 'no' })),
  ],

  [
    'leaves a required header out',
    'response_headers_conformance',
    'putItem',
    onSuccess((answer) => ({ ...answer, headers: without(answer.headers, 'ETag') })),
  ],
  [
    'sends a header of the wrong type',
    'response_headers_conformance',
    'findItems',
    onSuccess((answer) => ({ ...answer, headers: { ...answer.headers, 'X-Total': 'many' } })),
  ],
  [
    'sends a header out of range',
    'response_headers_conformance',
    'findItems',
    onSuccess((answer) => ({ ...answer, headers: { ...answer.headers, 'X-Total': '-1' } })),
  ],

  [
    'rounds an int64',
    'response_schema_conformance',
    'putItem',
    onSuccess((answer) => ({ ...answer, body: JSON.stringify(JSON.parse(answer.body)) })),
  ],
  [
    'answers an int64 out of range',
    'response_schema_conformance',
    'uploadFile',
    onSuccess((answer) => ({ ...answer, body: '{"bytes":9223372036854775808}' })),
  ],
  [
    'answers an integer that is almost one',
    'response_schema_conformance',
    'uploadFile',
    onSuccess((answer) => ({ ...answer, body: '{"bytes":9007199254740992.5}' })),
  ],
  [
    'answers an id as a string',
    'response_schema_conformance',
    'putItem',
    onSuccess((answer) => ({ ...answer, body: answer.body.replace(/"id":(-?\d+)/, '"id":"$1"') })),
  ],
  [
    'leaves a required property out',
    'response_schema_conformance',
    'findItems',
    onSuccess((answer) => ({ ...answer, body: '[{"id":1}]' })),
  ],
  [
    'adds a property that is not documented',
    'response_schema_conformance',
    'putItem',
    onSuccess((answer) => ({ ...answer, body: answer.body.replace('{', '{"secret":1,') })),
  ],
  [
    'answers half a JSON text',
    'response_schema_conformance',
    'putItem',
    onSuccess((answer) => ({ ...answer, body: answer.body.slice(0, -1) })),
  ],
  [
    'answers errors of another shape',
    'response_schema_conformance',
    'deleteItem',
    onStatus(404, (answer) => ({ ...answer, body: '{"error":"not found"}' })),
  ],

  [
    'reads text as numbers',
    'negative_data_rejection',
    'putItem',
    onText((text) => text.replaceAll(/("id":)"(\d+)"/g, '$1$2')),
  ],
  [
    'does not need a name',
    'negative_data_rejection',
    'putItem',
    onText((text) => (text.includes('"name"') ? text : text.replace('{', '{"name":"",'))),
  ],
  [
    'cuts names that are too long',
    'negative_data_rejection',
    'putItem',
    onText((text) => text.replaceAll(/x{41,}/g, 'x')),
  ],
  [
    'wraps int32s around',
    'negative_data_rejection',
    'putItem',
    onText((text) => text.replaceAll('"count":2147483648', '"count":0')),
  ],
  [
    'takes 2^63 for an int64',
    'negative_data_rejection',
    'putItem',
    onText((text) => text.replaceAll('9223372036854775808', '1')),
  ],
  [
    'accepts unknown properties',
    'negative_data_rejection',
    'putItem',
    onText((text) => text.replace(',"extra":"x"', '')),
  ],
  [
    'accepts an extra comma',
    'negative_data_rejection',
    'putItem',
    onText((text) => (text === '{"extra":1,}' ? '{"id":1,"name":""}' : text)),
  ],
  ['repairs UTF-8', 'negative_data_rejection', 'putItem', onText((text) => text.replace(',"extra":"\ufffd"', ''))],
  [
    'takes JSON under any name',
    'negative_data_rejection',
    'putItem',
    onRequest((request) => withHeader(request, 'content-type', 'application/json')),
  ],
  [
    'does not look at the id in the path',
    'negative_data_rejection',
    'deleteItem',
    onRequest(({ url }) => ({ url: url.replace(/[^/]*$/, '1') })),
  ],
  [
    'does not need a required query parameter',
    'negative_data_rejection',
    'findItems',
    onRequest(({ url }) => ({ url: url.includes('text=') ? url : `${url}${url.includes('?') ? '&' : '?'}text=a` })),
  ],
  [
    'takes any item of a list',
    'negative_data_rejection',
    'findItems',
    onRequest(({ url }) => ({ url: url.replace(/kinds=[^&]*/, 'kinds=tree') })),
  ],
  [
    'does not look inside deep objects',
    'negative_data_rejection',
    'findItems',
    onRequest(({ url }) => ({ url: url.replaceAll(/(range%5Bm..%5D)=[^&]*/g, '$1=1') })),
  ],
  [
    'does not look at cookies',
    'negative_data_rejection',
    'findItems',
    onRequest((request) => withHeader(request, 'cookie', '')),
  ],
  ['takes an upload without its file', 'negative_data_rejection', 'uploadFile', answers201WithoutFile],

  [
    'refuses characters beyond the BMP',
    'positive_data_acceptance',
    'putItem',
    answers(400, (request) => textOf(request).includes('🌿')),
  ],
  [
    'refuses negative ids',
    'positive_data_acceptance',
    'putItem',
    answers(422, (request) => textOf(request).includes('"id":-')),
  ],
  [
    'refuses null where it is allowed',
    'positive_data_acceptance',
    'putItem',
    answers(400, (request) => textOf(request).includes('"note":null')),
  ],
  [
    'needs an optional parameter',
    'positive_data_acceptance',
    'findItems',
    answers(400, ({ url }) => !url.includes('limit=')),
  ],
  [
    'refuses uploads',
    'positive_data_acceptance',
    'uploadFile',
    answers(415, ({ headers }) => (headers['content-type'] ?? '').startsWith('multipart')),
  ],
  [
    'refuses everyone',
    'positive_data_acceptance',
    'deleteItem',
    answers(403, ({ headers }) => headers['authorization'] === `Bearer ${TOKEN}`),
  ],

  [
    'does not need a required header',
    'missing_required_header',
    'putItem',
    onRequest((request) => ({ headers: { 'x-request-id': '1', ...request.headers } })),
  ],

  [
    'answers other methods 404',
    'unsupported_method',
    'writeNote',
    onStatus(405, (answer) => ({ ...answer, status: 404 })),
  ],
  [
    'does not say which methods are allowed',
    'unsupported_method',
    'writeNote',
    onStatus(405, (answer) => ({ ...answer, headers: without(answer.headers, 'Allow') })),
  ],
  [
    'allows the wrong methods',
    'unsupported_method',
    'deleteItem',
    onStatus(405, (answer) => ({ ...answer, headers: { ...answer.headers, Allow: 'PUT' } })),
  ],
  [
    'treats another method like the documented one',
    'unsupported_method',
    'findItems',
    onRequest(({ method, url }) => (method === 'TRACE' ? { method: 'GET', url: `${url}&text=a` } : {})),
  ],

  ['accepts every caller', 'ignored_auth', 'putItem', letIn(() => true)],
  ['accepts every token', 'ignored_auth', 'putItem', letIn((authorization) => authorization.startsWith('Bearer '))],
  [
    'compares the start of a token only',
    'ignored_auth',
    'deleteItem',
    letIn((authorization) => authorization.startsWith(`Bearer ${TOKEN}`)),
  ],
  ['takes any scheme', 'ignored_auth', 'putItem', letIn((authorization) => authorization.endsWith(` ${TOKEN}`))],
  ['takes a token in the query', 'ignored_auth', 'putItem', letIn((_, url) => url.includes(`access_token=${TOKEN}`))],
  ['takes any API key', 'ignored_auth', 'uploadFile', onRequest((request) => withHeader(request, 'x-key', TOKEN))],
  [
    'refuses without a challenge',
    'ignored_auth',
    'putItem',
    onStatus(401, (answer) => ({ ...answer, headers: without(answer.headers, 'WWW-Authenticate') })),
  ],
  ['refuses with 403', 'ignored_auth', 'putItem', onStatus(401, (answer) => ({ ...answer, status: 403 }))],
];

function answers201WithoutFile(
  request: ServerRequest,
  respond: (request: ServerRequest) => ServerAnswer,
): ServerAnswer {
  const answer = respond(request);
  return answer.status === 422 ? answerJson(201, { bytes: 0 }) : answer;
}
