import type { OpenApiDocument } from '@contract-first/documents';
import {
  body,
  documentWith,
  get,
  headersWith,
  ok,
  operationWith,
  parametersWith,
  property,
  query,
  requestWith,
  responseWith,
  text,
  type Fragment,
} from '@contract-first/testing/document.ts';

/**
 * A change of a document: its rule, the rule of the reverse change, and the documents. A rule with several levels is
 * prefixed with a level. Without a reverse rule, the reverse change has no finding.
 */
export type DocumentChange = readonly [
  rule: string,
  reverse: string | undefined,
  base: OpenApiDocument,
  revision: OpenApiDocument,
];

const EMPTY = { type: 'object' };
const DEPRECATED = { deprecated: true };
// The tests compare documents with 2026-06-15 as the current date.
const PAST = { ...DEPRECATED, 'x-sunset': '2026-06-15' };
const SOON = { ...DEPRECATED, 'x-sunset': '2026-06-16' };
const LATER = { ...DEPRECATED, 'x-sunset': '2027-01-01' };

const path = (operation: Fragment = {}): OpenApiDocument => documentWith({ '/a': { get: get(operation) } });
const both = (put: Fragment = {}): OpenApiDocument =>
  documentWith({ '/a': { get: get(), put: get({ operationId: 'write', ...put }) } });
const NO_PATH = documentWith({});
const ONE = documentWith({ '/a': { get: get() } });

const OPERATIONS: readonly DocumentChange[] = [
  ['endpoint-added', 'api-path-removed-without-deprecation', NO_PATH, path()],
  ['endpoint-added', 'api-removed-without-deprecation', ONE, both()],
  ['api-path-removed-with-deprecation', 'endpoint-added', path(PAST), NO_PATH],
  ['api-path-removed-before-sunset', 'endpoint-added', path(SOON), NO_PATH],
  ['api-removed-with-deprecation', 'endpoint-added', both(DEPRECATED), ONE],
  ['api-removed-before-sunset', 'endpoint-added', both(SOON), ONE],
  ['endpoint-deprecated', 'endpoint-reactivated', path(), path(DEPRECATED)],
  ['endpoint-deprecated-with-sunset', 'endpoint-reactivated', path(), path(SOON)],
  ['sunset-deleted', undefined, path(SOON), path(DEPRECATED)],
  ['api-sunset-date-changed-too-small', undefined, path(LATER), path(SOON)],
  ['api-operation-id-added', 'api-operation-id-removed', path({ operationId: undefined }), path()],
];

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  oauth: { type: 'oauth2', flows: {} },
};
const secured = (security: readonly Fragment[], securitySchemes: Fragment = SCHEMES): OpenApiDocument =>
  operationWith({ security }, { components: { securitySchemes } });
const served = (...urls: readonly string[]): OpenApiDocument =>
  operationWith({}, { servers: urls.map((url) => ({ url })) });
const otherKey = { key: { ...SCHEMES.key, name: 'X-Token' } };

const ACCESS: readonly DocumentChange[] = [
  ['ERR api-security-added', 'INFO api-security-removed', secured([]), secured([{ key: [] }])],
  [
    'INFO api-security-added',
    'ERR api-security-removed',
    secured([{ key: [] }]),
    secured([{ key: [] }, { bearer: [] }]),
  ],
  [
    'api-security-scope-added',
    'api-security-scope-removed',
    secured([{ oauth: ['a'] }]),
    secured([{ oauth: ['a', 'b'] }]),
  ],
  [
    'api-security-component-type-changed',
    'api-security-component-type-changed',
    secured([{ key: [] }]),
    secured([{ key: [] }], otherKey),
  ],
  [
    'api-server-added',
    'api-server-removed',
    served('https://a.test/v1'),
    served('https://a.test/v1', 'https://b.test/v1'),
  ],
  [
    'api-server-added',
    'api-base-path-changed',
    served('https://a.test/v1'),
    served('https://a.test/v1', 'https://a.test/v2'),
  ],
];

