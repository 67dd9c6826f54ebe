import { stringifyJson } from '@contract-first/contract';
import type { SchemaDocument } from '../values/json-schema.ts';
import { isArray, isObject, type Json } from '../values/json-value.ts';
import { encodingOf } from '../operations/body-bytes.ts';
import type { CaseKind } from './case.ts';
import { withBody, type RequestInput, type WireRequest } from '../requests/wire-request.ts';

/** A valid request in an alternative spelling, which servers must treat like the usual spelling. */
export type Spelling = {
  readonly kind: Extract<CaseKind, 'positive' | 'undecided'>;
  readonly description: string;
  readonly request: WireRequest;
};

/** Returns the alternative spellings of a valid request in HTTP, JSON and JSON Schema. */
export function spellingsOf(
  { document }: SchemaDocument,
  { body }: RequestInput,
  request: WireRequest,
): readonly Spelling[] {
  const accepted = (description: string, spelled: WireRequest): Spelling => {
    return { kind: 'positive', description, request: spelled };
  };
  const spellings = [
    // Servers must accept the absolute form, although only proxy clients send it (RFC 9112, 3.2.2).
    accepted('the whole URL in the request line', { ...request, hasWholeUrl: true }),
    accepted('header names in lower case', {
      ...request,
      headers: request.headers.map(([name, value]) => [name.toLowerCase(), value]),
    }),
  ];
  if (body === undefined || request.body === undefined) return spellings;

  const [, sentType = ''] = request.headers.find(([name]) => name === 'Content-Type') ?? [];
  const { body: bytes } = request;
  const sentAs = (contentType: string): WireRequest => withBody(request, { contentType, bytes });
  spellings.push(
    accepted('a media type in upper case', sentAs(sentType.replace(/^[^;]*/, (type) => type.toUpperCase()))),
    accepted('a chunked body', { ...request, headers: [...request.headers, ['Transfer-Encoding', 'chunked']] }),
  );
  const encoding = encodingOf(body.content);
  if (['json', 'text', 'form'].includes(encoding ?? '') && !sentType.includes(';')) {
    spellings.push(
      accepted('a charset', sentAs(`${sentType}; charset=utf-8`)),
      accepted('a quoted charset in upper case', sentAs(`${sentType} ;charset="UTF-8"`)),
    );
  }
  if (encoding !== 'json') return spellings;

  const withText = (text: string): WireRequest =>
    withBody(request, { contentType: sentType, bytes: Buffer.from(text) });
  const spell = (spelling: Partial<JsonSpelling>): string => spellJson(body.value, { ...USUAL, ...spelling });
  spellings.push(
    accepted('white space around JSON tokens', withText(spell({ space: ' \t\r\n' }))),
    accepted('JSON strings of escapes', withText(spell({ text: escapeAll }))),
  );
  // OpenAPI 3.0 does not define whether 1.0 is an integer.
  const kind: Spelling['kind'] = document.openapi.startsWith('3.0') ? 'undecided' : 'positive';
  const integers = [
    ['integers with a fraction of zero', spell({ integer: (digits) => `${digits}.0` })],
    ['integers with an exponent', spell({ integer: (digits) => `${digits}e0` })],
  ] as const;
  const different = integers.filter(([, text]) => text !== spell({}));
  return [...spellings, ...different.map(([description, text]) => ({ kind, description, request: withText(text) }))];
}

type JsonSpelling = {
  readonly text: (text: string) => string;
  readonly integer: (digits: string) => string;
  /** The whitespace around each token. */
  readonly space: string;
};

const USUAL: JsonSpelling = { text: stringifyJson, integer: (digits) => digits, space: '' };

function spellJson(value: Json, spelling: JsonSpelling): string {
  const { text, integer, space } = spelling;
  const around = (token: string): string => space + token + space;
  const list = (open: string, members: readonly string[], close: string): string =>
    around(open) + members.join(around(',')) + around(close);
  if (isArray(value))
    return list(
      '[',
      value.map((item) => spellJson(item, spelling)),
      ']',
    );
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => text(name) + around(':') + spellJson(member, spelling),
    );
    return list('{', members, '}');
  }
  if (typeof value === 'string') return text(value);
  // Only safe integers, which no server rounds.
  return Number.isSafeInteger(Number(value)) && typeof value !== 'boolean' && value !== null
    ? integer(String(value))
    : stringifyJson(value);
}

function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}
