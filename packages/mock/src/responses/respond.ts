import {
  concreteMediaType,
  essenceOf,
  findResponseKey,
  InvalidRequest,
  isMediaType,
  isSequential,
  kindOf,
  matchMediaType,
  type MediaTypeChoice,
  memoizeByObject,
  NotAcceptable,
  NotImplemented,
  type Operation,
  type RequestContext,
  stringifyJson,
} from '@contract-first/contract';
import { dereference } from '@contract-first/documents';
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
import { BoundedMap } from '../bounded-map.ts';
import { changeHeaders, headersOf } from './headers.ts';
import { readPreferences } from './preferences.ts';
import { sampleFile } from './sample-files.ts';
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

/** The parts of a request that select the media type of a response. */
export type NegotiableRequest = Pick<RequestContext, 'rawHeaders'> & {
  readonly accepts: (...mediaTypes: readonly string[]) => string;
};

/** Responds to a request with a documented response, deterministically. */
export type Respond = (request: ValidRequest & NegotiableRequest, change?: ResponseChange) => AnyReply;

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
    const { code, dynamic, size, applied, ...preferred } = readPreferences(sent);
    const { example = preferred.example } = change;
    const status = change.status ?? (code === undefined ? usualStatus(operation) : Number(code));
    const key = /^[2-5]\d\d$/.test(String(status)) ? findResponseKey(operation, status) : undefined;
    if (key === undefined && code === undefined)
      throw new NotImplemented('a response without a status from 200 to 599');
    if (key === undefined)
      throw new InvalidRequest(`code=${String(code)} is not documented: send one of ${namesOf(operation.responses)}`);

    const response = values.responseOf(operation.operationId, key);
    const content = example === undefined ? response.content : withExample(response, example);
    const choice = negotiate(sent, Object.keys(content ?? {}), status);
    const described = content?.[choice?.documented ?? ''] ?? {};
    const request = dynamic === 'true' ? stringifyJson({ path: sent.path, query: sent.query, body: sent.body }) : '';
    const isChanged = change.body !== undefined;
    const place = [status, choice?.documented, choice?.sent, size, isChanged, JSON.stringify(example), request].join(
      '\n',
    );
    const made = cache.get(place) ?? make();
    if (!cache.has(place)) cache.set(place, made);
    const value = choice && (change.body?.(made.value, described, choice.documented) ?? made.value);
    const headers = {
      ...(change.header === undefined
        ? made.headers
        : changeHeaders(values, response, made.headers ?? {}, change.header)),
      ...(applied.length > 0 && { 'preference-applied': applied.join(', ') }),
    };
    if (choice === undefined || value === undefined) return { status, headers };
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
    const file = hasExample(values, described) ? undefined : sampleFile(mediaType);
    if (file !== undefined && values.allows(described.schema, file.toString('latin1'))) return file;
    const text = writeText(mediaType, value);
    // A Buffer, since the engine would validate a string, but the schema may describe the parsed value.
    return values.allows(described.schema, text) ? text : Buffer.from(text);
  }
}

/** Returns whether the document has an example of a body or of its schema. */
export function hasExample({ document }: Values, described: Described): boolean {
  const schema = dereference(document, described.schema);
  return [described, schema].some((one) => {
    const { example, examples } = Object(one) as Described; // `true` for an absent schema.
    return example !== undefined || examples !== undefined;
  });
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

/**
 * Selects the media type of a response by the header Accept. For a documented range, the client may name the media type.
 *
 * @returns `undefined` if no media type is documented
 * @throws {NotAcceptable} if the client accepts no media type of a success, and the document has 406
 */
function negotiate(
  { rawHeaders, accepts }: NegotiableRequest,
  documented: readonly string[],
  status: number,
): MediaTypeChoice | undefined {
  const [first = ''] = documented;
  if (documented.length === 0) return undefined;
  if (documented.length === 1 && !first.includes('*')) return { documented: first, sent: concreteMediaType(first) };
  const named = String(rawHeaders['accept']).split(',').map(essenceOf).filter(isMediaType);
  const offers = documented.flatMap((mediaType) => [
    ...(mediaType.includes('*') ? named.filter((one) => matchMediaType(one, documented) === mediaType) : []),
    concreteMediaType(mediaType),
  ]);
  const sent = select();
  return { documented: matchMediaType(sent, documented) ?? first, sent };

  function select(): string {
    try {
      return accepts(...offers);
    } catch (error) {
      if (error instanceof NotAcceptable && status >= 400) return offers[0] ?? first;
      throw error;
    }
  }
}
