import { compilePattern, isSequential, kindOf, SCHEMA_KEYWORDS } from '@contract-first/contract';
import { listOperations, type Document, type MediaTypeObject, type ParameterObject } from '../document/document.ts';
import { copyOf } from '../read/file-objects.ts';
import { convertDependencies, convertLimits } from '../read/dialects.ts';
import { convertNullable } from '../read/old-keywords.ts';
import { findConflicts, INT64S } from './conflicts.ts';
import { DECODED } from '../document/codecs.ts';
import { partsOf } from '../document/operation-parts.ts';
import { parameterSchemaOf } from '../document/parameters.ts';
import { textTypeOf } from '../document/text-types.ts';
import { capitalize, type SchemaNames, unusedName } from '../document/names.ts';
import { dereference, describeProperties, resolvePathItem, resolveReference, tokensOf } from '../document/reference.ts';
import { renameRanges, uncallableReason } from '../read/unreachable-operations.ts';
import type { Diagnostic } from '../read/diagnostic.ts';
import { walk, walkDocument, type Visited } from '../document/walk.ts';

type Node = Record<string, unknown>;

// Later steps collect components by name in plain objects, which cannot have a member __proto__.
const SCHEMA = /^#\/components\/schemas\/(?!__proto__$)[^/]+$/;
const COMPONENT = /^#\/components\/(?!x-)[^/]+\/[^/]+$/;
const SECURITY_SCHEME = '#/components/securitySchemes/';
/** The known schema keywords with lists or objects as values. */
const KEYWORDS = new Set([
  ...Object.keys(SCHEMA_KEYWORDS),
  'type',
  'enum',
  'const',
  'required',
  'dependentRequired',
  'discriminator',
  'default',
  'example',
  'examples',
  'xml',
  'externalDocs',
]);

/** The keywords with exact numbers. The numbers of other keywords, such as `maxLength`, are counts. */
const EXACT = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
  'const',
  'default',
  'example',
  'examples',
]);

/**
 * Copies a bundled document to an equivalent, simpler form for the generator and the engine:
 *
 * - every path can be called, and every operation has a unique operationId;
 * - path items and media types have no `$ref`, and `components` has neither;
 * - a sequence of JSON values has a schema for all of them;
 * - a parameter or header that is the text of a scalar has a `schema`, not a `content`;
 * - security requirements name their schemes, also where they have URIs;
 * - a `$ref` to a schema has no siblings in OpenAPI 3.0, which ignores them (3.0, 4.7.23);
 * - schemas are JSON Schema 2020-12, without `nullable` and limits that are booleans (OpenAPI 3.0), and `dependencies`;
 * - `$id`, `$schema` and `$anchor` are removed: every reference is a JSON pointer;
 * - unknown keywords with lists or objects are removed: a `$ref` in them has no meaning;
 * - each `$ref` names a component: other schemas become components, other objects are copied to where they are used.
 *
 * @returns the copy, a warning for each operationId that was changed, and the names of schemas that became components
 */
