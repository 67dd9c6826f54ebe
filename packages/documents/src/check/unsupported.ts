import {
  escapePointer,
  failureStatusOf,
  findCodec,
  findResponseKey,
  idempotencyKeyOf,
  isSequential,
  kindOf,
  nodeHttp,
} from '@contract-first/contract';
import {
  ANNOTATION_KEYWORDS,
  type Document,
  listOperations,
  type MediaTypeObject,
  METHODS,
  type ParameterObject,
} from '../document/document.ts';
import { parameterSchemaOf, parametersOf, valueSchemaOf } from '../document/parameters.ts';
import { dereference, type SchemaObject } from '../document/reference.ts';
import { walkDocument } from '../document/walk.ts';
import { OWN_STATUSES } from '../operations/failures.ts';
import type { Diagnostic } from '../read/diagnostic.ts';
import { versionOfDialect } from '../read/dialects.ts';

/** Finds invalid parts whose checks need the normalized document. */
export function findInvalid(document: Document): Diagnostic[] {
  return [...inOperations(document), ...inSchemas(document)];
}

/** Finds operations whose methods Node's HTTP server does not support. */
export function findUnservable(document: Document): Diagnostic[] {
  return listOperations(document)
    .filter(({ method }) => !METHODS.includes(method.toLowerCase()) && !isServed(method))
    .map(({ method, pointer }) => {
      return { pointer, message: `no client can call the method ${method}: Node has no requests with it` };
    });
}

/** Warns once if operations are public because the document has no `security` for them. */
export function findPublic(document: Document): Diagnostic[] {
  if (document.security !== undefined) return [];
  const silent = listOperations(document).filter(({ object }) => object.security === undefined);
  const [first] = silent;
  if (first === undefined) return [];
  const count = silent.length === 1 ? 'one operation is' : `${String(silent.length)} operations are`;
  return [
    { pointer: first.pointer, message: `${count} public, since there is no security: write security: [] to confirm` },
  ];
}

const OWN_HEADERS = [
  'www-authenticate',
  'retry-after',
  'x-request-id',
  'cache-control',
  'content-type',
  'content-range',
  'ratelimit',
  'ratelimit-policy',
];

/** Warns of required headers of failures that the engine cannot send. */
export function findFailureHeaders(document: Document): Diagnostic[] {
  return listOperations(document).flatMap(({ object, pointer }) => {
    const { responses = {} } = object;
    const own = OWN_STATUSES.map((status) => findResponseKey({ responses }, failureStatusOf({ responses }, status)));
    return Object.entries(responses).flatMap(([status, node]) => {
      const { headers = {} } = dereference(document, node);
      const sent = status === '406' ? [...OWN_HEADERS, 'vary'] : OWN_HEADERS;
      const required = Object.keys(headers).filter(
        (name) => dereference(document, headers[name])?.required === true && !sent.includes(name.toLowerCase()),
      );
      if (required.length === 0 || !own.includes(status)) return [];
      const message = `failures of the service itself have the header ${required.join(', ')} only if failureHeaders of the application returns it`;
      return [{ pointer: `${pointer}/responses/${status}`, message }];
    });
  });
}

/** Warns of operations with the header `Idempotency-Key` that do not describe its failures. */
export function findIdempotencyFailures(document: Document): Diagnostic[] {
  return listOperations(document).flatMap(({ method, pathItem, object, pointer }) => {
    if (idempotencyKeyOf({ method, parameters: parametersOf(document, pathItem, object) }) === undefined) return [];
    const { responses = {} } = object;
    const missing = [409, 422].filter(
      (status) => findResponseKey({ responses }, failureStatusOf({ responses }, status)) === undefined,
    );
    if (missing.length === 0) return [];
    const message = `the header Idempotency-Key may cause a ${missing.join(' or ')}, which no response describes`;
    return [{ pointer, message }];
  });
}

/** Warns of unchecked parts of media types: positional encodings, and items that are not JSON. */
export function findUnchecked(document: Document): Diagnostic[] {
  const found: Diagnostic[] = [];
  walkDocument(
    document,
    ({ node, pointer, key }) => {
      for (const name of ['prefixEncoding', 'itemEncoding']) {
        if (node[name] === undefined || pointer.includes('/responses/')) continue;
        const message = `${name} is not checked: a part may have any Content-Type`;
        found.push({ pointer: `${pointer}/${name}`, message });
      }
      if (node['itemSchema'] !== undefined && !isSequential(key, node)) {
        const message = `itemSchema is not checked in ${key}, only in JSON Lines, JSON sequences and event streams`;
        found.push({ pointer: `${pointer}/itemSchema`, message });
      }
    },
    ['mediaType'],
  );
  return found;
}

/** The keywords of schemas that allow every string. */
const OF_ANY_STRING = new Set(['type', 'default', 'example', 'examples', ...ANNOTATION_KEYWORDS]);

/** Warns of unchecked schemas: of parameters and headers whose `content` is not JSON. */
export function findUncheckedTexts(document: Document): Diagnostic[] {
  const found: Diagnostic[] = [];
  walkDocument(
    document,
    ({ node, pointer }) => {
      const parameter = node as ParameterObject; // Validated document. A header has no name, which is not read.
      if (valueSchemaOf(parameter) !== undefined) return;
      const schema = Object(dereference(document, parameterSchemaOf(parameter))) as SchemaObject;
      const isAnyString = (schema.type ?? 'string') === 'string';
      if (isAnyString && Object.keys(schema).every((keyword) => OF_ANY_STRING.has(keyword))) return;
      const message = 'the schema is not checked: a value that is not JSON is passed on as text';
      found.push({ pointer: `${pointer}/content`, message });
    },
    ['parameter', 'header'],
  );
  return found;
}

