import { describe, expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../scripts/openapi/reference.ts';
import {
  documentWith,
  get,
  integer,
  operationWith,
  parametersWith,
  property,
  query,
  summarize,
  text,
  type Fragment,
} from '../support/document.ts';

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  oauth: { type: 'oauth2', flows: {} },
};
const secured = (security: readonly Fragment[], securitySchemes: Fragment = SCHEMES): OpenApiDocument =>
  operationWith({ security }, { components: { securitySchemes } });
const served = (...urls: readonly string[]): OpenApiDocument =>
  operationWith({}, { servers: urls.map((url) => ({ url })) });

describe('operations:', () => {
  test.each<readonly [string, readonly [OpenApiDocument, OpenApiDocument], readonly string[]]>([
    [
      'a path removed',
      [documentWith({ '/a': { get: get() } }), documentWith({})],
      ['ERR api-path-removed-without-deprecation'],
    ],
    [
      'an operation removed',
      [
        documentWith({ '/a': { get: get(), put: get({ operationId: 'write' }) } }),
        documentWith({ '/a': { get: get() } }),
      ],
      ['ERR api-removed-without-deprecation'],
    ],
    ['an operation added', [documentWith({}), documentWith({ '/a': { get: get() } })], ['INFO endpoint-added']],
    [
      'a deprecated path removed',
      [documentWith({ '/a': { get: get({ deprecated: true }) } }), documentWith({})],
      ['INFO api-path-removed-with-deprecation'],
    ],
    [
      'removed after its sunset',
      [documentWith({ '/a': { get: get({ deprecated: true, 'x-sunset': '2026-06-15' }) } }), documentWith({})],
      ['INFO api-path-removed-with-deprecation'],
    ],
    [
      'removed before its sunset',
      [documentWith({ '/a': { get: get({ deprecated: true, 'x-sunset': '2026-06-16' }) } }), documentWith({})],
      ['ERR api-path-removed-before-sunset'],
    ],
    ['deprecated', [operationWith({}), operationWith({ deprecated: true })], ['INFO endpoint-deprecated']],
    [
      'deprecated with a sunset',
      [operationWith({}), operationWith({ deprecated: true, 'x-sunset': '2027-01-01' })],
      ['INFO endpoint-deprecated-with-sunset'],
    ],
    ['no longer deprecated', [operationWith({ deprecated: true }), operationWith({})], ['INFO endpoint-reactivated']],
    [
      'an earlier sunset',
      [
        operationWith({ deprecated: true, 'x-sunset': '2027-01-01' }),
        operationWith({ deprecated: true, 'x-sunset': '2026-12-31' }),
      ],
      ['ERR api-sunset-date-changed-too-small'],
    ],
    [
      'a sunset removed',
      [operationWith({ deprecated: true, 'x-sunset': '2027-01-01' }), operationWith({ deprecated: true })],
      ['ERR sunset-deleted'],
    ],
    [
      'another operationId',
      [operationWith({}), operationWith({ operationId: 'add' })],
      ['INFO api-operation-id-removed'],
    ],
    [
      'webhooks',
      [documentWith({}, { webhooks: { a: {}, b: {} } }), documentWith({}, { webhooks: { b: {}, c: {} } })],
      ['ERR webhook-removed', 'INFO webhook-added'],
    ],
    [
      'a parameter of the same place in the path has another type',
      [
        documentWith({
          '/a/{id}': { get: get({ parameters: [{ name: 'id', in: 'path', required: true, schema: text }] }) },
        }),
        documentWith({
          '/a/{key}': { get: get({ parameters: [{ name: 'key', in: 'path', required: true, schema: integer }] }) },
        }),
      ],
      ['ERR request-parameter-type-changed'],
    ],
  ])('%s', (_name, [base, revision], want) => {
    expect(summarize(base, revision)).toEqual(want);
  });
});

