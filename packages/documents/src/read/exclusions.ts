import { escapePointer } from '@contract-first/contract';
import { type OpenApiDocument, dereference } from '../document/reference.ts';
import { type Kind, walkDocument } from '../document/walk.ts';
import type { Diagnostic } from './diagnostic.ts';

type Node = Readonly<Record<string, unknown>>;

/** The members of an object that exclude each other (OpenAPI 3.1 and 3.2), by kind. */
const EXCLUSIONS: Readonly<Partial<Record<Kind | 'example' | 'xml', readonly (readonly [string, string])[]>>> = {
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
 * Finds mistakes in an OpenAPI document that the linter accepts: members that exclude each other, and members that are not
 * allowed where they are. Finds none in OpenAPI 3.0, whose schema allows them.
 */
export function findExclusions(document: OpenApiDocument): readonly Diagnostic[] {
  const version = document.openapi.slice(0, 3);
  const reserved = RESERVED[version];
  if (reserved === undefined) return [];
  const found: Diagnostic[] = [];
  findInServers(document, '#');
  const { examples } = Object(document['components']) as Node;
  findInExamples(examples, '#/components');
  walkDocument(document, ({ kind, node, pointer, key }) => {
    if (Object.hasOwn(node, '$ref') && kind !== 'schema') return;
    findPairs(kind, node, pointer);
    if (kind === 'schema') findPairs('xml', node['xml'], `${pointer}/xml`);
    else if (kind !== 'components') findInExamples(node['examples'], pointer);
    if (kind === 'pathItem' || kind === 'operation') {
      findInServers(node, pointer);
      findQueryStrings(node, pointer);
    }
    if (kind === 'header') findInHeader(node, pointer, key);
    if (kind === 'parameter') findInParameter(node, pointer);
  });
  return found;

  function report(pointer: string, message: string): void {
    found.push({ pointer, message });
  }

  function findPairs(kind: keyof typeof EXCLUSIONS, value: unknown, pointer: string): void {
    const node = Object(value) as Node;
    for (const [one, other] of EXCLUSIONS[kind] ?? [])
      if (Object.hasOwn(node, one) && Object.hasOwn(node, other))
        report(pointer, `${one} and ${other} exclude each other`);
  }

  function findInExamples(examples: unknown, pointer: string): void {
    for (const [name, example] of Object.entries(Object(examples) as Node))
      findPairs('example', example, `${pointer}/examples/${escapePointer(name)}`);
  }

  function findInServers({ servers }: Node, pointer: string): void {
    for (const [index, server] of Object.entries(Object(servers) as Node)) {
      const { variables } = Object(server) as Node;
      for (const [name, variable] of Object.entries(Object(variables) as Node)) {
        const { enum: values } = Object(variable) as Node;
        const place = `${pointer}/servers/${index}/variables/${escapePointer(name)}/enum`;
        if (Array.isArray(values) && values.length === 0) report(place, 'enum needs a value');
      }
    }
  }

  function findInHeader(node: Node, pointer: string, name: string): void {
    if (Object.hasOwn(node, 'allowReserved')) report(pointer, 'allowReserved is not allowed in a header');
    if (version !== '3.1') findInName(name, pointer);
  }

  function findInParameter({ in: place, name, ...node }: Node, pointer: string): void {
    if (Object.hasOwn(node, 'allowReserved') && !reserved?.includes(place))
      report(pointer, `allowReserved is not allowed in a ${String(place)} parameter`);
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