/** Warns of unchecked parts of `encoding` in request bodies. */
export function findEncodings(document: Document): Diagnostic[] {
  const found: Diagnostic[] = [];
  walkDocument(
    document,
    ({ node, pointer, key }) => {
      const form = kindOf(key);
      if (pointer.includes('/responses/') || (form !== 'form' && form !== 'multipart')) return;
      const { encoding = {} } = node as MediaTypeObject;
      for (const [name, { headers, style, explode, contentType }] of Object.entries(encoding)) {
        const warn = (message: string): void =>
          void found.push({ pointer: `${pointer}/encoding/${escapePointer(name)}`, message });
        const names = Object.keys(headers ?? {}).filter((header) => header.toLowerCase() !== 'content-type');
        if (form === 'multipart' && names.length > 0)
          warn(`the headers of the part are not checked: ${names.join(', ')}`);
        if ((style ?? 'form') !== 'form' || explode === false)
          warn('the style of the field is not supported: a list is a repeated field, an object is JSON');
        if (form === 'form' && contentType !== undefined && !['text', 'json'].includes(kindOf(contentType)))
          warn('the contentType of the field is not checked: the value of a form field is text or JSON');
      }
    },
    ['mediaType'],
  );
  return found;
}

/**
 * Warns of text keywords, such as `pattern`, in schemas of binary data.
 *
 * @param codecs the media types for which the application has codecs
 */
export function findPatternsOfBytes(document: Document, codecs: readonly string[]): Diagnostic[] {
  const found = new Map<unknown, Diagnostic>();
  walkDocument(document, ({ kind, node, pointer, key }) => {
    const isBytes = kind === 'mediaType' && kindOf(key) === 'binary' && findCodec(key, codecs) === undefined;
    const schema = isBytes ? dereference(document, node['schema']) : kind === 'schema' ? node : undefined;
    const { pattern, format } = Object(schema) as { readonly pattern?: unknown; readonly format?: unknown };
    if (pattern === undefined || !(isBytes || format === 'binary')) return;
    found.set(schema, { pointer, message: 'a pattern of bytes is not checked: it is for characters' });
  });
  return [...found.values()];
}

/** Warns of schemas in an unknown dialect. Requires the document before normalization. */
export function findDialects(document: Document): Diagnostic[] {
  const found = new Map<string, string>();
  const add = (dialect: unknown, pointer: string): void => {
    if (typeof dialect === 'string' && versionOfDialect(dialect) === undefined) found.set(dialect, pointer);
  };
  add((document as Readonly<Record<string, unknown>>)['jsonSchemaDialect'], '#/jsonSchemaDialect');
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind === 'schema') add(node['$schema'], pointer);
  });
  return [...found].map(([dialect, pointer]) => ({
    pointer,
    message: `schemas in the dialect ${dialect} are read as JSON Schema 2020-12`,
  }));
}

const LIMITS = ['x-body-limit-bytes', 'x-time-limit-ms'] as const;

function inOperations(document: Document): Diagnostic[] {
  const schemes = document.components?.securitySchemes ?? {};
  return listOperations(document).flatMap(({ method, pathItem, object, pointer }) => {
    const found: Diagnostic[] = [];
    const isFixed = METHODS.includes(method.toLowerCase());
    if (isFixed && Object.hasOwn(pathItem.additionalOperations ?? {}, method)) {
      found.push({ pointer, message: `${method} must not be in additionalOperations: write ${method.toLowerCase()}` });
    }
    const queries = parametersOf(document, pathItem, object).filter(({ in: place }) => place.startsWith('query'));
    if (queries.length > 1 && queries.some(({ in: place }) => place === 'querystring')) {
      found.push({ pointer, message: 'a parameter in querystring must be the only one in the query' });
    }
    for (const limit of LIMITS) {
      const value = object[limit];
      if (value === undefined || (Number.isInteger(value) && value > 0)) continue;
      found.push({ pointer: `${pointer}/${limit}`, message: `${limit} must be a positive integer` });
    }
    if (object.operationId === '__proto__') {
      found.push({ pointer: `${pointer}/operationId`, message: '__proto__ cannot be the name of an operation' });
    }
    const used = object.security ?? document.security ?? [];
    for (const name of new Set(used.flatMap((requirement) => Object.keys(requirement)))) {
      if (Object.hasOwn(schemes, name)) continue;
      const place = object.security === undefined ? '#' : pointer;
      found.push({ pointer: `${place}/security`, message: `there is no security scheme ${name}` });
    }
    return found;
  });
}

function inSchemas(document: Document): Diagnostic[] {
  // In OpenAPI 3.0, siblings of `$ref` are ignored, but a reference may point at them.
  const missing = Object.entries(document.components?.schemas ?? {}).filter(([, schema]) => schema === undefined);
  const found = missing.map(([name]): Diagnostic => {
    return { pointer: '#/components/schemas', message: `the reference to ${name} leads to nothing` };
  });
  return found;
}

/** Returns whether Node's HTTP server emits `request` events for a method. CONNECT has a separate event. */
function isServed(method: string): boolean {
  return nodeHttp.METHODS.includes(method) && method !== 'CONNECT';
}
