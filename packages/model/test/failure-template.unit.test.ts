import { runInThisContext } from 'node:vm';
import { createFailureTemplates, renderTemplate } from '../src/scaffolds/failure-template.ts';
import { createValues } from '../src/values/documented-values.ts';

const TEXT = { type: 'string' };
const VIOLATIONS = Array.from({ length: 10 }, (_, index) => ({
  place: `body/${String(index)}`,
  message: 'must be string',
}));

/** Renders a failure with the scaffolded function for a schema. */
function render(schema: object, violations: typeof VIOLATIONS, formats = {}): unknown {
  const content = { 'application/json': { schema } };
  const operation = { operationId: 'op', responses: { '400': { description: 'No.', content } } };
  const document = { openapi: '3.1.0', info: { title: 'Test', version: '1' }, paths: { '/a': { get: operation } } };
  const body = {
    name: 'Failure',
    mediaType: 'application/json',
    hasCodec: false,
    schema,
    operationId: 'op',
    response: '400',
  };
  const source = renderTemplate(createFailureTemplates(createValues(document, 0, 'response')).bodyOf(body));
  const bind = runInThisContext(`(formats) => (${source})`) as (formats: object) => (details: object) => unknown;
  return bind(formats)({ status: 400, message: 'all', violations });
}

/** Returns a schema with a message and a list of violations. */
function withList(items: object, rest: object = {}): object {
  return {
    type: 'object',
    required: ['message', 'errors'],
    properties: { message: TEXT, errors: { type: 'array', items, ...rest } },
  };
}
const FIELD = { type: 'object', required: ['field', 'message'], properties: { field: TEXT, message: TEXT } };

test.each<[string, object, unknown, unknown]>([
  ['place and message', withList(FIELD), [], [{ field: 'body/0', message: 'must be string' }]],
  ['texts', withList(TEXT), [], ['body/0 must be string']],
  ['no empty list', withList(TEXT, { minItems: 1 }), ['all'], ['body/0 must be string']],
  ['other items', withList({ type: 'integer' }), [0], [0]],
])('a scaffolded failure lists violations where its schema has room for them: %s', (_name, schema, none, one) => {
  expect(render(schema, [])).toEqual({ message: 'all', errors: none });
  expect(render(schema, VIOLATIONS.slice(0, 1))).toEqual({ message: 'all', errors: one });
});

const MESSAGES = { type: 'object', additionalProperties: { type: 'array', items: TEXT } };

test.each<[string, object, unknown, unknown]>([
  [
    'lists of messages',
    { required: ['errors'], properties: { errors: MESSAGES } },
    { request: ['all'] },
    { 'body/0': ['must be string'] },
  ],
  [
    'messages, beside a message',
    {
      required: ['message', 'errors'],
      properties: { message: TEXT, errors: { type: 'object', additionalProperties: TEXT } },
    },
    {},
    { 'body/0': 'must be string' },
  ],
])('a scaffolded failure has a member for the place of each violation: %s', (_name, schema, none, one) => {
  expect(render({ type: 'object', ...schema }, [])).toMatchObject({ errors: none });
  expect(render({ type: 'object', ...schema }, VIOLATIONS.slice(0, 1))).toMatchObject({ errors: one });
});

test('a scaffolded failure has the place of a violation as a list', () => {
  const loc = { type: 'array', items: { anyOf: [TEXT, { type: 'integer' }] } };
  const item = { type: 'object', required: ['loc', 'msg', 'type'], properties: { loc, msg: TEXT, type: TEXT } };
  const schema = { type: 'object', properties: { detail: { type: 'array', items: item } } };
  const one = { loc: ['body', '0'], msg: 'must be string' };
  expect(render(schema, VIOLATIONS.slice(0, 1))).toMatchObject({ detail: [one] });
  expect(render(schema, [])).toMatchObject({ detail: [{ msg: 'all' }] });
});

test('a scaffolded failure lists ten violations, or as many as its schema allows', () => {
  expect(render(withList(FIELD), VIOLATIONS)).toMatchObject({ errors: { length: 10 } });
  expect(render(withList(FIELD, { maxItems: 3 }), VIOLATIONS)).toMatchObject({ errors: { length: 3 } });
});

test('a scaffolded failure decodes the strings that the application decodes', () => {
  const at = { type: 'string', format: 'date-time', 'x-decoded': true };
  const schema = { type: 'object', required: ['at', 'message'], properties: { at, message: TEXT } };
  const formats = { 'date-time': { decode: (text: string) => new Date(text) } };
  expect(render(schema, [], formats)).toEqual({ at: expect.any(Date), message: 'all' });
});

test('a scaffolded failure quotes names and values that are not identifiers', () => {
  const names = ['error-code', 'null', 'true', 'class', "it's", '1', 'a b', 'toString', '\u202e'];
  const properties = Object.fromEntries(names.map((name) => [name, { const: name === 'null' ? null : name }]));
  const schema = { type: 'object', required: names, properties: { ...properties, true: { const: true } } };
  expect(render(schema, [])).toEqual({
    ...Object.fromEntries(names.map((name) => [name, name])),
    null: null,
    true: true,
  });
});
