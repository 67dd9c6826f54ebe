import { escapePointer, findCodec, stringifyJson } from '@contract-first/contract';
import {
  type Content,
  copyOf,
  DECODED,
  dereference,
  type Document,
  isDecoded,
  describesInt64,
  listOperations,
  tokensOf,
  unusedName,
  walkDocument,
} from '@contract-first/documents';
import {
  astToString,
  type GlobalContext,
  injectOperationObject,
  oapiRef,
  type OpenAPI3,
  type OperationObject,
  resolveRef,
  type SchemaObject,
  stringToAST,
  type TransformNodeOptions,
  transformSchema,
  transformSchemaObject,
  tsIntersection,
  tsLiteral,
  tsUnion,
} from 'openapi-typescript';
import ts from 'typescript';
import {
  hasBigint,
  INHERITED,
  INT64_VALUES,
  NEVER,
  PRESENT,
  type PrintableSchema,
  toPrintableSchema,
} from './printable-schema.ts';
import { toTypedDocument, type TypedDocument, walkTyped } from './typed-document.ts';

const { factory } = ts;
const BIGINT = factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const NO_TYPE = factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword);
const NULL = factory.createLiteralTypeNode(factory.createNull());
const STRING = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);

// Replaces openapi-typescript's helper, which rejects nullable types.
const WITH_REQUIRED =
  'type WithRequired<T, K extends PropertyKey> = T extends object ? T & { [P in K & keyof T]-?: T[P] } : T;';
const [NULLABLE_WITH_REQUIRED] = stringToAST(WITH_REQUIRED) as [ts.Node]; // One statement.
const DECODED_TYPE = 'type Decoded<Name extends keyof typeof formats> = ReturnType<(typeof formats)[Name]["decode"]>;';

/**
 * Prints the types of a document with openapi-typescript. `operations` contains requests as received by handlers,
 * `paths` requests as sent by clients. Both have the same responses, except that clients see strings instead of decoded
 * values.
 *
 * @param codecs the media types with codecs
 * @param formats the import specifier of the formats module in `generated/types.ts`
 */
export function renderTypes(original: Document, codecs: readonly string[] = [], formats?: string): string {
  const declarations = declareTypes(original, codecs);
  const text = print(declarations);
  if (formats === undefined || !text.includes('Decoded<"')) return text;
  return `import type { formats } from ${JSON.stringify(formats)};
${print(declarations.filter((node) => nameOf(node) !== 'paths'))}${DECODED_TYPE}
/** The types of a client, whose strings are not decoded. */
declare namespace json {
${print(declareTypes(withoutDecoding(original), codecs))}}
export type paths = json.paths;
`;
}

function print(nodes: readonly ts.Node[]): string {
  return unescapeText(astToString([...nodes]));
}

/** Returns the declarations of `paths`, `webhooks`, `components`, `operations` and their helper types. */
function declareTypes(original: Document, codecs: readonly string[]): readonly ts.Node[] {
  const typed = escapeText(toTypedDocument(original, codecs));
  const { document, handlerOperations } = typed;
  walkTyped(typed, ({ kind, node, holder, key }) => {
    Object.assign(node, printableAnnotations(node));
    if (kind === 'schema') holder[key] = toPrintableSchema(document, node);
  });
  const { schemas = {} } = document.components ?? {};
  const aliases = aliasRecursive(schemas);
  const context = createContext(document, aliases);
  for (const [operationId, operation] of Object.entries(handlerOperations))
    injectOperationObject(operationId, operation as OperationObject, { ctx: context });
  // Skips openapiTS(), which would lint and bundle the document again.
  const nodes = transformSchema(document as object as OpenAPI3, context);
  const facts = factsOf(typed, codecs);
  return [
    ...nodes.map((node) => (nameOf(node) === 'WithRequired' ? NULLABLE_WITH_REQUIRED : withFacts(node, facts))),
    ...[...aliases].map(([name, alias]) =>
      factory.createTypeAliasDeclaration(undefined, alias, undefined, typeOf(schemas[name], context)),
    ),
  ];
}

