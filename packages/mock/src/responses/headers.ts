import { findResponseKey, stringifyJson, type Contract, type SecurityScheme } from '@contract-first/contract';
import type { FailureHeaders } from '@contract-first/engine/tools';
import { dereference, resolveReference } from '@contract-first/documents';
import type { Described, Json, ResponseNode, Values, Wanted } from '@contract-first/model/values';

type HeaderNode = Described & {
  readonly required?: boolean;
  readonly explode?: boolean;
  readonly content?: Readonly<Record<string, Described>>;
};

// Headers that the service sets itself or that describe the connection.
export const RESERVED =
  /^(?:content-(?:type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|trailer|date)$/i;

/** Returns the headers of a documented response, from examples and generated values. */
export function headersOf(
  values: Values,
  { headers = {} }: ResponseNode,
  wanted: Omit<Wanted, 'isText'>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(headers).filter(([name]) => !RESERVED.test(name));
  const made = entries.flatMap(([name, node]) => {
    const described = describedHeader(values, node);
    const candidates = values.valuesOf(described, { ...wanted, key: `${wanted.key} ${name}`, isText: true });
    const value = candidates.find(isVisible);
    if (value === undefined) return [];
    return [[name, /^set-cookie$/i.test(name) ? asCookie(values, described, value) : value] as const];
  });
  return Object.fromEntries(made);
}

/** Returns a generated value as the cookie of the first cookie scheme. An example is already a cookie. */
function asCookie({ document, allows }: Values, { schema }: Described, value: Json): Json {
  if (typeof value !== 'string' || value.includes('=')) return value;
  const schemes: unknown = resolveReference(document, '#/components/securitySchemes');
  const { name = 'session' } =
    Object.values(Object(schemes) as Readonly<Record<string, unknown>>) // Validated document.
      .map((scheme) => dereference(document, scheme) as Partial<SecurityScheme>)
      .find((scheme) => scheme.in === 'cookie') ?? {};
  const cookie = `${name}=${encodeURIComponent(value)}; Path=/`;
  return allows(schema, cookie) ? cookie : value;
}

/** Creates a function that returns the documented headers of engine failures. */
export function createFailureHeaders({ operations }: Contract, values: Values): FailureHeaders {
  return ({ operationId = '', status }) => {
    const operation = operations[operationId];
    const key = operation && findResponseKey(operation, status);
    if (key === undefined) return {};
    return headersOf(values, values.responseOf(operationId, key), { key: `${operationId} ${key}`, dynamic: false });
  };
}

/**
 * Changes the values of some headers.
 *
 * @param change returns possible values of a header, the best first; an empty list omits an optional header
 */
export function changeHeaders(
  values: Values,
  { headers = {} }: ResponseNode,
  made: Readonly<Record<string, unknown>>,
  change: (name: string, generated: unknown) => readonly Json[] | undefined,
): Readonly<Record<string, unknown>> {
  const changed = Object.entries(headers).map(([name, node]) => {
    const candidates = change(name, made[name]);
    const { required } = dereference(values.document, node) as HeaderNode; // Validated document.
    const isValid = (value: Json): boolean => values.allows(describedHeader(values, node).schema, value);
    if (candidates === undefined) return [name, made[name]] as const;
    const isOmitted = candidates.length === 0 && required !== true;
    return [name, candidates.find(isValid) ?? (isOmitted ? undefined : made[name])] as const;
  });
  return Object.fromEntries(changed.filter(([, value]) => value !== undefined));
}

function describedHeader({ document }: Values, node: unknown): Described {
  const header = dereference(document, node) as HeaderNode; // Validated document.
  return Object.values(header.content ?? {})[0] ?? header;
}

/** Returns whether a header value consists of visible characters. */
export function isVisible(value: Json): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(typeof value === 'string' ? value : stringifyJson(value));
}
