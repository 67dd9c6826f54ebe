import type { OpenApiDocument } from '@contract-first/documents';

// A document with stateful resources: nested resources, server-chosen and client-chosen ids, entity tags, links,
// several kinds of paging, and an idempotency key.

const text = { type: 'string', minLength: 1, maxLength: 40, pattern: '^[a-z]+( [a-z]+)*$' };
const json = (schema: object) => ({ 'application/json': { schema } });
const schemaNamed = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const failures = { '4XX': { description: 'Refused', content: json(schemaNamed('Error')) } };
const bodyOf = (name: string, mediaType = 'application/json') => ({
  required: true,
  content: { [mediaType]: { schema: schemaNamed(name) } },
});
const object = (required: readonly string[], properties: object) => ({
  type: 'object',
  required,
  additionalProperties: false,
  properties,
});
const inPath = (name: string, schema: object) => ({ name, in: 'path', required: true, schema });
const inQuery = (name: string, schema: object) => ({ name, in: 'query', schema });
const etag = { headers: { ETag: { required: true, schema: { type: 'string' } } } };
const id = { type: 'integer', format: 'int32', minimum: 1 };
const limit = { type: 'integer', minimum: 1, maximum: 100 };
const reply = (name: string, more: object = {}) => ({
  description: 'As it is now',
  content: json(schemaNamed(name)),
  ...more,
});
const listOf = (name: string) => ({
  description: 'A page',
  content: json(object(['items'], { items: { type: 'array', items: schemaNamed(name) }, next: id })),
});
const ifMatch = { name: 'If-Match', in: 'header', schema: { type: 'string', pattern: '^"\\d{1,9}"$' } };
const gone = { description: 'Gone' };
const precondition = { '412': { description: 'Changed meanwhile', content: json(schemaNamed('Error')) } };

export const libraryDocument: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1.0.0' },
  servers: [{ url: '/v1' }],
  security: [],
  paths: {
    '/shelves': {
      get: {
        operationId: 'listShelves',
        parameters: [inQuery('limit', limit), inQuery('after', id)],
        responses: { '200': listOf('Shelf'), ...failures },
      },
      post: {
        operationId: 'createShelf',
        requestBody: bodyOf('Shelf'),
        responses: {
          '201': {
            ...reply('Shelf', etag),
            links: { self: { operationId: 'getShelf', parameters: { shelfId: '$response.body#/number' } } },
          },
          ...failures,
        },
      },
    },
    '/shelves/{shelfId}': {
      parameters: [inPath('shelfId', id)],
      get: {
        operationId: 'getShelf',
        responses: { '200': reply('Shelf', etag), '304': { description: 'Unchanged' }, ...failures },
      },
      put: {
        operationId: 'replaceShelf',
        parameters: [ifMatch],
        requestBody: bodyOf('Shelf'),
        responses: { '200': reply('Shelf', etag), ...precondition, ...failures },
      },
      delete: {
        operationId: 'deleteShelf',
        parameters: [ifMatch],
        responses: { '204': gone, ...precondition, ...failures },
      },
    },
    '/shelves/{shelf}/books': {
      parameters: [inPath('shelf', id)],
      get: {
        operationId: 'listBooks',
        parameters: [inQuery('limit', limit), inQuery('offset', { type: 'integer', minimum: 0, maximum: 9999 })],
        responses: {
          '200': { description: 'A page', content: json({ type: 'array', items: schemaNamed('Book') }) },
          ...failures,
        },
      },
      post: {
        operationId: 'createBook',
        requestBody: bodyOf('Book'),
        responses: { '201': reply('Book'), ...failures },
      },
    },
    '/shelves/{shelf}/books/{bookId}': {
      parameters: [inPath('shelf', id), inPath('bookId', id)],
      get: { operationId: 'getBook', responses: { '200': reply('Book'), ...failures } },
      put: {
        operationId: 'replaceBook',
        requestBody: bodyOf('Book'),
        responses: { '200': reply('Book'), ...failures },
      },
      patch: {
        operationId: 'patchBook',
        requestBody: bodyOf('BookPatch', 'application/merge-patch+json'),
        responses: { '200': reply('Book'), ...failures },
      },
      delete: { operationId: 'deleteBook', responses: { '204': gone, ...failures } },
    },
    '/authors': {
      get: {
        operationId: 'listAuthors',
        parameters: [inQuery('page', { type: 'integer', minimum: 1, maximum: 9999 }), inQuery('size', limit)],
        responses: {
          '200': { description: 'A page', content: json({ type: 'array', items: schemaNamed('Author') }) },
          ...failures,
        },
      },
      post: {
        operationId: 'createAuthor',
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string', format: 'uuid' } }],
        requestBody: bodyOf('Author'),
        responses: {
          '201': { description: 'Created', headers: { Location: { required: true, schema: { type: 'string' } } } },
          ...failures,
        },
      },
    },
    '/authors/{authorId}': {
      parameters: [inPath('authorId', { type: 'string', format: 'uuid' })],
      get: { operationId: 'getAuthor', responses: { '200': reply('Author'), ...failures } },
      delete: { operationId: 'deleteAuthor', responses: { '204': gone, ...failures } },
    },
    '/labels': {
      get: {
        operationId: 'listLabels',
        responses: {
          '200': { description: 'All', content: json({ type: 'array', items: schemaNamed('Label') }) },
          ...failures,
        },
      },
    },
    '/labels/{name}': {
      parameters: [inPath('name', { type: 'string', pattern: '^[a-z]{3,9}$' })],
      get: { operationId: 'getLabel', responses: { '200': reply('Label'), ...failures } },
      put: {
        operationId: 'putLabel',
        requestBody: bodyOf('Label'),
        responses: { '200': reply('Label'), '201': reply('Label'), ...failures },
      },
      delete: { operationId: 'deleteLabel', responses: { '200': reply('Label'), ...failures } },
    },
  },
  components: {
    schemas: {
      Shelf: object(['title', 'floor'], {
        number: { ...id, readOnly: true },
        changed: { type: 'string', format: 'date-time', readOnly: true },
        title: text,
        floor: { type: 'integer', format: 'int32', minimum: 0, maximum: 99 },
        tags: { type: 'array', maxItems: 3, items: text },
        site: { type: 'string', format: 'uri' },
        secret: { ...text, writeOnly: true },
      }),
      Book: object(['title', 'pages'], {
        id: { ...id, readOnly: true },
        title: text,
        pages: { type: 'integer', format: 'int32', minimum: 1, maximum: 9999 },
        lent: { type: 'boolean' },
        note: { oneOf: [text, { type: 'null' }] },
      }),
      BookPatch: object([], { title: text, lent: { type: 'boolean' }, note: { oneOf: [text, { type: 'null' }] } }),
      Author: object(['name'], {
        authorId: { type: 'string', format: 'uuid', readOnly: true },
        name: text,
        motto: text,
      }),
      Label: object(['color'], {
        name: { type: 'string', readOnly: true },
        color: { enum: ['red', 'green', 'blue'] },
        weight: { type: 'integer', format: 'int32', minimum: 0, maximum: 9 },
      }),
      Error: object(['error'], { error: { type: 'string' } }),
    },
  },
};
