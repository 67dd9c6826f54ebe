import { describe, expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../scripts/openapi/reference.ts';
import {
  body,
  compare,
  documentWith,
  headersWith,
  integer,
  ok,
  operationWith,
  summarize,
  text,
  type Fragment,
} from '../support/document.ts';

const answers = (responses: Fragment): OpenApiDocument => operationWith({ responses });
const json = (schema: unknown): Fragment => ({ ...ok, content: { 'application/json': { schema } } });

describe('request bodies:', () => {
  test.each<readonly [string, readonly [Fragment | undefined, Fragment | undefined], readonly string[]]>([
    ['a required one added', [undefined, body({ required: true })], ['ERR request-body-added-required']],
    ['an optional one added', [undefined, body()], ['INFO request-body-added-optional']],
    ['removed', [body(), undefined], ['ERR request-body-removed']],
    ['became required', [body(), body({ required: true })], ['ERR request-body-became-required']],
    ['became optional', [body({ required: true }), body()], ['INFO request-body-became-optional']],
    [
      'a media type removed',
      [body({ content: { 'application/json': {}, 'text/csv': {} } }), body()],
      ['ERR request-body-media-type-removed'],
    ],
    [
      'a media type added',
      [body(), body({ content: { 'application/json': {}, 'text/csv': {} } })],
      ['INFO request-body-media-type-added'],
    ],
    [
      'a range instead of a media type',
      [body(), body({ content: { 'application/*': {} } })],
      ['INFO request-body-media-type-name-generalized'],
    ],
  ])('%s', (_name, [base, revision], want) => {
    const documentOf = (requestBody: Fragment | undefined) => operationWith(requestBody ? { requestBody } : {});
    expect(summarize(documentOf(base), documentOf(revision))).toEqual(want);
  });
});

describe('responses:', () => {
  test.each<readonly [string, readonly [OpenApiDocument, OpenApiDocument], readonly string[]]>([
    [
      'a success removed',
      [answers({ '200': ok, '201': ok }), answers({ '200': ok })],
      ['ERR response-success-status-removed'],
    ],
    [
      'a success added',
      [answers({ '200': ok }), answers({ '200': ok, '201': ok })],
      ['INFO response-success-status-added'],
    ],
    [
      'a failure removed',
      [answers({ '200': ok, '404': ok }), answers({ '200': ok })],
      ['INFO response-non-success-status-removed'],
    ],
    [
      'a failure added',
      [answers({ '200': ok }), answers({ '200': ok, '404': ok })],
      ['INFO response-non-success-status-added'],
    ],
    ['a status became part of a range', [answers({ '200': json(text) }), answers({ '2XX': json(text) })], []],
    [
      'a range has another body than its status had',
      [answers({ '200': json(text) }), answers({ '2XX': json(integer) })],
      ['ERR response-body-type-changed'],
    ],
    [
      'a failure looks different from default, which it was part of',
      [answers({ default: json(text) }), answers({ default: json(text), '404': json(integer) })],
      ['ERR response-body-type-changed', 'INFO response-non-success-status-added'],
    ],
    [
      'a media type removed',
      [
        answers({ '200': { ...ok, content: { 'application/json': {}, 'text/csv': {} } } }),
        answers({ '200': { ...ok, content: { 'application/json': {} } } }),
      ],
      ['ERR response-media-type-removed'],
    ],
    [
      'a media type added',
      [answers({ '200': ok }), answers({ '200': { ...ok, content: { 'text/csv': {} } } })],
      ['INFO response-media-type-added'],
    ],
    [
      'a range instead of a media type',
      [
        answers({ '200': { ...ok, content: { 'text/csv': {} } } }),
        answers({ '200': { ...ok, content: { 'text/*': {} } } }),
      ],
      ['ERR response-media-type-name-generalized'],
    ],
    [
      'a required header removed',
      [headersWith({ 'X-A': { required: true, schema: text } }), headersWith({})],
      ['ERR required-response-header-removed'],
    ],
    [
      'an optional header removed',
      [headersWith({ 'X-A': { schema: text } }), headersWith({})],
      ['WARN optional-response-header-removed'],
    ],
    ['a header added', [headersWith({}), headersWith({ 'X-A': { schema: text } })], ['INFO response-header-added']],
    [
      'a header became optional',
      [headersWith({ 'X-A': { required: true, schema: text } }), headersWith({ 'X-A': { schema: text } })],
      ['ERR response-header-became-optional'],
    ],
    [
      'another type of a header',
      [headersWith({ 'X-A': { schema: integer } }), headersWith({ 'x-a': { schema: text } })],
      ['ERR response-header-type-generalized'],
    ],
  ])('%s', (_name, [base, revision], want) => {
    expect(summarize(base, revision)).toEqual(want);
  });
});

test('schemas that several operations share are reported in each, at its own place', () => {
  const documentOf = (type: string, openapi: string): OpenApiDocument => {
    const schema = { $ref: '#/components/schemas/Thing' };
    const thing = type === 'object' ? { type, properties: { id: integer } } : { type };
    const post = {
      requestBody: body({ content: { 'application/json': { schema } } }),
      responses: { '200': json(schema) },
    };
    return {
      ...documentWith({ '/a': { post }, '/b': { post } }, { components: { schemas: { Thing: thing } } }),
      openapi,
    };
  };
  for (const version of ['3.0.3', '3.1.0']) {
    const found = compare(documentOf('object', version), documentOf('string', version));
    const lines = found.map(({ operation = '', message, pointer }) => `${operation} ${message} ${pointer}`);
    const content = 'content/application~1json/schema';
    expect(lines).toEqual(
      ['a', 'b'].flatMap((name) => [
        `POST /${name} request body: type object became string /paths/~1${name}/post/requestBody/${content}`,
        `POST /${name} response 200 body: type object became string /paths/~1${name}/post/responses/200/${content}`,
      ]),
    );
  }
});
