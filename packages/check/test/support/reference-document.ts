import type { OpenApiDocument } from '@contract-first/documents';

// A document with all kinds of parameters, JSON, text, uploads, response headers, 204, a base path, and operations that
// override or disable security.

const int64 = { type: 'integer', format: 'int64' };
const int32 = { type: 'integer', format: 'int32' };
const json = (schema: object) => ({ 'application/json': { schema } });
const failure = (description: string) => ({ description, content: json({ $ref: '#/components/schemas/Error' }) });
const itemId = { $ref: '#/components/parameters/ItemId' };

const itemWith = (properties: object) => ({
  type: 'object',
  required: ['id', 'name'],
  additionalProperties: false,
  properties: { id: int64, name: { type: 'string', maxLength: 40 }, ...properties },
});
const note = { type: ['string', 'null'] };

const documentWith = (part: object): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'Reference', version: '1.0.0' },
  servers: [{ url: '/v1' }],
  security: [{ bearer: [] }],
  paths: {
    '/items': {
      get: {
        operationId: 'findItems',
        parameters: [
          { name: 'text', in: 'query', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { ...int32, minimum: 1 } },
          { name: 'kinds', in: 'query', schema: { type: 'array', items: { enum: ['tree', 'herb'] } }, explode: false },
          {
            name: 'range',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { type: 'object', properties: { min: int64, max: int64 }, additionalProperties: false },
          },
          { name: 'theme', in: 'cookie', schema: { type: 'string', enum: ['dark', 'light'] } },
        ],
        responses: {
          '200': {
            description: 'Those found',
            headers: { 'X-Total': { required: true, schema: { type: 'integer', minimum: 0 } } },
            content: json({ type: 'array', items: { $ref: '#/components/schemas/Item' } }),
          },
          '400': failure('Invalid'),
          '401': failure('Unknown token'),
        },
      },
    },
    '/items/{itemId}': {
      parameters: [itemId],
      put: {
        operationId: 'putItem',
        parameters: [{ name: 'X-Request-Id', in: 'header', required: true, schema: { type: 'string' } }],
        requestBody: { required: true, content: json({ $ref: '#/components/schemas/Item' }) },
        responses: {
          '200': {
            description: 'As it is now',
            headers: { ETag: { required: true, schema: { type: 'string' } } },
            content: json({ $ref: '#/components/schemas/Item' }),
          },
          '4XX': failure('Refused'),
        },
      },
      delete: {
        operationId: 'deleteItem',
        responses: { '204': { description: 'Gone' }, '4XX': failure('Refused') },
      },
    },
    '/notes': {
      post: {
        operationId: 'writeNote',
        security: [],
        requestBody: { required: true, content: { 'text/plain': { schema: { type: 'string' } } } },
        responses: {
          '201': { description: 'As written', content: { 'text/plain': { schema: { type: 'string' } } } },
          '415': failure('Not text'),
        },
      },
    },
    '/files': {
      post: {
        operationId: 'uploadFile',
        security: [{ key: [] }],
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['title', 'file'],
                properties: { title: { type: 'string' }, file: { type: 'string', format: 'binary' } },
              },
            },
            'application/octet-stream': {},
          },
        },
        responses: {
          '201': {
            description: 'Stored',
            content: json({ type: 'object', required: ['bytes'], properties: { bytes: int64 } }),
          },
          '4XX': failure('Refused'),
        },
      },
    },
    '/secrets': {
      get: {
        operationId: 'readSecret',
        security: [{ bearer: [], key: [] }, { admin: [] }],
        responses: {
          '200': { description: 'The secret', content: json({ type: 'string' }) },
          default: failure('Refused'),
        },
      },
    },
  },
  components: {
    securitySchemes: {
      admin: { type: 'apiKey', in: 'query', name: 'admin' },
      bearer: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    },
    parameters: { ItemId: { name: 'itemId', in: 'path', required: true, schema: int64 } },
    schemas: {
      Item: itemWith({
        count: { ...int32, minimum: 0 },
        note,
        createdAt: { type: 'string', format: 'date-time', readOnly: true },
        parts: { type: 'array', maxItems: 3, items: { $ref: '#/components/schemas/Part' } },
      }),
      Part: part,
      Error: {
        type: 'object',
        required: ['error', 'message'],
        properties: { error: int32, message: { type: 'string' } },
      },
    },
  },
});

export const referenceDocument = documentWith({ $ref: '#/components/schemas/Item' });

/** The reference document without recursive schemas, which needs half as many requests. */
export const shallowDocument = documentWith(itemWith({ note }));
