import {
  findResponseKey,
  InvalidRequest,
  isSequential,
  kindOf,
  NotImplemented,
  stringifyJson,
  type Operation,
} from '@contract-first/contract';
import type { AnyReply, ValidRequest } from '@contract-first/engine/tools';
import { dereference } from '@contract-first/documents';
import type { Json } from '../values/json-value.ts';
import { negotiate } from './negotiate.ts';
import { readPreferences } from './preferences.ts';
import { writeText } from './text-body.ts';
import type { Described, ResponseNode, Values, Wanted } from '../values/documented-values.ts';

type HeaderNode = Described & {
  readonly required?: boolean;
  readonly explode?: boolean;
  readonly content?: Readonly<Record<string, Described>>;
};

const MAX_CACHED = 1_000;

// The service itself sets these headers, or they describe the connection.
const RESERVED = /^(?:content-(?:type|length|encoding)|transfer-encoding|connection|keep-alive|upgrade|trailer|date)$/i;

/** Creates the handler of an operation, which responds as the document says, and the same to the same request. */
export function createMockHandler(values: Values, operation: Operation): (request: ValidRequest) => Promise<AnyReply> {
  const cache = new Map<string, Pick<AnyReply, 'headers' | 'body'>>();
  return ({ headers: sentHeaders, path, query, body: sentBody }) => {
    const { code, example, dynamic, accept, applied } = readPreferences(sentHeaders, query);
    const status = code === undefined ? usualStatus(operation) : Number(code);
    const key = /^[2-5]\d\d$/.test(String(status)) ? findResponseKey(operation, status) : undefined;
    if (key === undefined && code === undefined)
      throw new NotImplemented('a response without a status from 200 to 599');
    if (key === undefined)
      throw new InvalidRequest(`code=${String(code)} is not documented: send one of ${namesOf(operation.responses)}`);

    const response = values.responseOf(operation.operationId, key);
    const content = example === undefined ? response.content : withExample(response, example);
    const choice = negotiate(accept, Object.keys(content ?? {}));
    const request = dynamic === 'true' ? stringifyJson({ path, query, body: sentBody }) : '';
    const wanted = {
      key: JSON.stringify([operation.operationId, status, choice?.documented, request]),
      dynamic: dynamic === 'true',
    };
    const place = JSON.stringify([wanted, choice, example]);
    const made = cache.get(place) ?? {
      headers: headersOf(response, wanted),
      ...(choice && { body: bodyOf(content?.[choice.documented] ?? {}, choice.sent, wanted) }),
    };
    if (cache.size < MAX_CACHED) cache.set(place, made);
    const headers = { ...made.headers, ...(applied.length > 0 && { 'preference-applied': applied.join(', ') }) };
    return Promise.resolve({ status, ...made, headers, ...(choice && { contentType: choice.sent }) });
  };

  /** Reduces the content of a response to one of its named examples. */
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
        `example=${name} is no valid example of this response: send one of ${[...names].join(', ')}`,
      );
    return Object.fromEntries(found);
  }

  function bodyOf(described: Described, mediaType: string, wanted: Omit<Wanted, 'isText'>): unknown {
    if (kindOf(mediaType) === 'json' || isSequential(mediaType, described)) {
      // The engine takes null for no body.
      const value = values.valuesOf(described, { ...wanted, isText: false }).find((value) => value !== null);
      if (value === undefined) throw new NotImplemented('a value for the schema of this response');
      return value;
    }
    const texts = [described.example as Json | undefined, ...values.examplesOf(described).values()];
    const written = wanted.dynamic ? undefined : texts.find((value) => typeof value === 'string');
    const [value = ''] = written === undefined ? values.valuesOf(described, { ...wanted, isText: true }) : [written];
    const text = writeText(mediaType, value);
    // The engine validates strings only, and the schema may describe the parsed text.
    return values.allows(described.schema, text) ? text : Buffer.from(text);
  }

  function headersOf(
    { headers = {} }: ResponseNode,
    wanted: Omit<Wanted, 'isText'>,
  ): Readonly<Record<string, unknown>> {
    const entries = Object.entries(headers).filter(([name]) => !RESERVED.test(name));
    const made = entries.flatMap(([name, node]) => {
      const header = dereference(values.document, node) as HeaderNode;
      const described = Object.values(header.content ?? {})[0] ?? header;
      const candidates = values.valuesOf(described, { ...wanted, key: `${wanted.key} ${name}`, isText: true });
      const value = candidates.find(isVisible);
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(made);
  }
}

/** Returns the lowest documented 2xx; without one, 200 for `default`, else the first documented status. */
function usualStatus({ responses }: Operation): number {
  const statuses = Object.keys(responses).map((key) => Number(key.replace(/XX$/i, '00')));
  const successes = statuses.filter((status) => status >= 200 && status < 300);
  if (successes.length > 0) return Math.min(...successes);
  return 'default' in responses ? 200 : (statuses.find((status) => status >= 300) ?? 200);
}

/** Whether the value of a header consists of visible characters. */
function isVisible(value: Json): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(typeof value === 'string' ? value : stringifyJson(value));
}

function namesOf(record: object): string {
  return Object.keys(record).join(', ');
}
