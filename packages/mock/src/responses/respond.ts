import {
  concreteMediaType,
  essenceOf,
  findResponseKey,
  InvalidRequest,
  isSequential,
  kindOf,
  matchMediaType,
  type MediaTypeChoice,
  memoizeByObject,
  NotImplemented,
  type Operation,
  stringifyJson,
} from '@contract-first/contract';
import type { AnyReply, ValidRequest } from '@contract-first/engine/tools';
import {
  type Described,
  type Json,
  type ResponseNode,
  sizeOf,
  sizeOfText,
  type TooLarge,
  type Values,
  type Wanted,
} from '@contract-first/model/values';
import { BoundedMap } from '../memory/bounded-map.ts';
import { changeHeaders, headersOf } from './headers.ts';
import { type AskingRequest, readPreferences } from './preferences.ts';
import { writeText } from './text-body.ts';

const MAX_CACHED = 1_000;
const MAX_CACHED_SIZE = 500_000;

/** Changes of a generated response. */
export type ResponseChange = {
  readonly status?: number;
  /** The name of an example. */
  readonly example?: string;
  /** Returns the body that replaces a generated body. */
  readonly body?: (generated: Json, described: Described, mediaType: string) => Json;
  /**
   * Returns possible values of a documented header, the best first; the first valid value is sent. An empty list omits
   * an optional header; `undefined` keeps the generated value.
   */
  readonly header?: (name: string, generated: unknown) => readonly Json[] | undefined;
};

/** Responds to a request with a documented response, deterministically. */
export type Respond = (request: ValidRequest & AskingRequest, change?: ResponseChange) => AnyReply;

/**
 * Creates the response function of an operation.
 *
 * @param usualSize the default number of items in generated lists
 */
export function createRespond(values: Values, operation: Operation, usualSize?: number): Respond {
  type Made = { readonly headers: AnyReply['headers']; readonly value: Json };
  const sizeOfMade = (key: string, { value }: Made): number => sizeOfText(key.length) + sizeOf(value);
  const cache = new BoundedMap(MAX_CACHED, sizeOfMade, MAX_CACHED_SIZE);
  return (sent, change = {}) => {
    const { code, dynamic, size, accept, applied, ...preferred } = readPreferences(sent);
    const { example = preferred.example } = change;
    const status = change.status ?? (code === undefined ? usualStatus(operation) : Number(code));
    const key = /^[2-5]\d\d$/.test(String(status)) ? findResponseKey(operation, status) : undefined;
    if (key === undefined && code === undefined)
      throw new NotImplemented('a response without a status from 200 to 599');
    if (key === undefined)
      throw new InvalidRequest(`code=${String(code)} is not documented: send one of ${namesOf(operation.responses)}`);

    const response = values.responseOf(operation.operationId, key);
    const content = example === undefined ? response.content : withExample(response, example);
    const choice = negotiate(accept, Object.keys(content ?? {}));
    const described = content?.[choice?.documented ?? ''] ?? {};
    const request = dynamic === 'true' ? stringifyJson({ path: sent.path, query: sent.query, body: sent.body }) : '';
    const isChanged = change.body !== undefined;
    const place = [status, choice?.documented, choice?.sent, size, isChanged, JSON.stringify(example), request].join(
      '\n',
    );
    const made = cache.get(place) ?? make();
    if (!cache.has(place)) cache.set(place, made);
    const headers = {
      ...(change.header === undefined
        ? made.headers
        : changeHeaders(values, response, made.headers ?? {}, change.header)),
      ...(applied.length > 0 && { 'preference-applied': applied.join(', ') }),
    };
    if (choice === undefined) return { status, headers };
    const value = change.body?.(made.value, described, choice.documented) ?? made.value;
    return { status, headers, body: write(described, choice.sent, value), contentType: choice.sent };

    function make() {
      const wanted = {
        key: JSON.stringify([operation.operationId, status, choice?.documented, request]),
        dynamic: dynamic === 'true',
        listSize: size ?? usualSize,
      };
      const ofBody = { ...wanted, dynamic: wanted.dynamic || size !== undefined };
      const value = choice === undefined ? null : valueOf(described, choice.sent, ofBody, !isChanged);
      return { headers: headersOf(values, response, wanted), value };
    }
  };

  /** Reduces the content of a response to one named example. */
  function withExample({ content = {} }: ResponseNode, name: string): ResponseNode['content'] {
    const valid = Object.entries(content).map(([mediaType, described]) => {
      const isValid = (value: Json): boolean => kindOf(mediaType) !== 'json' || values.allows(described.schema, value);
      return [mediaType, described, [...values.examplesOf(described)].filter(([, value]) => isValid(value))] as const;
    });
    const found = valid.flatMap(([mediaType, { schema = true }, examples]) =>
      examples.filter(([other]) => other === name).map(([, example]) => [mediaType, { schema, example }] as const),
    );
    const names = new Set(valid.flatMap(([, , examples]) => examples.map(([other]) => other)));
    if (found.length === 0)
      throw new InvalidRequest(
        `example=${name} is not a valid example of this response: ` +
          (names.size === 0 ? 'it has none' : `send one of ${[...names].join(', ')}`),
      );
    return Object.fromEntries(found);
  }

  /** @param mayBeText whether a string example of a non-JSON media type may be used as the serialized body */
  function valueOf(described: Described, mediaType: string, wanted: Omit<Wanted, 'isText'>, mayBeText: boolean): Json {
    let tooLarge: TooLarge | undefined;
    if (isValue(described, mediaType)) {
      // The engine treats null as a missing body.
      return generate(false).find((value) => value !== null) ?? refuse();
    }
    const texts = [described.example as Json | undefined, ...values.examplesOf(described).values()];
    const written = wanted.dynamic || !mayBeText ? undefined : texts.find((value) => typeof value === 'string');
    const [value] = written === undefined ? generate(true) : [written];
    if (value === undefined && tooLarge !== undefined) refuse();
    return value ?? '';

    function generate(isText: boolean): ReturnType<Values['valuesOf']> {
      return values.valuesOf(described, { ...wanted, isText, onTooLarge: (failure) => (tooLarge = failure) });
    }

    function refuse(): never {
      const reason = tooLarge === undefined ? '' : ` (${tooLarge.message})`;
      throw new NotImplemented(`a value for the schema of this response${reason}`);
    }
  }

  function write(described: Described, mediaType: string, value: Json): unknown {
    if (isValue(described, mediaType)) return value;
    const text = writeText(mediaType, value);
    // A Buffer, since the engine would validate a string, but the schema may describe the parsed value.
    return values.allows(described.schema, text) ? text : Buffer.from(text);
  }
}

