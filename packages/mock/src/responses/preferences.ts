import { InvalidRequest, type Contract, type Parameter, type RequestContext } from '@contract-first/contract';

/** Ask for a response that depends on the document only. */
const CHOICES = ['code', 'example', 'dynamic', 'size'] as const;
const NAMES = [...CHOICES, 'delay'] as const;
const MAX_DELAY_MS = 60_000;
/** The largest size of a list that may be asked for. */
export const MAX_SIZE = 1_000;

/** The response that a client asks for. */
type Preferences = {
  /** A status. */
  readonly code?: string;
  /** The name of an example. */
  readonly example?: string;
  /** `true` for a generated body in place of an example. */
  readonly dynamic?: string;
  /** The number of items of a generated list, which takes the place of an example. */
  readonly size?: number;
  /** The preferences of the Prefer header, for `Preference-Applied` (RFC 7240, 3). */
  readonly applied: readonly string[];
  readonly accept: string;
};

/** The time until a response, in milliseconds. */
export type Delay = { readonly least: number; readonly most: number };

/** Describes the text of a delay, for messages. */
export const DELAY_FORM = `milliseconds up to ${String(MAX_DELAY_MS)}, such as 500, or a range such as 100-500`;

const PARAMETERS = NAMES.map((name): Parameter => {
  return { name: `__${name}`, in: 'query', style: 'text', explode: false, type: { scalars: ['string'] } };
});

/** The parts of a request that preferences are read from. */
export type AskingRequest = Pick<RequestContext, 'rawHeaders'> & { readonly query: object };

/** Adds the query parameters of preferences to each operation, so that its handler gets them. */
export function withPreferences(contract: Contract): Contract {
  const operations = Object.values(contract.operations).map((operation) => {
    const documented = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const added = PARAMETERS.filter(({ name }) => !documented.includes(name));
    return [operation.operationId, { ...operation, parameters: [...operation.parameters, ...added] }] as const;
  });
  return { ...contract, operations: Object.fromEntries(operations) };
}

/**
 * Reads the preferences of a request: of its Prefer header (RFC 7240), else of query parameters such as `__code`.
 *
 * @throws {InvalidRequest} for a size or a delay that is none
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
    accept: String(request.rawHeaders['accept'] ?? ''),
  };
}

/** Returns whether a client asks for a response that depends on the document only. */
export function hasPreferences(request: AskingRequest): boolean {
  const { texts } = readTexts(request);
  return CHOICES.some((name) => texts[name] !== undefined);
}

/** Returns the delay that a client asks for; `undefined` for none, and for one that is not valid. */
export function preferredDelay(request: AskingRequest): Delay | undefined {
  return readDelay(readTexts(request).texts.delay ?? '');
}

/** Reads {@link DELAY_FORM}; returns `undefined` for other texts. */
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
  if (prefer === undefined && PARAMETERS.every(({ name }) => !(name in query))) return NOTHING; // As of most requests.
  const texts: Texts = {};
  const applied: string[] = [];
  for (const [, given = '', quoted, token = ''] of String(prefer ?? '').matchAll(PREFERENCE)) {
    const name = NAMES.find((known) => known === given.toLowerCase());
    if (name === undefined || texts[name] !== undefined) continue; // The first one counts (RFC 7240, 2).
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
