import {
  astToString,
  resolveRef,
  stringToAST,
  transformSchema,
  transformSchemaObject,
  type GlobalContext,
  type OpenAPI3,
  type SchemaObject,
  type TransformNodeOptions,
} from 'openapi-typescript';
import ts from 'typescript';
import { escapePrototypeNames, unmark, type Document } from '@contract-first/documents';
import { withRecursiveAliases } from './recursive-types.ts';
import { HASH_PLACEHOLDER, toTypedDocument } from './typed-document.ts';

const { factory } = ts;
const NEVER = factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword);
const UNKNOWN = factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword);
const STRING = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
const BIGINT = factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const NULL = factory.createLiteralTypeNode(factory.createNull());
const BLOB = factory.createTypeReferenceNode('Blob');
// That of openapi-typescript rejects types that may be null.
const WITH_REQUIRED =
  'type WithRequired<T, K extends PropertyKey> = T extends object ? T & { [P in K & keyof T]-?: T[P] } : T;';

/** The keywords of a schema that decide about types that openapi-typescript has not. */
type Keywords = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly properties?: object;
  readonly patternProperties?: object;
  readonly additionalProperties?: unknown;
  readonly prefixItems?: readonly SchemaObject[];
  readonly items?: SchemaObject | boolean;
  readonly minItems?: number;
  /** Of OpenAPI 3.0. */
  readonly nullable?: boolean;
};

/**
 * Renders the types of a document. `operations` has the requests as handlers receive them, `paths` as clients send them,
 * and both have the same responses.
 */
export function renderTypes(original: Document): string {
  const document = escapePrototypeNames(toTypedDocument(original)) as OpenAPI3;
  // The default function of openapi-typescript would lint the document again; the other options are off.
  const nodes = transformSchema(document, {
    defaultNonNullable: false,
    discriminators: { objects: {}, refsHandled: [] },
    emptyObjectsUnknown: true,
    injectFooter: [],
    resolve: (reference) => resolveRef(document, reference, { silent: true }),
    silent: true,
    transform,
  } as Partial<GlobalContext> as GlobalContext);
  const text = astToString([...withRecursiveAliases(nodes.map(withoutHandlerPaths).map(withNullable))]);
  return unmark(text).replaceAll(HASH_PLACEHOLDER, '#').replaceAll('\\uE001', '#');
}

/** Returns the type of a schema; `undefined` where that of openapi-typescript is right. */
function transform(schema: SchemaObject, options: TransformNodeOptions): ts.TypeNode | undefined {
  const keywords = schema as Keywords;
  const { type, format, contentMediaType, readOnly, writeOnly, nullable, prefixItems } = keywords;
  const types = [type ?? [], nullable === true ? 'null' : []].flat();
  const orNull = (node: ts.TypeNode) => (types.includes('null') ? factory.createUnionTypeNode([node, NULL]) : node);
  // A directed schema has these marks only where no value is valid.
  if (readOnly === true || writeOnly === true) return NEVER;
  // TypeScript rejects a recursive union as a part of an intersection.
  if (type === 'null') return NULL;
  if (format === 'int64' && types.includes('integer')) return orNull(BIGINT);
  if (format === 'binary' && types.includes('string')) return orNull(BLOB);
  if (contentMediaType !== undefined && type === undefined) return BLOB;
  if (type === 'object' && isClosed(keywords)) return factory.createTypeReferenceNode('Record', [STRING, NEVER]);
  if (type !== 'array' || prefixItems === undefined) return undefined;

  const members = prefixItems.map((item, index) => {
    const member = transformSchemaObject(item, options);
    return index < (keywords.minItems ?? 0) ? member : factory.createOptionalTypeNode(member);
  });
  const { items = true } = keywords;
  if (items === false) return factory.createTupleTypeNode(members);
  const rest = items === true ? UNKNOWN : transformSchemaObject(items, options);
  return factory.createTupleTypeNode([...members, factory.createRestTypeNode(factory.createArrayTypeNode(rest))]);
}

/** Whether an object has no properties, neither named nor others. */
function isClosed({ properties = {}, patternProperties, additionalProperties }: Keywords): boolean {
  return additionalProperties === false && patternProperties === undefined && Object.keys(properties).length === 0;
}

/** Replaces the helper type of openapi-typescript that makes properties required. */
function withNullable(node: ts.Node): ts.Node {
  const isHelper = ts.isTypeAliasDeclaration(node) && node.name.text === 'WithRequired';
  return isHelper ? (stringToAST(WITH_REQUIRED)[0] as ts.Node) : node; // It is one statement.
}

/** Removes the paths that only hold operations as handlers see them; the operations themselves are apart. */
function withoutHandlerPaths(node: ts.Node): ts.Node {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'paths') return node;
  const members = node.members.filter(
    ({ name }) => name !== undefined && ts.isStringLiteral(name) && name.text.startsWith('/'),
  );
  return factory.updateInterfaceDeclaration(node, node.modifiers, node.name, undefined, undefined, members);
}