/**
 * Converts annotations with bigints to text, since openapi-typescript prints them with `JSON.stringify`, which throws.
 */
function printableAnnotations(node: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const inexact = ['default', 'example', 'examples'].filter((keyword) => hasBigint(node[keyword]));
  return Object.fromEntries(inexact.map((keyword) => [keyword, stringifyJson(node[keyword])]));
}

/**
 * Returns openapi-typescript's context: the default settings except `emptyObjectsUnknown`, and a custom `transform`.
 */
function createContext(document: Document, aliases: ReadonlyMap<string, string>): GlobalContext {
  return {
    additionalProperties: false,
    alphabetize: false,
    arrayLength: false,
    conditionalEnums: false,
    dedupeEnums: false,
    defaultNonNullable: false, // Clients may omit properties with defaults.
    discriminators: { objects: {}, refsHandled: [] },
    emptyObjectsUnknown: true,
    enum: false,
    enumValues: false,
    excludeDeprecated: false,
    exportType: false,
    generatePathParams: false,
    immutable: false,
    injectFooter: [],
    makePathsEnum: false,
    pathParamsAsTypes: false,
    postTransform: (type) => withAliases(withoutUnknown(type), aliases),
    propertiesRequiredByDefault: false,
    readWriteMarkers: false,
    redoc: undefined as never, // Only openapiTS() reads it.
    resolve: (reference) => resolveRef(document, reference, { silent: true }),
    rootTypes: false,
    rootTypesKeepCasing: false,
    rootTypesNoSchemaPrefix: false,
    silent: true,
    transform,
    transformProperty: undefined,
  };
}

/**
 * Returns the type of a specially treated schema: int64, file, decoded string, list, empty object; else `undefined`.
 */
function transform(node: SchemaObject, options: TransformNodeOptions): ts.TypeNode | undefined {
  const schema = node as object as PrintableSchema; // openapi-typescript's type restricts keywords by schema type.
  const { $ref, type, format, properties = {}, additionalProperties } = schema;
  // openapi-typescript resolves only references between components.
  if ($ref !== undefined) return oapiRef($ref);
  if (type === NEVER.type) return NO_TYPE;
  if (type === PRESENT.type) return tsUnion([factory.createTypeLiteralNode([]), NULL]);
  if (type === INHERITED) return inheritedType(schema['name']);
  if (type === 'integer' && describesInt64(schema)) return int64Type(schema[INT64_VALUES]);
  if (type === 'string' && isDecoded(schema)) return factory.createTypeReferenceNode('Decoded', [tsLiteral(format)]);
  if (type === 'string' && format === 'binary') return factory.createTypeReferenceNode('Blob');
  if (type === 'array') return arrayType(schema, options);
  // openapi-typescript prints a type that allows every object.
  const isEmpty = additionalProperties === false && Object.keys(properties).length === 0;
  return type === 'object' && isEmpty ? factory.createTypeReferenceNode('Record', [STRING, NO_TYPE]) : undefined;
}

function inheritedType(name: unknown): ts.TypeNode {
  return factory.createIndexedAccessTypeNode(factory.createTypeReferenceNode('Object'), tsLiteral(name));
}

function int64Type(values: unknown): ts.TypeNode {
  if (!Array.isArray(values)) return BIGINT;
  return tsUnion(values.filter(isInteger).map((value) => bigintLiteral(BigInt(value))));
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isInteger(value);
}

function bigintLiteral(value: bigint): ts.TypeNode {
  const digits = factory.createBigIntLiteral(`${String(value < 0n ? -value : value)}n`);
  return factory.createLiteralTypeNode(
    value < 0n ? factory.createPrefixUnaryExpression(ts.SyntaxKind.MinusToken, digits) : digits,
  );
}

