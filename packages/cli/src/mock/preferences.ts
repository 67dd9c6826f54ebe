import type { Contract, Parameter } from '@contract-first/contract';

const NAMES = ['code', 'example', 'dynamic'] as const;

/** The response that a client asks for. */
type Preferences = {
  /** A status. */
  readonly code?: string;
  /** The name of an example. */
  readonly example?: string;
  /** `true` for a generated body in place of an example. */
  readonly dynamic?: string;
  /** The preferences of the Prefer header, for `Preference-Applied` (RFC 7240, 3). */
  readonly applied: readonly string[];
  readonly accept: string;
};

const text = (name: string, place: 'header' | 'query'): Parameter => {
  return { name, in: place, style: 'text', explode: false, type: { scalars: ['string'] } };
};
const PARAMETERS = [
  text('Accept', 'header'),
  text('Prefer', 'header'),
  ...NAMES.map((name) => text(`__${name}`, 'query')),
];

/** Adds the parameters of preferences to each operation, so that its handler gets them. */
export function withPreferences(contract: Contract): Contract {
  const isSame = (one: Parameter, other: Parameter): boolean =>
    one.in === other.in && one.name.toLowerCase() === other.name.toLowerCase();
  const operations = Object.values(contract.operations).map((operation) => {
    const added = PARAMETERS.filter((own) => !operation.parameters.some((documented) => isSame(own, documented)));
    return [operation.operationId, { ...operation, parameters: [...operation.parameters, ...added] }] as const;
  });
  return { ...contract, operations: Object.fromEntries(operations) };
}

/** Reads the preferences of a request: of its Prefer header (RFC 7240), else of query parameters such as `__code`. */
export function readPreferences(headers: object, query: object): Preferences {
  const prefer = headerOf(headers, 'prefer');
  const found: Partial<Record<string, string>> = {};
  const applied: string[] = [];
  for (const [, name = '', quoted, token = ''] of prefer.matchAll(PREFERENCE)) {
    const key = name.toLowerCase();
    if (found[key] !== undefined) continue; // The first one counts (RFC 7240, 2).
    found[key] = quoted?.replaceAll(/\\(.)/g, '$1') ?? token;
    applied.push(`${key}=${quoted === undefined ? token : `"${quoted}"`}`);
  }
  const inQuery = query as Readonly<Record<string, string | undefined>>;
  for (const name of NAMES) found[name] ??= inQuery[`__${name}`];
  return { ...found, applied, accept: headerOf(headers, 'accept') };
}

/** Returns whether a client asks for a response. */
export function hasPreferences({ headers, query }: { readonly headers: object; readonly query: object }): boolean {
  const preferences = readPreferences(headers, query);
  return NAMES.some((name) => preferences[name] !== undefined);
}

const PREFERENCE = /(?<=^|[\s,;])(code|example|dynamic)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]+))/gi;

/** Returns a header as text; the document may declare it with another type and in another case. */
function headerOf(headers: object, name: string): string {
  for (const other in headers)
    if (other.length === name.length && other.toLowerCase() === name) return String(headers[other as never]);
  return '';
}