const hooks = (...names: readonly string[]): OpenApiDocument =>
  documentWith({}, { webhooks: Object.fromEntries(names.map((name) => [name, { post: { responses: {} } }])) });
const hookWith = (rest: Fragment = {}): OpenApiDocument =>
  documentWith({}, { webhooks: { a: { post: { responses: {}, ...rest } } } });
const hook = (responses: Fragment): OpenApiDocument => hookWith({ responses });
const told = (requestBody: Fragment): OpenApiDocument => hookWith({ requestBody });
const calls = (callbacks: Fragment): OpenApiDocument => operationWith({ callbacks });
const callWith = (rest: Fragment = {}): Fragment => ({
  '{$request.body#/url}': { post: { responses: {}, ...rest } },
});

const OUTGOING: readonly DocumentChange[] = [
  ['webhook-added', 'ERR webhook-removed', hooks('a'), hooks('a', 'b')],
  ['INFO webhook-removed', 'webhook-added', hookWith(PAST), hooks()],
  ['ERR webhook-removed', 'webhook-added', hookWith(SOON), hooks()],
  ['endpoint-deprecated', 'endpoint-reactivated', hookWith(), hookWith(DEPRECATED)],
  ['webhook-response-status-removed', undefined, hook({ '200': ok, '202': ok }), hook({ '200': ok })],
  ['webhook-body-became-required', 'webhook-body-became-optional', told(body()), told(body({ required: true }))],
  ['callback-added', 'ERR callback-removed', calls({}), calls({ done: callWith() })],
  ['INFO callback-removed', 'callback-added', calls({ done: callWith(DEPRECATED) }), calls({})],
];

const parameter = (rest: Fragment): OpenApiDocument => parametersWith(query(rest));
const list = (rest: Fragment): OpenApiDocument => parameter({ schema: { type: 'array' }, ...rest });
const NO_PARAMETER = parametersWith();

const PARAMETERS: readonly DocumentChange[] = [
  ['new-required-request-parameter', 'request-parameter-removed', NO_PARAMETER, parameter({ required: true })],
  ['new-optional-request-parameter', 'request-parameter-removed', NO_PARAMETER, parameter({})],
  ['request-parameter-removed-with-deprecation', 'new-optional-request-parameter', parameter(PAST), NO_PARAMETER],
  ['request-parameter-removed-before-sunset', 'new-optional-request-parameter', parameter(SOON), NO_PARAMETER],
  ['request-parameter-sunset-deleted', undefined, parameter(SOON), parameter(DEPRECATED)],
  ['request-parameter-sunset-date-changed-too-small', undefined, parameter(LATER), parameter(SOON)],
  [
    'request-parameter-became-required',
    'request-parameter-became-optional',
    parameter({}),
    parameter({ required: true }),
  ],
  ['request-parameter-deprecated', 'request-parameter-reactivated', parameter({}), parameter(DEPRECATED)],
  ['request-parameter-style-changed', 'request-parameter-style-changed', list({}), list({ style: 'pipeDelimited' })],
  ['request-parameter-explode-changed', 'request-parameter-explode-changed', list({}), list({ explode: false })],
  [
    'request-parameter-allow-empty-value-added',
    'request-parameter-allow-empty-value-removed',
    parameter({}),
    parameter({ allowEmptyValue: true }),
  ],
];

const taking = (requestBody: Fragment): OpenApiDocument => operationWith({ requestBody });
const takingTypes = (...types: readonly string[]): OpenApiDocument =>
  taking({ content: Object.fromEntries(types.map((type) => [type, {}])) });
const answering = (...statuses: readonly string[]): OpenApiDocument =>
  operationWith({ responses: Object.fromEntries(statuses.map((status) => [status, ok])) });
