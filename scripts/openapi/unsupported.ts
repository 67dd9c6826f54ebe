import { isItemList } from '../../src/engine/contract/media-type.ts';
import { isServed } from '../../src/engine/http/http-rules.ts';
import { listOperations, type Document } from './document.ts';
import { METHODS } from './openapi-rules.ts';
import { parametersOf } from './operations.ts';
import { walkDocument } from './walk.ts';

/** A message about a part of the document. */
export type Remark = { readonly pointer: string; readonly message: string };

/** Finds errors that the linter does not: parts that are not valid, or that no client could use. */
export function findUnsupported(document: Document): Remark[] {
  return [...inOperations(document), ...inSchemas(document)];
}

/** Warns once when operations are public because the document says nothing about their security. */
export function findPublic(document: Document): Remark[] {
  if (document.security !== undefined) return [];
  const silent = listOperations(document).filter(({ object }) => object.security === undefined);
  const [first] = silent;
  if (first === undefined) return [];
  const count = silent.length === 1 ? 'one operation is' : `${String(silent.length)} operations are`;
  return [
    { pointer: first.pointer, message: `${count} public, since there is no security: write security: [] to confirm` },
  ];
}

const DIALECTS = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
  'https://spec.openapis.org/oas/3.2/dialect/2025-09-17',
];

const ENCODINGS = ['encoding', 'prefixEncoding', 'itemEncoding'];

/** Warns of the parts of media types that are not checked: encodings in request bodies, and items of other than JSON. */
export function findUnchecked(document: Document): Remark[] {
  const found: Remark[] = [];
  walkDocument(document, ({ kind, node, pointer, key }) => {
    if (kind !== 'mediaType') return;
    for (const name of ENCODINGS) {
      if (node[name] === undefined || pointer.includes('/responses/')) continue;
      const message = `${name} is not checked: a part may have any Content-Type`;
      found.push({ pointer: `${pointer}/${name}`, message });
    }
    if (node['itemSchema'] !== undefined && !isItemList(key, node)) {
      const message = `itemSchema is not checked in ${key}, only in JSON Lines and JSON sequences`;
      found.push({ pointer: `${pointer}/itemSchema`, message });
    }
  });
  return found;
}

/** Warns of schemas that claim another dialect. Call it with the document as it was read. */
export function findDialects(document: Document): Remark[] {
  const found = new Map<string, string>();
  const add = (dialect: unknown, pointer: string): void => {
    if (typeof dialect === 'string' && !DIALECTS.includes(dialect.replace(/#$/, ''))) found.set(dialect, pointer);
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

function inOperations(document: Document): Remark[] {
  const schemes = document.components?.securitySchemes ?? {};
  return listOperations(document).flatMap(({ path, method, pathItem, object, pointer }) => {
    const found: Remark[] = [];
    const isFixed = METHODS.includes(method.toLowerCase());
    if (isFixed && Object.hasOwn(pathItem.additionalOperations ?? {}, method)) {
      found.push({ pointer, message: `${method} must not be in additionalOperations: write ${method.toLowerCase()}` });
    } else if (!isFixed && !isServed(method)) {
      found.push({ pointer, message: `no client can call the method ${method}: Node has no requests with it` });
    }
    const queries = parametersOf(document, pathItem, object).filter(({ in: place }) => place.startsWith('query'));
    if (queries.length > 1 && queries.some(({ in: place }) => place === 'querystring')) {
      found.push({ pointer, message: 'a parameter in querystring must be the only one in the query' });
    }
    if (object.operationId === '__proto__') {
      found.push({ pointer: `${pointer}/operationId`, message: '__proto__ cannot be the name of an operation' });
    }
    if (path.includes('#')) {
      found.push({ pointer, message: 'no client can call a path with #: what follows it is never sent' });
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

function inSchemas(document: Document): Remark[] {
  const found: Remark[] = [];
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind === 'schema' && Object.hasOwn(Object(node['properties']) as object, '__proto__')) {
      found.push({ pointer: `${pointer}/properties`, message: 'a property named __proto__ cannot be validated' });
    }
  });
  return found;
}
