import openapiTS, { astToString, type OpenAPI3, type OpenAPITSOptions } from 'openapi-typescript';
import { createRequire } from 'node:module';
import ts from 'typescript';
import { isItemList, kindOf, separatorOf } from '../../src/engine/contract/media-type.ts';
import { listOperations, type Content, type Document } from '../openapi/document.ts';
import { markInheritedNames, unmark } from '../openapi/inherited-names.ts';
import { walkDocument } from '../openapi/walk.ts';

/** The keywords of a schema that decide how strings are typed. */
type StringKeywords = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly contentEncoding?: string;
  /** Of OpenAPI 3.0. */
  readonly nullable?: boolean;
};

// openapi-typescript has its own version of the linter, and needs a configuration of that version.
const requireOfTypes = createRequire(createRequire(import.meta.url).resolve('openapi-typescript'));
const { createConfig } = requireOfTypes('@redocly/openapi-core') as {
  readonly createConfig: (config: object) => Promise<NonNullable<OpenAPITSOptions['redocly']>>;
};

/** Renders the TypeScript types of a document: its schemas, and each operation by its operationId. */
export async function renderTypes(document: Document): Promise<string> {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const blob = ts.factory.createTypeReferenceNode('Blob');
  const nullable = ts.factory.createLiteralTypeNode(ts.factory.createNull());
  const nodes = await openapiTS(markInheritedNames(toTypedDocument(document)) as OpenAPI3, {
    silent: true,
    redocly: await createConfig({}), // Without rules: the document has been linted already.
    transform(schema) {
      const { type, format, contentMediaType, contentEncoding, nullable: isNullable } = schema as StringKeywords;
      const types = [type, isNullable === true ? 'null' : []].flat();
      const isInt64 = format === 'int64' && types.includes('integer');
      const isBinary = format === 'binary' && types.includes('string');
      const isBytes = contentMediaType !== undefined && contentEncoding === undefined && type === undefined;
      if (!isInt64 && !isBinary && !isBytes) return undefined;
      const node = isInt64 ? bigint : blob;
      return types.includes('null') ? ts.factory.createUnionTypeNode([node, nullable]) : node;
    },
  });
  return unmark(astToString(nodes.map(withoutPathItems)));
}

/** Removes the path items of `components`: the operations have types of their own. */
function withoutPathItems(node: ts.Node): ts.Node {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'components') return node;
  const members = node.members.filter(({ name }) => !(name && ts.isIdentifier(name) && name.text === 'pathItems'));
  return ts.factory.updateInterfaceDeclaration(node, node.modifiers, node.name, undefined, undefined, members);
}

/**
 * Copies a document as openapi-typescript needs it, in version 3.1:
 *
 * - without extensions, where it would resolve every `$ref`;
 * - with the schema of parameters in place of `content`, which it types as a string. Only JSON and a form that is the whole
 *   query are parsed, the latter like a parameter in the query;
 * - without schemas of sequences that are not parsed to a list;
 * - without discriminators that have a default: other values are allowed, too;
 * - with operations of other methods in the path items of `components`.
 */
function toTypedDocument(original: Document): Document {
  const document = structuredClone(original);
  walkDocument(document, ({ kind, node, holder, key }) => {
    for (const name of Object.keys(node)) if (name.startsWith('x-')) Reflect.deleteProperty(node, name);
    const { content, ...rest } = node;
    if (kind === 'mediaType' && separatorOf(key) !== undefined && !isItemList(key, node)) holder[key] = {};
    if (kind === 'schema' && Object.hasOwn(Object(node['discriminator']) as object, 'defaultMapping'))
      Reflect.deleteProperty(node, 'discriminator');
    if (kind !== 'parameter' || content === undefined) return;
    const [[mediaType, { schema }] = ['', {}]] = Object.entries(content as Content); // The linter has checked this shape.
    const isWhole = rest['in'] === 'querystring';
    const isParsed = kindOf(mediaType) === 'json' || (isWhole && kindOf(mediaType) === 'form');
    holder[key] = { ...rest, ...(isWhole && { in: 'query' }), schema: isParsed ? schema : { type: 'string' } };
  });
  const others = listOperations(document).filter(({ method }) => !TYPED_METHODS.includes(method));
  const pathItems = others.map(({ path, method, pathItem: { parameters = [] }, object }) => [
    `${method} ${path}`,
    { parameters, post: object },
  ]);
  if (pathItems.length === 0 && !document.openapi.startsWith('3.2.')) return document;
  const components = { ...document.components, pathItems: Object.fromEntries(pathItems) as unknown };
  return { ...document, openapi: '3.1.0', components };
}

const TYPED_METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];