export function normalizeDocument(original: Document): {
  readonly document: Document;
  readonly warnings: readonly Diagnostic[];
  readonly schemaNames: SchemaNames;
} {
  const document = copyOf(original);
  const isVersion30 = document.openapi.startsWith('3.0.');
  const hoisted = new Map<string, string>();
  const schemaNames = new Map<string, readonly string[]>();
  // A callback may refer to the path item that it is in; it is empty there.
  const copied: (readonly [pointer: string, reference: string])[] = [];
  // The schemas with a property named `__proto__`.
  const prototyped = new Set<Node>();
  walkDocument(document, simplify);
  prototyped.forEach(convertPrototype); // Last, since a reference may lead to the property.
  for (const path of Object.keys(document.paths ?? {}))
    if (uncallableReason(path) !== undefined) Reflect.deleteProperty(document.paths ?? {}, path);
  Reflect.deleteProperty(document.components?.schemas ?? {}, '__proto__');
  for (const kind of ['mediaTypes', 'pathItems']) Reflect.deleteProperty(document.components ?? {}, kind);
  const isCopy = (path: string): boolean => original.paths?.[path]?.['$ref'] !== undefined;
  return { document, warnings: addOperationIds(document, isCopy), schemaNames };

  function simplify({ kind, node, pointer, holder, key }: Visited): void {
    const { $ref: reference, security, ...siblings } = node;
    if (Array.isArray(security)) (node as Node)['security'] = security.map(withNames);
    if (kind === 'schema') {
      if (isVersion30) convertVersion30(node);
      convertDependencies(node);
      for (const name of ['$id', '$schema', '$anchor', 'nullable', DECODED]) Reflect.deleteProperty(node, name);
      removeUnknown(node);
      if (Object.hasOwn(Object(node['properties']) as object, '__proto__')) prototyped.add(node);
    }
    if (kind === 'operation') {
      renameRanges(node['responses']);
      removeExtensions(node['responses']);
    }
    if (kind === 'mediaType') holder[key] = withItemList(key, dereference(document, node));
    else if (typeof reference === 'string') simplifyReference(reference);
    if (kind === 'parameter' || kind === 'header')
      holder[key] = withTextSchema(document, holder[key] as ParameterObject); // A header has no name and no `in`.

    function simplifyReference(reference: string): void {
      if (kind === 'pathItem') {
        const isWithin = copied.some(([place, same]) => same === reference && pointer.startsWith(`${place}/`));
        if (!isWithin) copied.push([pointer, reference]);
        holder[key] = isWithin ? siblings : copyOf(resolvePathItem(document, node));
      } else if (kind === 'schema') {
        if (isVersion30) holder[key] = { $ref: reference };
        if (!SCHEMA.test(reference)) (holder[key] as Node)['$ref'] = hoist(reference);
      } else if (!COMPONENT.test(reference)) holder[key] = copyOf(dereference(document, node));
    }
  }

  /** Adds a schema to the components. Returns a reference to the component. */
  function hoist(reference: string): string {
    const cached = hoisted.get(reference);
    if (cached !== undefined) return cached;
    const components = ((document as Node)['components'] ??= {}) as Node;
    const schemas = (components['schemas'] ??= {}) as Node;
    const words = reference.replaceAll(/~1|%../g, ' ').match(/\w+/g) ?? [];
    const base = words.filter((word) => !['components', 'schemas', 'properties'].includes(word)).join('_');
    const name = unusedName(base, (taken) => Object.hasOwn(schemas, taken));
    const target = `#/components/schemas/${name}`;
    hoisted.set(reference, target);
    schemaNames.set(name, tokensOf(reference).slice(-1));
    schemas[name] = copyOf(resolveReference(document, reference));
    walk('schema', schemas, name, target, simplify);
    return target;
  }
}

/** Converts the OpenAPI 3.0 keywords that JSON Schema 2020-12 lacks. */
function convertVersion30(schema: Node): void {
  convertNullable(schema);
  convertLimits(schema);
}

/** Describes a property named `__proto__` by a pattern. */
function convertPrototype(schema: Node): void {
  const { properties = {}, patternProperties } = schema as {
    readonly properties?: Node;
    readonly patternProperties?: Node;
  };
  const described = describeProperties(properties);
  Object.assign(schema, {
    ...described,
    patternProperties: { ...patternProperties, ...described.patternProperties },
  });
}

/** Removes unknown keywords with lists or objects, and rounds large integers of keywords with counts. */
function removeUnknown(schema: Node): void {
  for (const [name, value] of Object.entries(schema)) {
    if (typeof value === 'bigint' && !EXACT.has(name)) schema[name] = Number(value);
    const isKnown = KEYWORDS.has(name) || name.startsWith('x-');
    if (!isKnown && typeof value === 'object' && value !== null) Reflect.deleteProperty(schema, name);
  }
}

/** Removes extensions, which are no responses. */
function removeExtensions(responses: unknown): void {
  const byStatus = Object(responses) as Node;
  for (const name of Object.keys(byStatus).filter((key) => key.startsWith('x-')))
    Reflect.deleteProperty(byStatus, name);
}

/** Adds a list schema to a sequential media type with an item schema. */
function withItemList(mediaType: string, object: MediaTypeObject): MediaTypeObject {
  const copy = copyOf(object);
  if (!isSequential(mediaType, copy)) return copy;
  const list = { type: 'array', items: copy.itemSchema };
  return { ...copy, schema: copy.schema === undefined ? list : { allOf: [copy.schema, list] } };
}

/** Replaces the `content` of a parameter or header that is the text of a scalar: the default style has the same text. */
function withTextSchema(document: Document, object: ParameterObject): ParameterObject {
  const { content = {}, ...parameter } = object;
  const [mediaType = ''] = Object.keys(content);
  if (kindOf(mediaType) !== 'text' || parameter.in === 'querystring') return object;
  const { schema, ...examples } = dereference(document, content[mediaType]) as MediaTypeObject;
  const { items, properties } = textTypeOf(document, schema);
  const isScalar = items === undefined && properties === undefined;
  return isScalar && schema !== undefined ? { ...parameter, ...examples, schema } : object;
}

/** Replaces the URIs of security schemes with their names. */
function withNames(requirement: object): object {
  return Object.fromEntries(
    Object.entries(requirement).map(([name, scopes]) => {
      const isUri = name.startsWith(SECURITY_SCHEME);
      return [isUri ? name.slice(SECURITY_SCHEME.length) : name, scopes as unknown];
    }),
  );
}

/**
 * Converts int64s that the location does not identify to ordinary numbers, which are read as doubles.
 *
 * @returns a warning for each converted int64
 */
