import { copyOf, DATA, type FileObject as Node, isFileObject } from './file-objects.ts';
import { walk, walkDocument, type Visited } from '../document/walk.ts';

const LATEST = 2020;
const LATEST_URI = 'https://json-schema.org/draft/2020-12/schema';
/** The versions of the supported dialects, by URI without scheme. Draft 5 has the meta-schema of draft 4. */
const VERSIONS: Readonly<Record<string, number>> = {
  'json-schema.org/draft-04/schema': 4,
  'json-schema.org/draft-05/schema': 4,
  'json-schema.org/draft-06/schema': 6,
  'json-schema.org/draft-07/schema': 7,
  'json-schema.org/draft/2019-09/schema': 2019,
  'json-schema.org/draft/2020-12/schema': LATEST,
};
const OPENAPI_DIALECT = /^spec\.openapis\.org\/oas\/3\.[12]\/dialect\/(?:base|\d{4}-\d\d-\d\d)$/;
/** The first version with each keyword. In earlier versions, the keyword has no effect. */
const SINCE: Readonly<Record<string, number>> = {
  const: 6,
  contains: 6,
  examples: 6,
  propertyNames: 6,
  else: 7,
  if: 7,
  then: 7,
  $anchor: 2019,
  contentSchema: 2019,
  dependentRequired: 2019,
  dependentSchemas: 2019,
  maxContains: 2019,
  minContains: 2019,
  unevaluatedItems: 2019,
  unevaluatedProperties: 2019,
  $dynamicAnchor: LATEST,
  $dynamicRef: LATEST,
  prefixItems: LATEST,
};
/** The members that remain where `$ref` excludes its siblings: they do not constrain the value. */
const BESIDE_REFERENCE = ['$ref', '$defs', 'definitions', 'description'];

