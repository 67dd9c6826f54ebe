import type { OpenApiDocument } from '@contract-first/documents';
import { messageOf } from '../src/rules/finding.ts';
import { body, compare, documentWith, integer, ok } from '@contract-first/testing/document.ts';

test('schemas that several operations share are reported in each, at its own place', () => {
  const documentOf = (type: string, openapi: string): OpenApiDocument => {
    const schema = { $ref: '#/components/schemas/Thing' };
    const content = { 'application/json': { schema } };
    const thing = type === 'object' ? { type, properties: { id: integer } } : { type };
    const post = {
      requestBody: body({ content }),
      responses: { '200': { ...ok, content } },
    };
    return {
      ...documentWith({ '/a': { post }, '/b': { post } }, { components: { schemas: { Thing: thing } } }),
      openapi,
    };
  };
  for (const version of ['3.0.3', '3.1.0']) {
    const found = compare(documentOf('object', version), documentOf('string', version));
    const lines = found.map(({ operation = '', pointer, ...found }) => `${operation} ${messageOf(found)} ${pointer}`);
    const content = 'content/application~1json/schema';
    expect(lines).toEqual(
      ['a', 'b'].flatMap((name) => [
        `POST /${name} request body: type object became string /paths/~1${name}/post/requestBody/${content}`,
        `POST /${name} response 200 body: type object became string /paths/~1${name}/post/responses/200/${content}`,
      ]),
    );
  }
});

test('a change within a cycle of schemas is reported once in each operation, at its own place', () => {
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const documentOf = (type: string): OpenApiDocument => {
    const post = (name: string) => ({
      requestBody: body({ content: { 'application/json': { schema: reference(name) } } }),
      responses: { '204': { description: 'Done.' } },
    });
    const schemas = {
      A: { type: 'object', properties: { x: { type }, b: reference('B') } },
      B: { type: 'object', properties: { c: reference('C'), own: reference('B') } },
      C: { type: 'object', properties: { a: reference('A'), d: reference('D') } },
      D: { type: 'object', properties: { c: reference('C') } },
    };
    const paths = Object.fromEntries(['D', 'A', 'B', 'C'].map((name) => [`/${name}`, { post: post(name) }]));
    return documentWith(paths, { components: { schemas } });
  };
  const found = compare(documentOf('integer'), documentOf('boolean'));
  expect(found.map(({ operation = '', name }) => `${operation} ${name}`)).toEqual([
    'POST /A request body/x',
    'POST /B request body/c/a/x',
    'POST /C request body/a/x',
    'POST /D request body/c/a/x',
  ]);
});