describe('parameters:', () => {
  test.each<readonly [string, readonly [readonly Fragment[], readonly Fragment[]], readonly string[]]>([
    ['a required one added', [[], [query({ required: true })]], ['ERR new-required-request-parameter']],
    ['an optional one added', [[], [query()]], ['INFO new-optional-request-parameter']],
    ['removed', [[query()], []], ['WARN request-parameter-removed']],
    [
      'removed after deprecation',
      [[query({ deprecated: true })], []],
      ['INFO request-parameter-removed-with-deprecation'],
    ],
    ['became required', [[query()], [query({ required: true })]], ['ERR request-parameter-became-required']],
    ['became optional', [[query({ required: true })], [query()]], ['INFO request-parameter-became-optional']],
    ['deprecated', [[query()], [query({ deprecated: true })]], ['INFO request-parameter-deprecated']],
    [
      'moved from the query to a header',
      [[query()], [query({ in: 'header' })]],
      ['INFO new-optional-request-parameter', 'WARN request-parameter-removed'],
    ],
    ['narrowed', [[query()], [query({ schema: { ...text, maxLength: 5 } })]], ['ERR request-parameter-max-length-set']],
    [
      'maximum decreased',
      [[query({ schema: { ...integer, maximum: 9 } })], [query({ schema: { ...integer, maximum: 8 } })]],
      ['ERR request-parameter-max-decreased'],
    ],
    [
      'a value of an enum removed',
      [[query({ schema: { enum: ['a', 'b'] } })], [query({ schema: { enum: ['b'] } })]],
      ['ERR request-parameter-enum-value-removed'],
    ],
    [
      'from integer to string, which has the same format',
      [[query({ schema: integer })], [query()]],
      ['INFO request-parameter-type-generalized'],
    ],
    ['from string to integer', [[query()], [query({ schema: integer })]], ['ERR request-parameter-type-changed']],
    [
      'a property of an object narrowed',
      [[query({ schema: property({ type: 'number' }) })], [query({ schema: property(integer) })]],
      ['ERR request-parameter-property-type-specialized'],
    ],
    [
      'a default added',
      [[query()], [query({ schema: { ...text, default: 'a' } })]],
      ['WARN request-parameter-default-value-added'],
    ],
    [
      'written in another style',
      [[query({ schema: { type: 'array' } })], [query({ schema: { type: 'array' }, style: 'pipeDelimited' })]],
      ['ERR request-parameter-style-changed'],
    ],
    [
      'no longer exploded',
      [[query({ schema: { type: 'array' } })], [query({ schema: { type: 'array' }, explode: false })]],
      ['ERR request-parameter-explode-changed'],
    ],
    ['explode of a single value', [[query()], [query({ explode: false })]], []],
    ['a header in other letters', [[query({ in: 'header', name: 'X-A' })], [query({ in: 'header', name: 'x-a' })]], []],
    ['a header that OpenAPI ignores', [[], [query({ in: 'header', name: 'Accept', required: true })]], []],
  ])('%s', (_name, [base, revision], want) => {
    expect(summarize(parametersWith(...base), parametersWith(...revision))).toEqual(want);
  });
});

describe('security and servers:', () => {
  test.each<readonly [string, readonly [OpenApiDocument, OpenApiDocument], readonly string[]]>([
    ['authentication added', [secured([]), secured([{ bearer: [] }])], ['ERR api-security-added']],
    [
      'authentication added for the whole document',
      [
        operationWith({}, { security: [] }),
        operationWith({}, { security: [{ bearer: [] }], components: { securitySchemes: SCHEMES } }),
      ],
      ['ERR api-security-added'],
    ],
    ['authentication removed', [secured([{ bearer: [] }]), secured([])], ['INFO api-security-removed']],
    [
      'an alternative scheme added',
      [secured([{ bearer: [] }]), secured([{ bearer: [] }, { key: [] }])],
      ['INFO api-security-added'],
    ],
    [
      'an alternative scheme removed',
      [secured([{ bearer: [] }, { key: [] }]), secured([{ key: [] }])],
      ['ERR api-security-removed'],
    ],
    [
      'a second scheme beside the first',
      [secured([{ bearer: [] }]), secured([{ bearer: [], key: [] }])],
      ['ERR api-security-removed'],
    ],
    [
      'one of two schemes is enough',
      [secured([{ bearer: [], key: [] }]), secured([{ key: [] }])],
      ['INFO api-security-added'],
    ],
    ['anonymous clients shut out', [secured([{}, { key: [] }]), secured([{ key: [] }])], ['ERR api-security-added']],
    ['a scope more', [secured([{ oauth: ['a'] }]), secured([{ oauth: ['a', 'b'] }])], ['ERR api-security-scope-added']],
    [
      'a scope fewer',
      [secured([{ oauth: ['a', 'b'] }]), secured([{ oauth: ['a'] }])],
      ['INFO api-security-scope-removed'],
    ],
    [
      'another kind of scheme by the same name',
      [secured([{ key: [] }]), secured([{ key: [] }], { key: { type: 'apiKey', in: 'header', name: 'X-Token' } })],
      ['ERR api-security-component-type-changed'],
    ],
    [
      'another name for the same scheme',
      [secured([{ key: [] }]), secured([{ token: [] }], { token: SCHEMES.key })],
      [],
    ],
    ['ways in reordered', [secured([{ bearer: [] }, { key: [] }]), secured([{ key: [] }, { bearer: [] }])], []],
    [
      'a server added',
      [served('https://a.test/v1'), served('https://a.test/v1', 'https://b.test/v1')],
      ['INFO api-server-added'],
    ],
    [
      'the same base path elsewhere',
      [served('https://a.test/v1'), served('https://b.test/v1/')],
      ['INFO api-server-added', 'WARN api-server-removed'],
    ],
    [
      'another base path',
      [served('https://a.test/v1'), served('https://a.test/v2')],
      ['ERR api-base-path-changed', 'INFO api-server-added'],
    ],
    [
      'a server variable replaced by its default',
      [
        operationWith({}, { servers: [{ url: '{base}', variables: { base: { default: 'http://a.test' } } }] }),
        operationWith({}, { servers: [{ url: 'http://a.test' }] }),
      ],
      [],
    ],
  ])('%s', (_name, [base, revision], want) => {
    expect(summarize(base, revision)).toEqual(want);
  });
});
