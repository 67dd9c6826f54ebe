import { canCheck } from '../../src/auth/checkable.ts';
import { holdsData } from '../../src/contract/keywords.ts';
import { kindOf } from '../../src/contract/media-type.ts';
import {
  listOperations,
  type Content,
  type Document,
  type RequestBodyObject,
  type SecuritySchemeObject,
} from './document.ts';
import { findInt64Conflicts } from './int64-conflicts.ts';
import type { OpenApiDocument } from './load.ts';
import { firstSchema, parametersOf } from './operations.ts';
import { dereference, escapePointer } from './reference.ts';
import { textTypeOf } from './text-types.ts';

/** Something the document asks for that the service could only pretend to do. */
export type Unsupported = { readonly pointer: string; readonly message: string };

const STYLES: Readonly<Record<string, readonly string[]>> = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};
const DIALECTS = ['https://json-schema.org/draft/2020-12/schema', 'https://spec.openapis.org/oas/3.1/dialect/base'];

/** Names everything in a document that the linter has passed and the service cannot enforce. */
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
    const refuse = (place: string, message: string): void =>
      void found.push({ pointer: `${pointer}${place}`, message });

    if (!/^[A-Za-z_$][\w$]*$/.test(object.operationId) || object.operationId === '__proto__') {
      refuse('/operationId', `"${object.operationId}" is not an identifier: letters, digits, _ and $ only`);
    }
    if (/[*()]|\}\{/.test(path)) refuse('', 'a path with *, (, ) or }{ is not supported');
    for (const roles of (object.security ?? document.security ?? []).flatMap(Object.values)) {
      if ((roles as readonly string[]).length > 0)
        refuse('', 'scopes and roles of a security scheme are not supported');
    }
    if (object.servers ?? pathItem['servers']) refuse('', 'servers are supported at the top of the document only');

    for (const { name, in: place, style, content, schema } of parametersOf(document, pathItem, object)) {
      for (const problem of findInt64Conflicts(document, schema ?? firstSchema(content), `parameter ${name}`)) {
        refuse('', `int64s are told by their place: ${problem}`);
      }
      const { items, properties } = textTypeOf(document, schema ?? firstSchema(content));
      if (
        content === undefined &&
        [items, ...Object.values(properties ?? {})].some((part) => part?.items ?? part?.properties)
      ) {
        refuse('', `parameter ${name}: a list or object inside another has no text`);
      }
      if (style !== undefined && !STYLES[place]?.includes(style)) {
        refuse('', `parameter ${name}: style ${style} is not supported in ${place}`);
      }
      const other = Object.keys(content ?? {}).find((mediaType) => kindOf(mediaType) !== 'json');
      if (other !== undefined) refuse('', `parameter ${name}: content of type ${other} is not supported, only JSON is`);
    }

    const requestBody = dereference(document, object.requestBody) as RequestBodyObject | undefined;
    for (const [mediaType, { schema }] of Object.entries(requestBody?.content ?? ({} satisfies Content))) {
      for (const problem of findInt64Conflicts(document, schema, 'the body')) {
        refuse(`/requestBody/content/${escapePointer(mediaType)}`, `int64s are told by their place: ${problem}`);
      }
      if (kindOf(mediaType) === 'binary' && !isBytes(dereference(document, schema))) {
        const place = `/requestBody/content/${escapePointer(mediaType)}`;
        refuse(place, `${mediaType} is bytes: its schema can only be { type: string, format: binary }, or none`);
      }
    }
    for (const [mediaType, { encoding }] of Object.entries(requestBody?.content ?? ({} satisfies Content))) {
      if (encoding === undefined) continue;
      refuse(`/requestBody/content/${escapePointer(mediaType)}/encoding`, 'encoding is not supported');
    }
    return found;
  });
}

function isBytes(schema: unknown): boolean {
  const { type = 'string', format = 'binary', ...rest } = (schema ?? {}) as Readonly<Record<string, unknown>>;
  const annotations = ['title', 'description', 'contentMediaType', 'example', 'examples', 'deprecated'];
  return type === 'string' && format === 'binary' && Object.keys(rest).every((key) => annotations.includes(key));
}

function inSecuritySchemes(document: Document): Unsupported[] {
  return Object.entries(document.components?.securitySchemes ?? {}).flatMap(([name, node]) => {
    const { type, scheme, in: place } = dereference(document, node) as SecuritySchemeObject;
    if (canCheck({ type, ...(scheme && { scheme: scheme.toLowerCase() }), ...(place && { in: place }) })) return [];
    const message = `the service has no checker for ${[type, scheme].filter(Boolean).join(' ')}, only for http bearer and apiKey`;
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
      if (!holdsData(name, key)) visit(member, `${pointer}/${escapePointer(name)}`, name);
    }
  }
}