export function removeInt64Conflicts(document: Document): Diagnostic[] {
  const warnings: Diagnostic[] = [];
  for (const operation of listOperations(document)) {
    const { pointer } = operation;
    const { parameters, requestBody } = partsOf(document, operation);
    const roots = [
      ...parameters.map((parameter) => [parameter.name, parameterSchemaOf(parameter)] as const),
      ...Object.values(requestBody?.content ?? {}).map(({ schema }) => ['the body', schema] as const),
    ];
    for (const [name, root] of roots) {
      for (const { problem, schemas } of findConflicts(document, root, name, INT64S)) {
        const remaining = schemas.filter((schema) => 'format' in schema);
        for (const schema of remaining) delete (schema as Node)['format'];
        if (remaining.length > 0) warnings.push({ pointer, message: `an int64 is read as a double: ${problem}` });
      }
    }
  }
  return warnings;
}

/**
 * Removes patterns that are not ECMAScript regular expressions and therefore cannot be checked.
 *
 * @returns a warning for each
 */
export function removeInvalidPatterns(document: Document): Diagnostic[] {
  const warnings: Diagnostic[] = [];
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind !== 'schema') return;
    const { pattern, patternProperties = {} } = node as {
      readonly pattern?: unknown;
      readonly patternProperties?: Node;
    };
    const remove = (holder: object, key: string, text: string): void => {
      try {
        compilePattern(text);
      } catch {
        Reflect.deleteProperty(holder, key);
        warnings.push({
          pointer,
          message: `a pattern is not checked, since it is not an ECMAScript regular expression: ${text}`,
        });
      }
    };
    if (typeof pattern === 'string') remove(node, 'pattern', pattern);
    for (const text of Object.keys(patternProperties)) remove(patternProperties, text, text);
  });
  return warnings;
}

/**
 * Gives each operation a unique operationId. An operation without an operationId, or in the copy of a path item, is
 * named by its method and path: `GET /pets/{id}` becomes `getPetsById`. An operation of a webhook or a callback with
 * the name of another operation gets a number: `onDone2`.
 *
 * @param isCopy whether the path item of a path is a reference
 * @returns a warning for each operationId that was changed
 */
function addOperationIds(document: Document, isCopy: (path: string) => boolean): Diagnostic[] {
  const warnings: Diagnostic[] = [];
  // Sorted, so that their order in the document does not matter.
  const operations = listOperations(document).toSorted(
    (a, b) => Number(isCopy(a.path)) - Number(isCopy(b.path)) || (a.pointer < b.pointer ? -1 : 1),
  );
  const pointers = new Map<string, string>();
  const nameless = operations.filter(({ object, pointer }) => !keepName(object, pointer));
  for (const { path, method, object, pointer } of nameless) rename(object, nameOf(method, path), pointer);
  const served = new Set<object>(operations.map(({ object }) => object));
  const sent: Visited[] = [];
  walkDocument(
    document,
    (visited) => {
      if (!served.has(visited.node)) sent.push(visited);
    },
    ['operation'],
  );
  // Only webhooks have types: they keep their names.
  const isWebhook = ({ pointer }: Visited): boolean => /^#\/webhooks\/[^/]*\/[^/]*$/.test(pointer);
  for (const { node, pointer } of sent.toSorted((a, b) => Number(isWebhook(b)) - Number(isWebhook(a))))
    if (!keepName(node, pointer) && hasName(node)) rename(node, node.operationId, pointer);
  return warnings;

  /** Returns whether an operation has an operationId that no earlier operation has. */
  function keepName(operation: Readonly<Node>, pointer: string): boolean {
    if (!hasName(operation) || pointers.has(operation.operationId)) return false;
    pointers.set(operation.operationId, pointer);
    return true;
  }

  function rename(operation: Readonly<Node>, base: string, pointer: string): void {
    const name = unusedName(base, (taken) => pointers.has(taken));
    if (hasName(operation)) {
      const place = pointers.get(operation.operationId) ?? '';
      warnings.push({
        pointer,
        message: `its operationId is ${name}, since ${place} has the operationId ${operation.operationId}`,
      });
    }
    pointers.set(name, pointer);
    (operation as Node)['operationId'] = name;
  }
}

function hasName(operation: Readonly<Node>): operation is { readonly operationId: string } {
  return typeof operation['operationId'] === 'string' && operation['operationId'] !== '';
}

function nameOf(method: string, path: string): string {
  const words = (text: string): readonly string[] => text.match(/[A-Za-z0-9]+/g) ?? [];
  const [first = '', ...others] = words(method.toLowerCase());
  const places = words(path.replaceAll(/\{([^{}]*)\}/g, ' by $1 '));
  return first + [...others, ...(places.length === 0 ? ['Root'] : places)].map(capitalize).join('');
}
