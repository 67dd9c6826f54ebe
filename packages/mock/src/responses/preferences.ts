import { InvalidRequest, type Contract, type Parameter, type RequestContext } from '@contract-first/contract';

/** The preferences that select a response which depends only on the document. */
const CHOICES = ['code', 'example', 'dynamic', 'size'] as const;
const NAMES = [...CHOICES, 'delay'] as const;
const MAX_DELAY_MS = 60_000;
/** The maximum requested size of a list. */
export const MAX_SIZE = 1_000;

/** The preferences of a request. */
type Preferences = {
  /** The status. */
  readonly code?: string;
  /** The name of an example. */
  readonly example?: string;
  /** `true` for a generated body instead of an example. */
  readonly dynamic?: string;
  /** The number of items in a generated list, which replaces an example. */
  readonly size?: number;
  /** The applied preferences of the Prefer header, for `Preference-Applied` (RFC 7240, 3). */
  readonly applied: readonly string[];
};

/** The range of the delay of a response, in milliseconds. */
export type Delay = { readonly least: number; readonly most: number };

/** The syntax of a delay, for messages. */
export const DELAY_FORM = `milliseconds up to ${String(MAX_DELAY_MS)}, such as 500, or a range such as 100-500`;

const PARAMETERS = NAMES.map((name): Parameter => {
  return { name: `__${name}`, in: 'query', style: 'text', explode: false, type: { scalars: ['string'] } };
});

/** The parts of a request with preferences. */
export type AskingRequest = Pick<RequestContext, 'rawHeaders'> & { readonly query: object };

/** Adds the query parameters of preferences to each operation, so that handlers receive them. */
export function withPreferences(contract: Contract): Contract {
  const operations = Object.values(contract.operations).map((operation) => {
    const documented = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const added = PARAMETERS.filter(({ name }) => !documented.includes(name));
    return [operation.operationId, { ...operation, parameters: [...operation.parameters, ...added] }] as const;
  });
  return { ...contract, operations: Object.fromEntries(operations) };
}

/**
 * Reads the preferences of a request from its Prefer header (RFC 7240), or else from query parameters such as `__code`.
 *
 * @throws {InvalidRequest} for an invalid size or delay
 */
export function readPreferences(request: AskingRequest): Preferences {
  const { texts, applied } = readTexts(request);
  const { size, delay, ...others } = texts;
  if (size !== undefined && !(/^\d+$/.test(size) && Number(size) <= MAX_SIZE))
    throw new InvalidRequest(`size=${size} must be an integer from 0 to ${String(MAX_SIZE)}`);
  if (delay !== undefined && readDelay(delay) === undefined)
    throw new InvalidRequest(`delay=${delay} must be ${DELAY_FORM}`);
  return {
    ...others,
    ...(size !== undefined && { size: Number(size) }),
    applied,
  };
}

/** Returns whether a client requests a response that depends only on the document. */
export function hasPreferences(request: AskingRequest): boolean {
  const { texts } = readTexts(request);
  return CHOICES.some((name) => texts[name] !== undefined);
}

/** Returns the requested delay of a client; `undefined` if absent or invalid. */
export function preferredDelay(request: AskingRequest): Delay | undefined {
  return readDelay(readTexts(request).texts.delay ?? '');
}

/** Parses {@link DELAY_FORM}; returns `undefined` for other texts. */
export function readDelay(value: string): Delay | undefined {
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(value) ?? [];
  const [least, most] = [Number(first), Number(last)];
  return least <= most && most <= MAX_DELAY_MS ? { least, most } : undefined;
}

type Texts = Partial<Record<(typeof NAMES)[number], string>>;

type Asked = { readonly texts: Texts; readonly applied: readonly string[] };

const NOTHING: Asked = { texts: {}, applied: [] };

function readTexts({ rawHeaders, query }: AskingRequest): Asked {
  const { prefer } = rawHeaders;
  if (prefer === undefined && PARAMETERS.every(({ name }) => !(name in query))) return NOTHING; // The common case.
  const texts: Texts = {};
  const applied: string[] = [];
  for (const [, given = '', quoted, token = ''] of String(prefer ?? '').matchAll(PREFERENCE)) {
    const name = NAMES.find((known) => known === given.toLowerCase());
    if (name === undefined || texts[name] !== undefined) continue; // The first occurrence counts (RFC 7240, 2).
    texts[name] = quoted?.replaceAll(/\\(.)/g, '$1') ?? token;
    applied.push(`${name}=${quoted === undefined ? token : `"${quoted}"`}`);
  }
  const inQuery = query as Readonly<Record<string, string | undefined>>;
  for (const name of NAMES) {
    const value = texts[name] ?? inQuery[`__${name}`];
    if (value !== undefined) texts[name] = value;
  }
  return { texts, applied };
}

const PREFERENCE = new RegExp(
  `(?<=^|[\\s,;])(${NAMES.join('|')})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,;"]+))`,
  'gi',
);