/** Returns the version of a JSON Schema dialect; `undefined` for unknown dialects. */
export function versionOfDialect(uri: unknown): number | undefined {
  if (typeof uri !== 'string') return undefined;
  const name = uri.replace(/^https?:\/\//, '').replace(/#?$/, '');
  return OPENAPI_DIALECT.test(name) ? LATEST : VERSIONS[name];
}

/**
 * Converts schemas in older dialects to JSON Schema 2020-12. Returns a file without older dialects unchanged.
 * `jsonSchemaDialect` is the default dialect in an OpenAPI document.
 */
export function convertDialects(file: unknown): unknown {
  const isVersion30 = String((file as { openapi?: unknown } | null)?.openapi).startsWith('3.0.');
  if (isVersion30 || !hasOlder(file)) return file;
  const copy = copyOf(file) as Node; // A file with a dialect is an object.
  const moved = new Map<string, string>();
  const fallback = versionOfDialect(copy['jsonSchemaDialect']) ?? LATEST;
  if (typeof copy['openapi'] === 'string') {
    walkDocument(copy, createConverter(fallback, moved));
    if (fallback < LATEST) copy['jsonSchemaDialect'] = LATEST_URI;
  } else convertFragments({ '': copy }, '', '#', moved);
  redirect(copy, moved);
  return copy;
}

/** Converts the schemas with `$schema` in a file that is not an OpenAPI document. */
function convertFragments(holder: Node, key: string, pointer: string, moved: Map<string, string>): void {
  const node = holder[key];
  if (!isFileObject(node)) return;
  if (typeof node['$schema'] === 'string') {
    walk('schema', holder, key, pointer, createConverter(LATEST, moved));
    return;
  }
  for (const name of Object.keys(node)) if (!DATA.has(name)) convertFragments(node, name, `${pointer}/${name}`, moved);
}

/**
 * Returns a visitor that converts schemas, parents first.
 *
 * @param moved collects the old and new pointers of subschemas
 */
function createConverter(fallback: number, moved: Map<string, string>): (visited: Visited) => void {
  const open: { readonly pointer: string; readonly version: number }[] = [];
  return ({ kind, node, pointer }) => {
    if (kind !== 'schema') return;
    while (open.length > 0 && !pointer.startsWith(`${open.at(-1)?.pointer ?? ''}/`)) open.pop();
    const own = versionOfDialect(node['$schema']);
    const version = own ?? open.at(-1)?.version ?? fallback;
    if (own !== undefined) open.push({ pointer, version });
    if (version === LATEST) return;
    const move = (from: string, to: string): void => void moved.set(`${pointer}/${from}`, `${pointer}/${to}`);
    convert(node, version, open.at(-1)?.pointer ?? pointer, move);
  };
}

/** Converts one schema in place, without its subschemas. @param root the pointer of the schema with `$schema` */
function convert(schema: Node, version: number, root: string, move: (from: string, to: string) => void): void {
  const { id, $id, $recursiveRef: recursive, items } = schema;
  for (const [keyword, since] of Object.entries(SINCE)) if (version < since) Reflect.deleteProperty(schema, keyword);
  const anchor = version === 4 ? id : version < 2019 ? $id : undefined;
  for (const name of ['$schema', '$recursiveRef', '$recursiveAnchor', ...(version === 4 ? ['id'] : [])])
    Reflect.deleteProperty(schema, name);
  if (version < 2019 && typeof schema['$ref'] === 'string') {
    for (const name of Object.keys(schema)) if (!BESIDE_REFERENCE.includes(name)) Reflect.deleteProperty(schema, name);
    return;
  }
  if (typeof anchor === 'string' && anchor.startsWith('#')) schema['$anchor'] = anchor.slice(1);
  if (version === 2019 && recursive === '#') schema['$ref'] = root;
  convertLimits(schema);
  if (Array.isArray(items)) {
    schema['prefixItems'] = items;
    items.forEach((_item, index) => {
      move(`items/${String(index)}`, `prefixItems/${String(index)}`);
    });
    move('additionalItems', 'items');
    delete schema['items'];
    if (schema['additionalItems'] !== undefined) schema['items'] = schema['additionalItems'];
  }
  delete schema['additionalItems']; // Has no effect without a list of items.
  if (convertDependencies(schema)) move('dependencies', 'dependentSchemas');
}

/** Replaces `dependencies` of drafts before 2019-09. Returns whether the schema had `dependencies`. */
export function convertDependencies(schema: Node): boolean {
  const { dependencies, dependentRequired = {}, dependentSchemas = {} } = schema;
  if (!isFileObject(dependencies)) return false;
  const { required = [], schemas = [] } = Object.groupBy(Object.entries(dependencies), ([, dependency]) =>
    Array.isArray(dependency) ? 'required' : 'schemas',
  );
  schema['dependentRequired'] = { ...(dependentRequired as Node), ...Object.fromEntries(required) };
  schema['dependentSchemas'] = { ...(dependentSchemas as Node), ...Object.fromEntries(schemas) };
  return Reflect.deleteProperty(schema, 'dependencies');
}

/**
 * Replaces the boolean limits of draft 4 and OpenAPI 3.0, where `exclusiveMinimum: true` modifies `minimum`. Some
 * documents use them with a later draft.
 */
export function convertLimits(schema: Node): void {
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    const isExclusive = schema[exclusive] && schema[limit] !== undefined;
    Reflect.deleteProperty(schema, exclusive);
    if (!isExclusive) continue;
    schema[exclusive] = schema[limit];
    Reflect.deleteProperty(schema, limit);
  }
}

/** Redirects references to moved subschemas. */
function redirect(node: unknown, moved: ReadonlyMap<string, string>): void {
  if (!isFileObject(node) || moved.size === 0) return;
  const { $ref: reference } = node;
  if (typeof reference === 'string') {
    const steps = reference.split('/');
    for (let length = 1; length <= steps.length; length += 1) {
      const target = moved.get(steps.slice(0, length).join('/'));
      if (target !== undefined) steps.splice(0, length, ...target.split('/'));
    }
    node['$ref'] = steps.join('/');
  }
  for (const member of Object.values(node)) redirect(member, moved);
}

function hasOlder(node: unknown): boolean {
  if (!isFileObject(node)) return false;
  const version = versionOfDialect(node['$schema'] ?? node['jsonSchemaDialect']);
  return (version !== undefined && version < LATEST) || Object.values(node).some(hasOlder);
}