/** Returns whether the engine serializes the value of a body. */
function isValue(described: Described, mediaType: string): boolean {
  return kindOf(mediaType) === 'json' || isSequential(mediaType, described);
}

/** Returns the lowest documented 2xx, or else 200 for `default`, or else the first documented status. */
export const usualStatus = ({ responses }: Operation): number => usualStatusOf(responses);

const usualStatusOf = memoizeByObject((responses: Operation['responses']): number => {
  const statuses = Object.keys(responses).map((key) => Number(key.replace(/XX$/i, '00')));
  const successes = statuses.filter((status) => status >= 200 && status < 300);
  if (successes.length > 0) return Math.min(...successes);
  return 'default' in responses ? 200 : (statuses.find((status) => status >= 300) ?? 200);
});

function namesOf(record: object): string {
  return Object.keys(record).join(', ');
}

const MAX_CHOICES = 1_000;
// Cached, since most clients send the same Accept header with each request.
const choices = new Map<string, MediaTypeChoice | undefined>();

/**
 * Negotiates the media type of a response by the Accept header (RFC 9110, 12.5.1).
 *
 * @returns the first documented media type if none is acceptable; `undefined` if none is documented
 */
function negotiate(accept: string, documented: readonly string[]): MediaTypeChoice | undefined {
  const key = [accept, ...documented].join('\n');
  if (choices.has(key)) return choices.get(key);
  if (choices.size >= MAX_CHOICES) choices.clear();
  const choice = choose(accept, documented);
  choices.set(key, choice);
  return choice;
}

function choose(accept: string, documented: readonly string[]): MediaTypeChoice | undefined {
  const ranges = accept.split(',').map(readRange);
  const offers = documented.map((mediaType) => {
    const matching = ranges.filter(({ essence, range }) =>
      mediaType.includes('*')
        ? overlap(essence, essenceOf(mediaType))
        : matchMediaType(mediaType, [range]) !== undefined,
    );
    const [range] = matching.toSorted((a, b) => specificityOf(b.essence) - specificityOf(a.essence));
    const isChosenByClient = mediaType.includes('*') && range !== undefined && !range.essence.includes('*');
    const sent = isChosenByClient ? range.essence : concreteMediaType(mediaType);
    return { documented: mediaType, sent, quality: range?.quality ?? 0 };
  });
  // Only the most specific documented media type or range applies.
  const usable = offers.filter(({ documented: mediaType, sent }) => matchMediaType(sent, documented) === mediaType);
  return usable.toSorted((a, b) => b.quality - a.quality)[0];
}

type AcceptedRange = { readonly essence: string; readonly range: string; readonly quality: number };

function readRange(text: string): AcceptedRange {
  const [weighted = '', weight = '1'] = /;\s*q\s*=\s*([\d.]+)/i.exec(text) ?? [];
  const range = text.replace(weighted, '').trim() || '*/*';
  return { essence: essenceOf(range), range, quality: Number(weight) };
}

/** Returns whether two media ranges have a media type in common. */
function overlap(one: string, other: string): boolean {
  const [type = '', subtype = ''] = one.split('/');
  const [otherType = '', otherSubtype = ''] = other.split('/');
  const fits = (a: string, b: string): boolean => a === b || a === '*' || b === '*';
  return fits(type, otherType) && fits(subtype, otherSubtype);
}

function specificityOf(essence: string): number {
  return essence === '*/*' ? 0 : essence.endsWith('/*') ? 1 : 2;
}
