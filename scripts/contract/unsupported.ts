import { checkerKindOf } from '../../src/engine/auth/supported-scheme.ts';
import { isLiteralKeyword } from '../../src/engine/contract/literal-keywords.ts';
import { kindOf } from '../../src/engine/contract/media-type.ts';
import {
  listOperations,
  type Document,
  type ParameterObject,
  type RequestBodyObject,
  type SecuritySchemeObject,
} from './document.ts';
import { findInt64Conflicts } from './int64-conflicts.ts';
import type { OpenApiDocument } from './load.ts';
import { parametersOf, schemaOf } from './operations.ts';
import { dereference, escapePointer } from './reference.ts';
import { textTypeOf } from './text-types.ts';

/** A feature of the document that the service cannot enforce. */
export type Unsupported = { readonly pointer: string; readonly message: string };

const STYLES: Readonly<Record<string, readonly string[]>> = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};
const DIALECTS = ['https://json-schema.org/draft/2020-12/schema', 'https://spec.openapis.org/oas/3.1/dialect/base'];

/** Lists the features of a linted document that the service cannot enforce. */
export function findUnsupported(contract: OpenApiDocument): Unsupported[] {
  const document = contract as Document; // The linter has checked this shape.
  return [...inServers(document), ...inOperations(document), ...inSecuritySchemes(document), ...inSchemas(document)];
}

function inServers({ servers = [] }: Document): Unsupported[] {
  return servers.flatMap(({ url }, index) => {
    const filled = url.replaceAll(/\{[^{}]+\}/g, 'http');
    return URL.canParse(filled, 'http://localhost')
      ? []
      : [{ pointer: `#/servers/${String(index)}`, message: `${url} is not a URL` }];
  });
}

function inOperations(document: Document): Unsupported[] {
  return listOperations(document).flatMap(({ path, object, pathItem, pointer }) => {
    const found: Unsupported[] = [];
    const reject: Reject = (place, message) => void found.push({ pointer: `${pointer}${place}`, message });

    if (!/^[A-Za-z_$][\w$]*$/.test(object.operationId) || object.operationId === '__proto__') {
      reject('/operationId', `"${object.operationId}" is not an identifier: letters, digits, _ and $ only`);
    }
    if (/[*()]|\}\{/.test(path)) reject('', 'a path with *, (, ) or }{ is not supported');
    for (const roles of (object.security ?? document.security ?? []).flatMap(Object.values)) {
      if ((roles as readonly string[]).length > 0) {
        reject('', 'scopes and roles of a security scheme are not supported');
      }
    }
    if (object.servers ?? pathItem['servers']) reject('', 'servers are supported at the top of the document only');
    for (const parameter of parametersOf(document, pathItem, object)) inParameter(document, parameter, reject);
    const requestBody = dereference(document, object.requestBody) as RequestBodyObject | undefined;
    if (requestBody !== undefined) inRequestBody(document, requestBody, reject);
    return found;
  });
}

type Reject = (place: string, message: string) => void;

function inParameter(document: Document, parameter: ParameterObject, reject: Reject): void {
  const { name, in: place, style, content } = parameter;
  for (const problem of findInt64Conflicts(document, schemaOf(parameter), `parameter ${name}`)) {
    reject('', `int64s must be identifiable by their location: ${problem}`);
  }
  const { items, properties } = textTypeOf(document, schemaOf(parameter));
  const parts = [items, ...Object.values(properties ?? {})];
  if (content === undefined && parts.some((part) => part?.items ?? part?.properties)) {
    reject('', `parameter ${name}: nested lists and objects cannot be written as text`);
  }
  if (style !== undefined && !STYLES[place]?.includes(style)) {
    reject('', `parameter ${name}: style ${style} is not supported in ${place}`);
  }
  const other = Object.keys(content ?? {}).find((mediaType) => kindOf(mediaType) !== 'json');
  if (other !== undefined) reject('', `parameter ${name}: content of type ${other} is not supported, only JSON is`);
}

function inRequestBody(document: Document, { content }: RequestBodyObject, reject: Reject): void {
  for (const [mediaType, { schema, encoding }] of Object.entries(content)) {
    const place = `/requestBody/content/${escapePointer(mediaType)}`;
    for (const problem of findInt64Conflicts(document, schema, 'the body')) {
      reject(place, `int64s must be identifiable by their location: ${problem}`);
    }
    if (kindOf(mediaType) === 'binary' && !isBytes(dereference(document, schema))) {
      reject(place, `${mediaType} is binary: its schema can only be { type: string, format: binary }, or none`);
    }
    if (encoding !== undefined) reject(`${place}/encoding`, 'encoding is not supported');
  }
}

function isBytes(schema: unknown): boolean {
  const { type = 'string', format = 'binary', ...rest } = (schema ?? {}) as Readonly<Record<string, unknown>>;
  const annotations = ['title', 'description', 'contentMediaType', 'example', 'examples', 'deprecated'];
  return type === 'string' && format === 'binary' && Object.keys(rest).every((key) => annotations.includes(key));
}

function inSecuritySchemes(document: Document): Unsupported[] {
  return Object.entries(document.components?.securitySchemes ?? {}).flatMap(([name, node]) => {
    const { type, scheme, in: place } = dereference(document, node) as SecuritySchemeObject;
    if (checkerKindOf({ type, ...(scheme && { scheme: scheme.toLowerCase() }), ...(place && { in: place }) }))
      return [];
    const message = `${[type, scheme].filter(Boolean).join(' ')} is not supported, only http bearer and apiKey are`;
    return [{ pointer: `#/components/securitySchemes/${name}`, message }];
  });
}

function inSchemas(document: Document): Unsupported[] {
  const found: Unsupported[] = [];
  visit(document, '#', '');
  return found;

  function visit(node: unknown, pointer: string, key: string): void {
    if (typeof node !== 'object' || node === null) return;
    const { properties, $ref, $schema, $id, jsonSchemaDialect } = node as Readonly<Record<string, unknown>>;
    if (key !== 'properties') {
      for (const dialect of [$schema, jsonSchemaDialect]) {
        if (typeof dialect !== 'string' || DIALECTS.includes(dialect)) continue;
        found.push({ pointer, message: `schemas in the dialect ${dialect} are not supported` });
      }
      if (typeof $id === 'string') found.push({ pointer, message: '$id is not supported' });
    }
    if (typeof $ref === 'string' && !/^#\/components\/(?!pathItems\/)/.test($ref)) {
      found.push({ pointer, message: `$ref to ${$ref}: only components are supported, and no path items` });
    }
    if (key !== 'properties' && Object.hasOwn(Object(properties) as object, '__proto__')) {
      found.push({ pointer, message: 'a property named __proto__ cannot be validated' });
    }
    for (const [name, member] of Object.entries(node)) {
      if (!isLiteralKeyword(name, key)) visit(member, `${pointer}/${escapePointer(name)}`, name);
    }
  }
}