/** Returns a list type. openapi-typescript ignores `items` beside `prefixItems`, and flattens lists in `allOf`. */
function arrayType(
  { prefixItems, items = true, minItems = 0 }: PrintableSchema,
  options: TransformNodeOptions,
): ts.TypeNode {
  if (prefixItems === undefined) return factory.createArrayTypeNode(typeOf(items, options.ctx));
  const types = prefixItems.map((item, index) => {
    const type = typeOf(item, options.ctx);
    return index < minItems ? type : factory.createOptionalTypeNode(type);
  });
  if (items === false) return factory.createTupleTypeNode(types);
  const rest = factory.createRestTypeNode(factory.createArrayTypeNode(typeOf(items, options.ctx)));
  return factory.createTupleTypeNode([...types, rest]);
}

function typeOf(schema: unknown, context: GlobalContext): ts.TypeNode {
  return transformSchemaObject(schema as SchemaObject, { ctx: context }); // Booleans are schemas, too.
}

/**
 * Defines type aliases for recursive schemas. TypeScript rejects an interface property whose type refers to the
 * property itself, except inside an object type.
 *
 * @returns the aliases by schema name
 */
function aliasRecursive(schemas: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const references = new Map(Object.entries(schemas).map(([name, schema]) => [name, referencesOf(schema)]));
  const aliases = new Map<string, string>();
  for (const name of references.keys()) {
    if (!reaches(references, name)) continue;
    const taken = [...aliases.values()];
    aliases.set(
      name,
      unusedName(`Recursive${name.replaceAll(/\W/g, '_')}`, (alias) => taken.includes(alias)),
    );
  }
  return aliases;
}

/** Returns the names of the referenced schemas of a schema, except inside object types. */
function referencesOf(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { $ref, allOf = [], anyOf = [], oneOf = [], prefixItems = [], items } = node as PrintableSchema;
  const [, name] = /^#\/components\/schemas\/([^/]+)/.exec($ref ?? '') ?? [];
  return [
    ...(name === undefined ? [] : [name]),
    ...[...allOf, ...anyOf, ...oneOf, ...prefixItems, items].flatMap(referencesOf),
  ];
}

/** Returns whether a name reaches itself. */
function reaches(references: ReadonlyMap<string, readonly string[]>, name: string): boolean {
  const reached = new Set(references.get(name));
  // The loop also visits names that are added meanwhile.
  for (const next of reached) for (const reference of references.get(next) ?? []) reached.add(reference);
  return reached.has(name);
}

/** Replaces `components["schemas"]["Name"]` with the alias of the schema. */
function withAliases(type: ts.TypeNode, aliases: ReadonlyMap<string, string>): ts.TypeNode {
  if (!ts.isIndexedAccessTypeNode(type)) return type;
  const { objectType, indexType } = type;
  const isSchema = ts.isIndexedAccessTypeNode(objectType) && textOf(objectType.indexType) === 'schemas';
  const alias = isSchema ? aliases.get(textOf(indexType)) : undefined;
  if (alias !== undefined) return factory.createTypeReferenceNode(alias);
  return factory.createIndexedAccessTypeNode(withAliases(objectType, aliases), indexType);
}

/** Simplifies unions and intersections with `unknown`, the type of any schema without a type. */
function withoutUnknown(type: ts.TypeNode): ts.TypeNode {
  if (ts.isUnionTypeNode(type)) return type.types.find(isUnknown) ?? type;
  if (!ts.isIntersectionTypeNode(type)) return type;
  const types = type.types.map(withoutUnknown);
  const known = types.filter((part) => !isUnknown(part));
  return known.length === 0 ? (types[0] ?? type) : tsIntersection(known);
}

function isUnknown({ kind }: ts.TypeNode): boolean {
  return kind === ts.SyntaxKind.UnknownKeyword;
}

/**
 * Returns additional type members for each operation: whether credentials are required, and the media types of codecs.
 */