const answeringTypes = (...types: readonly string[]): OpenApiDocument =>
  operationWith({ responses: { '200': { ...ok, content: Object.fromEntries(types.map((type) => [type, {}])) } } });
const formOf = (encoding: Fragment): Fragment => ({
  content: { 'multipart/form-data': { encoding: { f: encoding } } },
});
const takingForm = (encoding: Fragment): OpenApiDocument => taking(formOf(encoding));
const answeringForm = (encoding: Fragment): OpenApiDocument =>
  operationWith({ responses: { '200': { ...ok, ...formOf(encoding) } } });
const NO_BODY = operationWith({});
const NO_HEADER = headersWith({});
const asJson = (schema: Fragment): Fragment => ({ schema: undefined, content: { 'application/json': { schema } } });
const header = (rest: Fragment): OpenApiDocument => headersWith({ 'X-A': { schema: text, ...rest } });

const MESSAGES: readonly DocumentChange[] = [
  ['request-body-added-required', 'request-body-removed', NO_BODY, taking(body({ required: true }))],
  ['request-body-added-optional', 'request-body-removed', NO_BODY, taking(body())],
  ['request-body-became-required', 'request-body-became-optional', taking(body()), taking(body({ required: true }))],
  ['request-body-media-type-added', 'request-body-media-type-removed', takingTypes('a/b'), takingTypes('a/b', 'c/d')],
  [
    'request-body-media-type-name-generalized',
    'request-body-media-type-name-specialized',
    takingTypes('a/b'),
    takingTypes('a/*'),
  ],
  ['response-success-status-added', 'response-success-status-removed', answering('200'), answering('200', '201')],
  [
    'response-non-success-status-added',
    'response-non-success-status-removed',
    answering('200'),
    answering('200', '404'),
  ],
  ['response-media-type-added', 'response-media-type-removed', answeringTypes('a/b'), answeringTypes('a/b', 'c/d')],
  [
    'response-media-type-name-generalized',
    'response-media-type-name-specialized',
    answeringTypes('a/b'),
    answeringTypes('a/*'),
  ],
  ['response-header-added', 'optional-response-header-removed', NO_HEADER, header({})],
  ['response-header-added', 'required-response-header-removed', NO_HEADER, header({ required: true })],
  ['response-header-became-optional', undefined, header({ required: true }), header({})],
  ['response-header-style-changed', 'response-header-style-changed', header({}), header(asJson(text))],
  [
    'response-header-explode-changed',
    'response-header-explode-changed',
    header({ schema: EMPTY }),
    header({ schema: EMPTY, explode: true }),
  ],
  ...(['request', 'response'] as const).flatMap((direction) => {
    const form = direction === 'request' ? takingForm : answeringForm;
    const rule = (name: string): string => `${direction}-body-encoding-${name}-changed`;
    const png = form({ contentType: 'image/png' });
    const pngOrGif = form({ contentType: 'image/png, image/gif' });
    const [old, other] = direction === 'request' ? [png, pngOrGif] : [pngOrGif, png];
    return [
      [`INFO ${rule('content-type')}`, `ERR ${rule('content-type')}`, old, other] as const,
      [rule('style'), rule('style'), form({}), form({ style: 'form' })] as const,
      [rule('explode'), rule('explode'), form({ style: 'form' }), form({ explode: false })] as const,
    ];
  }),
];

const must = (schema: Fragment): Fragment => ({ ...property(schema), required: ['p'] });
const CLOSED = { type: 'object', additionalProperties: false };
const withDefault = { ...text, default: 'a' };
const readOnly = { ...text, readOnly: true };
const writeOnly = { ...text, writeOnly: true };

const schemasIn =
  (documentWith: typeof requestWith) =>
  (rule: string, reverse: string | undefined, base: Fragment, revision: Fragment): DocumentChange => [
    rule,
    reverse,
    documentWith(base),
    documentWith(revision),
  ];
