import { documentWith, type Fragment } from '@contract-first/testing/document.ts';

const json = (schema: unknown): Fragment => ({
  description: 'A body.',
  content: { 'application/json': { schema } },
});
const thing = { $ref: '#/components/schemas/Thing' };
const text = { type: 'string' };
const int64 = { type: 'integer', format: 'int64' };
const nest = { $ref: '#/components/schemas/Nest' };

/** Properties with keywords that are costly to validate. */
const properties = {
  id: text,
  code: { type: 'string', pattern: '^(a+)+$' },
  uri: { type: 'string', format: 'uri' },
  mail: { type: 'string', format: 'email' },
  regex: { type: 'string', format: 'regex' },
  kind: { enum: ['a', 'b'] },
  tags: { type: 'array', uniqueItems: true },
  count: int64,
  numbers: { type: 'array', items: int64 },
  objects: { type: 'array', items: { type: 'object' } },
  child: thing,
  nest,
  others: { type: 'object', additionalProperties: { type: 'integer' } },
};

const failures = { '4XX': json({}) };
const requestBody = {
  required: true,
  content: {
    'application/json': { schema: { type: 'object', properties: { count: int64 }, additionalProperties: false } },
  },
};
const list = { type: 'object', properties: { items: { type: 'array', items: thing }, next: text } };
const cursor = { name: 'cursor', in: 'query', schema: text };
const thingId = { name: 'thingId', in: 'path', required: true, schema: text };

/** A document with things, whose responses are costly to validate, and a file. */
export const hostileDocument = documentWith(
  {
    '/things': {
      get: { operationId: 'listThings', parameters: [cursor], responses: { '200': json(list), ...failures } },
      post: { operationId: 'createThing', requestBody, responses: { '200': json(thing), ...failures } },
    },
    '/things/{thingId}': {
      parameters: [thingId],
      get: { operationId: 'readThing', responses: { '200': json(thing), ...failures } },
      delete: { operationId: 'deleteThing', responses: { '200': json(thing), ...failures } },
    },
    '/file': {
      get: {
        operationId: 'readFile',
        responses: { '200': { description: 'A file.', content: { 'application/octet-stream': {} } }, ...failures },
      },
    },
    '/text': {
      get: {
        operationId: 'readText',
        responses: {
          '200': { description: 'A text.', content: { 'text/plain': { schema: { type: 'array', items: int64 } } } },
          ...failures,
        },
      },
    },
  },
  {
    components: {
      schemas: {
        Thing: { type: 'object', required: ['id'], properties },
        Nest: { type: 'array', uniqueItems: true, items: nest },
      },
    },
  },
);
