import type { CheckName, ResponseCheckName } from '../../src/judgement/checks.ts';
import {
  onSuccess,
  onStatus,
  onRequest,
  onText,
  answers,
  answersTo,
  without,
  withHeaders,
  withHeader,
  letIn,
  textOf,
  hasContentType,
  hasAuthorization,
  answersWithout,
  takesTokenIn,
  takesKeyIn,
  isBroken,
} from './defect-kinds.ts';
import { answerJson, TOKEN, type Defect } from './reference-server.ts';

/** A defect of the reference server, and the check that must find it. */
export type BrokenServer = readonly [name: string, check: CheckName, operation: string, defect: Defect];

const DEFECTS: Readonly<
  Record<
    Exclude<ResponseCheckName, 'documented_rejection' | 'max_response_size' | 'max_response_time'>,
    readonly (readonly [string, string, Defect])[]
  >
> = {
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
    ['fails on a byte order mark', 'putItem', answersTo(500, '\ufeff')],
    ['fails on a repeated member', 'putItem', answers(500, (request) => /("id":).*\1/.test(textOf(request)))],
    ['fails on UTF-16', 'putItem', answersTo(500, '{\0')],
    ['fails on an unknown boundary', 'uploadFile', answers(500, hasContentType('boundary=another'))],
    ['fails on a part without a name', 'uploadFile', answersTo(500, 'form-data\r\n')],
    ['fails on a path it does not have', 'writeNote', onStatus(404, () => ({ status: 500 }))],
    ['fails on HEAD', 'findItems', answers(500, ({ method }) => method === 'HEAD')],
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
    ['answers a member twice', 'putItem', onSuccess(({ body }) => ({ body: body.replace('{', '{"id":1,') }))],
    [
      'answers a member twice in a list',
      'findItems',
      onSuccess(() => ({ body: '[{"id":1,"name":"a"},{"id":2,"name":"a","\\u0069d":2}]' })),
    ],
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
    ['accepts a trailing comma', 'putItem', onText((text) => text.replace(/,}$/, '}'))],
    ['accepts comments', 'putItem', onText((text) => text.replace(/\/\*.*\*\/$/, ''))],
    ['accepts a comment in a line of its own', 'putItem', onText((text) => text.replace(/^\/\/.*\n/, ''))],
    ['accepts single quotes', 'putItem', onText((text) => text.replace(",'extra':1", ''))],
    ['accepts names without quotes', 'putItem', onText((text) => text.replace(',extra:1', ''))],
    ['accepts NaN', 'putItem', onText((text) => text.replace(',"extra":NaN', ''))],
    ['accepts True', 'putItem', onText((text) => text.replace(',"extra":True', ''))],
    ['accepts hexadecimal numbers', 'putItem', onText((text) => text.replace(',"extra":0x10', ''))],
    ['accepts leading zeros', 'putItem', onText((text) => text.replace(',"extra":01', ''))],
    ['accepts line breaks in strings', 'putItem', onText((text) => text.replace(',"extra":"\n"', ''))],
    [
      'completes truncated JSON',
      'putItem',
      onText((text) => (/^{"id":-?\d+,"name":"\w+"$/.test(text) ? `${text}}` : text)),
    ],
    ['ignores bytes after U+0000', 'putItem', onText((text) => text.replace(/\0.*$/, ''))],
    [
      'accepts an overlong UTF-8 sequence',
      'putItem',
      onRequest(({ body }) => ({
        body: Buffer.from(body.toString('latin1').replace(',"extra":"\xc0\x80"', ''), 'latin1'),
      })),
    ],
    ['takes an upload without a boundary', 'uploadFile', answersWithout('boundary=')],
    [
      'takes an unterminated upload',
      'uploadFile',
      onRequest((request) => {
        const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1];
        return boundary === undefined ? {} : { body: Buffer.from(`${textOf(request)}--${boundary}--`) };
      }),
    ],
    ['repairs UTF-8', 'putItem', onText((text) => text.replace(',"extra":"\ufffd"', ''))],
    [
      'takes JSON under any name',
      'putItem',
      onRequest((request) => withHeader(request, 'content-type', 'application/json')),
    ],
    [
      'takes a form for JSON',
      'putItem',
      onRequest((request) => {
        const isForm = hasContentType('x-www-form-urlencoded')(request);
        const { id, ...fields } = Object.fromEntries(new URLSearchParams(textOf(request)));
        const json = `{"id":${id ?? '0'},"name":${JSON.stringify(fields['name'] ?? '')}}`;
        return isForm ? { ...withHeader(request, 'content-type', 'application/json'), body: Buffer.from(json) } : {};
      }),
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
    [
      'refuses integers with a fraction of zero',
      'putItem',
      answers(400, (request) => /:-?\d+\.0/.test(textOf(request))),
    ],
    ['refuses integers with an exponent', 'putItem', answers(400, (request) => /:-?\d+e0/.test(textOf(request)))],
    ['refuses white space in JSON', 'putItem', answers(400, (request) => /^\s/.test(textOf(request)))],
    ['compares names without their escapes', 'putItem', answersTo(400, '"\\u0069')],
    ['refuses a charset', 'putItem', answers(415, hasContentType('; charset=utf-8'))],
    ['refuses a quoted charset', 'putItem', answers(415, hasContentType('"UTF-8"'))],
    ['refuses a media type in upper case', 'putItem', answers(415, hasContentType('APPLICATION'))],
    ['refuses uploads in upper case', 'uploadFile', answers(415, hasContentType('MULTIPART'))],
    ['refuses a charset of text', 'writeNote', answers(415, hasContentType('charset'))],
    ['needs a length', 'putItem', answers(411, ({ headers }) => headers['content-length'] === undefined)],
    ['refuses whole URLs', 'findItems', answers(404, ({ url }) => url.startsWith('http'))],
    ['compares the scheme with its case', 'findItems', answers(401, hasAuthorization(/^bearer/))],
    ['refuses the scheme in upper case', 'findItems', answers(401, hasAuthorization(/^BEARER/))],
    ['refuses the alternative credentials', 'readSecret', answers(401, ({ url }) => url.includes('admin='))],
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
  head_conformance: [
    [
      'answers HEAD as an unknown path',
      'findItems',
      (request, respond) =>
        request.method === 'HEAD' ? answerJson(404, { error: 404, message: '' }) : respond(request),
    ],
    [
      'answers HEAD with a length of nothing',
      'findItems',
      (request, respond) => {
        if (request.method !== 'HEAD') return respond(request);
        const { headers, status } = respond(request);
        return { status, headers: { ...headers, 'Content-Length': '0' }, body: '' };
      },
    ],
    [
      'answers HEAD with another media type',
      'findItems',
      (request, respond) => {
        const answer = respond(request);
        return request.method === 'HEAD'
          ? { ...answer, ...withHeaders({ 'Content-Type': 'text/html' })(answer) }
          : answer;
      },
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
    ['takes a token as Basic credentials', 'putItem', letIn((authorization) => authorization === `Basic ${TOKEN}`)],
    ['takes a token without a scheme', 'putItem', letIn((authorization) => authorization === TOKEN)],
    ['takes a token in a cookie', 'putItem', takesTokenIn(({ headers }) => headers['cookie'])],
    ['takes a token in the query by its short name', 'findItems', letIn((_, url) => url.includes(`&token=${TOKEN}`))],
    ['takes a token in the body', 'putItem', takesTokenIn(textOf)],
    ['takes a token in another header', 'deleteItem', takesTokenIn(({ headers }) => headers['x-access-token'])],
    ['compares the length of a token', 'findItems', letIn(([...text]) => text.length === TOKEN.length + 7)],
    [
      'compares the start of a token',
      'findItems',
      letIn((text) => /^Bearer .{5}/.test(text) && `Bearer ${TOKEN}`.startsWith(text)),
    ],
    ['compares the end of a token', 'findItems', letIn((text) => text.length > 12 && TOKEN.endsWith(text.slice(7)))],
    ['compares a token without its case', 'findItems', letIn((text) => text.slice(7).toLowerCase() === TOKEN)],
    ['finds the token anywhere', 'findItems', letIn((text) => text.includes(TOKEN))],
    ['takes long tokens', 'findItems', letIn((text) => text.length > 500)],
    ['takes the key in the query', 'uploadFile', takesKeyIn(({ url }) => url)],
    ['takes the key in a cookie', 'uploadFile', takesKeyIn(({ headers }) => headers['cookie'])],
    ['takes the key as a bearer token', 'uploadFile', takesKeyIn(({ headers }) => headers['authorization'])],
    [
      'needs the first of two credentials only',
      'readSecret',
      onRequest((request) => withHeader(request, 'x-key', TOKEN)),
    ],
    ['needs the second of two credentials only', 'readSecret', letIn((_, url) => !url.includes('admin='))],
    ['validates bodies before it knows the caller', 'putItem', answers(400, (request) => isBroken(request))],
    [
      'compares media types before it knows the caller',
      'putItem',
      answers(415, (request) => hasContentType('text/plain')(request) && !hasAuthorization(/./)(request)),
    ],
    ['takes any API key', 'uploadFile', onRequest((request) => withHeader(request, 'x-key', TOKEN))],
    ['refuses without a challenge', 'putItem', onStatus(401, without('WWW-Authenticate'))],
    ['refuses with 403', 'putItem', onStatus(401, () => ({ status: 403 }))],
  ],
};

export const BROKEN_SERVERS: readonly BrokenServer[] = Object.entries(DEFECTS).flatMap(([check, defects]) =>
  // The keys are check names.
  defects.map(([name, operation, defect]): BrokenServer => [name, check as CheckName, operation, defect]),
);
