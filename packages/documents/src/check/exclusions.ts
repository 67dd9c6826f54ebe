import { type OpenApiDocument, dereference } from '../document/reference.ts';
import type { Kind } from '../document/objects.ts';
import { walkDocument } from '../document/walk.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

type Node = Readonly<Record<string, unknown>>;

/** The members of an object that exclude each other (OpenAPI 3.1 and 3.2), by kind. */
const EXCLUSIONS: Readonly<Partial<Record<Kind, readonly (readonly [string, string])[]>>> = {
  parameter: [
    ['example', 'examples'],
    ...['style', 'explode', 'allowReserved'].map((name) => ['content', name] as const),
  ],
  header: [['example', 'examples']],
  mediaType: [
    ['example', 'examples'],
    ['encoding', 'prefixEncoding'],
    ['encoding', 'itemEncoding'],
  ],
  encoding: [
    ['encoding', 'prefixEncoding'],
    ['encoding', 'itemEncoding'],
  ],
  example: [
    ['value', 'externalValue'],
    ['value', 'dataValue'],
    ['value', 'serializedValue'],
    ['externalValue', 'serializedValue'],
  ],
  xml: [
    ['nodeType', 'attribute'],
    ['nodeType', 'wrapped'],
  ],
};
/** The places of parameters that may have `allowReserved`, by version. */
const RESERVED: Readonly<Record<string, readonly unknown[]>> = {
  '3.1': ['query'],
  '3.2': ['query', 'querystring', 'path', 'cookie'],
};
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Finds members that exclude each other, and members that are not allowed beside the values of others. Finds none in OpenAPI 3.0, whose schema allows them.
 */
export function findExclusions(document: OpenApiDocument): readonly Diagnostic[] {
  const version = document.openapi.slice(0, 3);
  const reserved = RESERVED[version];
  if (reserved === undefined) return [];
  const found: Diagnostic[] = [];
  walkDocument(document, ({ kind, node, pointer, key }) => {
    if (Object.hasOwn(node, '$ref') && kind !== 'schema') return;
    findPairs(kind, node, pointer);
    if (kind === 'pathItem' || kind === 'operation') findQueryStrings(node, pointer);
    if (kind === 'serverVariable') findInVariable(node, pointer);
    if (kind === 'header') findInHeader(node, pointer, key);
    if (kind === 'parameter') findInParameter(node, pointer);
  });
  return found;

  function report(pointer: string, message: string): void {
    found.push({ pointer, message });
  }

  function findPairs(kind: Kind, node: Node, pointer: string): void {
    for (const [one, other] of EXCLUSIONS[kind] ?? [])
      if (Object.hasOwn(node, one) && Object.hasOwn(node, other))
        report(pointer, `${one} and ${other} exclude each other`);
  }

  function findInVariable({ enum: values }: Node, pointer: string): void {
    if (Array.isArray(values) && values.length === 0) report(`${pointer}/enum`, 'enum needs a value');
  }

  function findInHeader(node: Node, pointer: string, name: string): void {
    if (Object.hasOwn(node, 'allowReserved')) report(pointer, 'allowReserved is not allowed in a header');
    if (version !== '3.1') findInName(name, pointer);
  }

  function findInParameter({ in: place, name, style, ...node }: Node, pointer: string): void {
    const isUnescaped = place === 'cookie' && style === 'cookie';
    if (Object.hasOwn(node, 'allowReserved') && (!reserved?.includes(place) || isUnescaped))
      report(
        pointer,
        `allowReserved is not allowed in a ${String(place)} parameter${isUnescaped ? ' with the style cookie' : ''}`,
      );
    if (place === 'querystring' && Object.hasOwn(node, 'schema'))
      report(pointer, 'a parameter in querystring needs content, not a schema');
    if (version === '3.1') return;
    if (place === 'header') findInName(name, pointer);
    if (place === 'path' && /[{}]/.test(String(name))) report(pointer, 'the name of a path parameter has no braces');
  }

  function findInName(name: unknown, pointer: string): void {
    if (!TOKEN.test(String(name))) report(pointer, `${JSON.stringify(name)} cannot be the name of a header`);
  }

  function findQueryStrings({ parameters }: Node, pointer: string): void {
    const places = Object.values(Object(parameters) as Node).map(
      (parameter) => (Object(dereference(document, parameter)) as Node)['in'],
    );
    const queries = places.filter((place) => place === 'query' || place === 'querystring');
    if (queries.length > 1 && queries.includes('querystring'))
      report(`${pointer}/parameters`, 'a parameter in querystring must be the only one in the query');
  }
}
