import { isLiteralKeyword } from './keywords.ts';
import { kindOf } from './media-type.ts';
import type { Operation } from './operation.ts';

type Node = Readonly<Record<string, unknown>>;

/** The parts of an OpenAPI document that this module looks at. */
export type ContractDocument = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths?: Readonly<Record<string, Node>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/**
 * A document of its own for one operation: that operation and only the schemas it reaches, so that a validator made from
 * it costs the same however many operations the contract has. It says the same in the plainest words:
 *
 * - everything but schemas is written out in place of a `$ref`;
 * - a parameter has a schema and no style, for its text has been read already; it may be empty;
 * - a request body has a media type of JSON ({@link sliceMediaType}), whatever it is sent as;
 * - a response has only its JSON and text bodies;
 * - there is no `discriminator`: it is a hint, and must not change what is valid.
 *
 * @returns a deep copy, free to be changed
 */
export function sliceDocument(document: ContractDocument, { path, method }: Operation): ContractDocument {
  const pathItem = document.paths?.[path] ?? {};
  const key = method.toLowerCase();
  const {
    parameters = [],
    requestBody,
    responses = {},
  } = inlined(pathItem[key]) as {
    parameters?: readonly unknown[];
    requestBody?: unknown;
    responses?: Node;
  };
  const shared = (pathItem['parameters'] ?? []) as readonly unknown[];
  const operation = {
    parameters: mergeParameters(shared.map(inlined), parameters.map(inlined)).map(plainParameter),
    ...(requestBody !== undefined && { requestBody: plainRequestBody(inlined(requestBody)) }),
    responses: mapValues(responses, (response) => plainResponse(inlined(response))),
  };

  const { openapi, info } = document;
  const reached = new Map<string, unknown>();
  reach(operation);
  const schemas = Object.fromEntries(reached);
  const slice = structuredClone({ openapi, info, paths: { [path]: { [key]: operation } }, components: { schemas } });
  removeDiscriminators(slice);
  return slice;

  function reach(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    const name = /^#\/components\/schemas\/([^/]+)/.exec(String((node as Node)['$ref']))?.[1];
    if (name !== undefined && !reached.has(name)) {
      const schema = document.components?.['schemas']?.[name];
      reached.set(name, schema);
      reach(schema);
    }
    Object.values(node).forEach(reach);
  }

  function inlined(node: unknown): Node {
    const reference = (node as Node)['$ref'];
    if (typeof reference !== 'string') return node as Node;
    const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? [];
    return inlined(document.components?.[kind]?.[name] ?? {});
  }
}

/** The name that a media type has in a slice: the validator has ways of its own with all but JSON. */
export function sliceMediaType(mediaType: string): string {
  return kindOf(mediaType) === 'json' ? mediaType : `application/x-${Buffer.from(mediaType).toString('hex')}+json`;
}

/**
 * A parameter of the operation replaces the one of its path that has the same name and place. Three headers are left to
 * HTTP (OpenAPI 3.1, 4.8.12.1).
 */
export function mergeParameters(shared: readonly Node[], own: readonly Node[]): readonly Node[] {
  const identity = ({ name, in: place }: Node): string => `${String(place)} ${String(name)}`;
  const merged = new Map([...shared, ...own].map((parameter) => [identity(parameter), parameter]));
  return [...merged].flatMap(([key, parameter]) => (IGNORED_PARAMETERS.test(key) ? [] : [parameter]));
}

/** Matches the parameters that OpenAPI ignores, written `header Accept` (OpenAPI 3.1, 4.8.12.2). */
export const IGNORED_PARAMETERS = /^header (?:accept|content-type|authorization)$/i;

function plainParameter({ name, in: place, required = false, schema, content }: Node): Node {
  const [mediaType] = Object.values((content ?? {}) as Readonly<Record<string, Node>>);
  const own = schema ?? mediaType?.['schema'] ?? {};
  return { name, in: place, required, schema: withSiblings(own), allowEmptyValue: true };
}

function plainRequestBody({ required = false, content }: Node): Node {
  const entries = Object.entries(content as Readonly<Record<string, Node>>).map(([mediaType, { schema = {} }]) => [
    sliceMediaType(mediaType),
    // Bytes are nothing that a schema could look into.
    { schema: kindOf(mediaType) === 'binary' ? {} : withSiblings(schema) },
  ]);
  return { required, content: Object.fromEntries(entries) as Node };
}

function plainResponse({ description, content = {} }: Node): Node {
  const json = Object.entries(content as Readonly<Record<string, Node>>)
    .filter(([mediaType]) => ['json', 'text'].includes(kindOf(mediaType)))
    .map(([mediaType, { schema = {} }]) => [sliceMediaType(mediaType), { schema: withSiblings(schema) }]);
  return { description, ...(json.length > 0 && { content: Object.fromEntries(json) as Node }) };
}

/** A schema in which nothing stands beside a `$ref`: at the top, the validator would see the `$ref` only. */
function withSiblings(schema: unknown): unknown {
  const { $ref, allOf = [], ...rest } = schema as Node;
  if ($ref === undefined || (Object.keys(rest).length === 0 && (allOf as unknown[]).length === 0)) return schema;
  return { ...rest, allOf: [...(allOf as readonly unknown[]), { $ref }] };
}

function removeDiscriminators(node: unknown, parentKey = ''): void {
  if (typeof node !== 'object' || node === null) return;
  const { discriminator } = node as { discriminator?: { propertyName?: unknown } };
  if (typeof discriminator?.propertyName === 'string') delete (node as Record<string, unknown>)['discriminator'];
  for (const [key, member] of Object.entries(node))
    if (!isLiteralKeyword(key, parentKey)) removeDiscriminators(member, key);
}

function mapValues(record: Node, map: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