const request = schemasIn(requestWith);
const response = schemasIn(responseWith);

const PROPERTIES: readonly DocumentChange[] = [
  request('new-optional-request-property', 'WARN request-property-removed', EMPTY, property(text)),
  request('new-optional-request-property', 'ERR request-property-removed', CLOSED, { ...CLOSED, ...property(text) }),
  request('new-required-request-property', 'WARN request-property-removed', EMPTY, must(text)),
  request('new-required-request-property-with-default', 'WARN request-property-removed', EMPTY, must(withDefault)),
  request('request-property-became-required', 'request-property-became-optional', property(text), must(text)),
  request(
    'request-property-became-required-with-default',
    'request-property-became-optional',
    property(withDefault),
    must(withDefault),
  ),
  request(
    'request-required-property-became-read-only',
    'request-required-property-became-not-read-only',
    must(text),
    must(readOnly),
  ),
  request(
    'request-optional-property-became-read-only',
    'request-optional-property-became-not-read-only',
    property(text),
    property(readOnly),
  ),
  response('INFO response-required-property-added', 'response-required-property-removed', EMPTY, must(text)),
  response('INFO response-optional-property-added', 'response-optional-property-removed', EMPTY, property(text)),
  response('WARN response-required-property-added', 'response-required-property-removed', CLOSED, {
    ...CLOSED,
    ...must(text),
  }),
  response('WARN response-optional-property-added', 'response-optional-property-removed', CLOSED, {
    ...CLOSED,
    ...property(text),
  }),
  response('response-property-became-required', 'response-property-became-optional', property(text), must(text)),
  response(
    'response-required-property-became-write-only',
    'response-required-property-became-not-write-only',
    must(text),
    must(writeOnly),
  ),
  response(
    'response-optional-property-became-write-only',
    'response-optional-property-became-not-write-only',
    property(text),
    property(writeOnly),
  ),
];

const dated = (dates: Fragment): Fragment => property({ ...text, ...dates });
const withXml = (name: string): Fragment => ({ ...text, xml: { name } });
const inXml = (schema: Fragment): Fragment => ({ content: { 'application/xml': { schema } } });
const takingXml = (schema: Fragment): OpenApiDocument => taking(inXml(schema));
const answeringXml = (schema: Fragment): OpenApiDocument =>
  operationWith({ responses: { '200': { ...ok, ...inXml(schema) } } });

const XML: readonly DocumentChange[] = (['request', 'response'] as const).flatMap((direction) => {
  const documentWith = direction === 'request' ? takingXml : answeringXml;
  return (['body', 'property'] as const).map((part): DocumentChange => {
    const documentOf = (name: string) => documentWith(part === 'body' ? withXml(name) : property(withXml(name)));
    const rule = `${direction}-${part}-xml-changed`;
    return [rule, rule, documentOf('a'), documentOf('b')];
  });
});

const SUNSETS: readonly DocumentChange[] = [
  request('request-property-removed-before-sunset', 'new-optional-request-property', dated(SOON), EMPTY),
  request('request-property-sunset-deleted', undefined, dated(SOON), dated(DEPRECATED)),
  request('request-property-sunset-date-changed-too-small', undefined, dated(LATER), dated(SOON)),
  response('response-property-removed-before-sunset', 'INFO response-optional-property-added', dated(SOON), EMPTY),
  response('response-property-sunset-deleted', undefined, dated(SOON), dated(DEPRECATED)),
  response('response-property-sunset-date-changed-too-small', undefined, dated(LATER), dated(SOON)),
];

/** Changes that cover the other rules, at every level. */
export const DOCUMENT_CHANGES: readonly DocumentChange[] = [
  ...OPERATIONS,
  ...ACCESS,
  ...OUTGOING,
  ...PARAMETERS,
  ...MESSAGES,
  ...PROPERTIES,
  ...XML,
  ...SUNSETS,
];