function factsOf({ document, handlerOperations }: TypedDocument, codecs: readonly string[]) {
  const listed = listOperations(document).map(({ object }) => [object.operationId, object] as const);
  return new Map(
    [...listed, ...Object.entries(handlerOperations)].map(([operationId, operation]) => {
      const { security = document.security ?? [], requestBody, responses = {} } = operation;
      const isProtected = security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0);
      const coded = [requestBody, ...Object.values(responses)]
        .flatMap((node) => Object.keys(dereference<{ content?: Content } | undefined>(document, node)?.content ?? {}))
        .filter((mediaType) => findCodec(unescapeText(mediaType), codecs) !== undefined);
      return [
        operationId,
        [
          ...(isProtected ? [property('security', tsLiteral('required'))] : []),
          ...(coded.length > 0 ? [property('codecs', tsUnion([...new Set(coded)].map(tsLiteral)))] : []),
        ],
      ];
    }),
  );
}

function property(name: string, type: ts.TypeNode): ts.TypeElement {
  return factory.createPropertySignature(undefined, name, undefined, type);
}

/** Adds members to the types of `operations`. */
function withFacts(node: ts.Node, facts: ReadonlyMap<string, readonly ts.TypeElement[]>): ts.Node {
  if (!ts.isInterfaceDeclaration(node) || nameOf(node) !== 'operations') return node;
  const operations = node.members.map((member) => {
    if (!ts.isPropertySignature(member) || !member.type || !ts.isTypeLiteralNode(member.type)) return member;
    const type = factory.createTypeLiteralNode([...(facts.get(textOf(member.name)) ?? []), ...member.type.members]);
    return factory.updatePropertySignature(member, undefined, member.name, undefined, type);
  });
  return factory.updateInterfaceDeclaration(node, node.modifiers, node.name, undefined, undefined, operations);
}

/** Returns the name of a declaration. */
function nameOf(node: ts.Node): string | undefined {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ? node.name.text : undefined;
}

function textOf(node: ts.Node): string {
  if (ts.isLiteralTypeNode(node)) return textOf(node.literal);
  return ts.isIdentifier(node) || ts.isStringLiteral(node) || ts.isNumericLiteral(node) ? node.text : '';
}

/** Copies a document without the marks of decoded strings. */
function withoutDecoding(original: Document): Document {
  const document = copyOf(original);
  walkDocument(document, ({ kind, node }) => {
    if (kind === 'schema') Reflect.deleteProperty(node, DECODED);
  });
  return document;
}

// openapi-typescript parses names as JSON pointers in URLs, where `#` and `%` are syntax. The replacements are private
// use characters.
const ESCAPES = [
  ['#', '\uE001'],
  ['%', '\uE002'],
] as const;

/** Copies a part of a document and replaces `#` and `%` in its names and texts. */
function escapeText<Node>(node: Node): Node {
  return copy(node) as Node; // The structure stays unchanged.
}

/** Restores `#` and `%` in printed TypeScript, where the replacements may be escape sequences. */
function unescapeText(source: string): string {
  return ESCAPES.reduce(
    (text, [character, escape]) => text.replaceAll(escape, character).replaceAll(toSequence(escape), character),
    source,
  );
}

function copy(node: unknown): unknown {
  if (typeof node === 'string') return escape(node);
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(copy);
  return Object.fromEntries(
    Object.entries(node).map(([name, member]) => [
      escape(name),
      name === '$ref' ? escapeReference(member) : copy(member),
    ]),
  );
}

/** Escapes the tokens of a local reference. Escapes other values as data. */
function escapeReference(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('#/')) return copy(value);
  return `#/${tokensOf(value)
    .map((token) => escapePointer(escape(token)))
    .join('/')}`;
}

function escape(text: string): string {
  if (!ESCAPES.some(([character]) => text.includes(character))) return text;
  return ESCAPES.reduce((escaped, [character, escape]) => escaped.replaceAll(character, escape), text);
}

function toSequence(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
