import { matchMediaType, stringifyJson } from '@contract-first/contract';
import type { ApiOperation, BodyContent } from '../operations/api-operation.ts';
import { type BodyBytes, encodingOf, writeBody } from '../operations/body-bytes.ts';
import type { RequestInput } from '../requests/wire-request.ts';
import { isObject, type Json } from '../values/json-value.ts';
import type { CaseKind } from './case.ts';

const NOT_JSON = [
  ...['{', '[', '"', '{"extra":1,}', '[1,]', "{'extra':1}", '{extra:1}', '{"extra" 1}', 'tru', 'NaN', 'undefined'],
  ...['01', '+1', '.5', '1.', '0x10', '"\u0001"', '"\\x"', '//\n{}', ' ', '['.repeat(1_000)],
];
const NO_JSON = 'malformed JSON';
const NO_UTF_8 = 'malformed UTF-8';
const FORM = 'application/x-www-form-urlencoded';
const FORM_TYPES = [FORM, 'multipart/form-data'];
const OTHER_TYPES = [
  ...['text/plain', 'application/xml', 'application/octet-stream', 'application/json-seq', 'image/png'],
  ...['application/json', ...FORM_TYPES],
];

/** Derives malformed bodies, and bodies with unsupported media types, from a valid body. */
export function malformedBodies({ requestBody }: ApiOperation, { body }: RequestInput): readonly MalformedBody[] {
  if (requestBody === undefined || body === undefined) return [];
  const text = stringifyJson(body.value);
  const { contentType } = body.content;
  const writeAs = (mediaType: string): BodyBytes =>
    writeBody({ ...body.content, mediaType, contentType: mediaType }, body.value);
  const documented = requestBody.contents.map(({ mediaType }) => mediaType);
  const undocumented = OTHER_TYPES.filter((type) => matchMediaType(type, documented) === undefined);
  // Servers may treat a form without fields as a missing body.
  const hasFields = writeAs(FORM).bytes.length > 0;
  const mistyped = undocumented.flatMap((type): readonly MalformedBody[] => {
    if (FORM_TYPES.includes(type) && !hasFields) return [];
    const written = FORM_TYPES.includes(type) ? writeAs(type) : { contentType: type, bytes: Buffer.from(text) };
    return [{ kind: 'negative', fault: `sent as ${type}`, group: 'sent as another media type', ...written }];
  });
  if (encodingOf(body.content) !== 'json') {
    return [...mistyped, ...malformedForms(body.content, body.value, writeBody(body.content, body.value))];
  }

  const bodyOf =
    (kind: MalformedBody['kind'], group?: string) =>
    ([fault, bytes]: readonly [string, Buffer | string]): MalformedBody => ({
      kind,
      fault,
      contentType,
      ...(group !== undefined && { group }),
      bytes: Buffer.from(bytes),
    });
  const broken = [...NOT_JSON, `${text}}`, `${text} ${text}`].map((bad) => ['malformed JSON', bad] as const);
  return [
    ...mistyped,
    ...broken.map(bodyOf('negative', NO_JSON)),
    ...(requestBody.required ? [bodyOf('negative', 'without a body')(['an empty body', ''])] : []),
    ...brokenTexts(text).map(bodyOf('negative', NO_JSON)),
    ...undecidedTexts(text).map(bodyOf('undecided')),
    bodyOf('undecided', NO_UTF_8)(['UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')]), // Parsers may detect it.
    ...(isObject(body.value) ? brokenObjects(text).map(bodyOf('negative', NO_JSON)) : []),
    ...(isObject(body.value) ? brokenBytes(text).map(bodyOf('negative', NO_UTF_8)) : []),
  ];
}

/** Breaks a valid JSON text in ways that lenient parsers accept. */
function brokenTexts(text: string): readonly (readonly [string, string])[] {
  return [
    ['a comment after the JSON value', `${text}/* comment */`],
    ['a comment before the JSON value', `// comment\n${text}`],
    // Not for numbers, which may stay valid without the last digit.
    ...(/^[[{"]/.test(text) ? [['a truncated JSON text', text.slice(0, -1)] as const] : []),
    ['a comma after the JSON value', `${text},`],
    ['no-break space around the JSON value', `\u00a0${text}`],
    ['U+0000 after the JSON value', `${text}\0`],
  ];
}

/** Changes a JSON text in ways that parsers may accept: with a byte order mark (RFC 8259, 8.1), or a repeated member. */
function undecidedTexts(text: string): readonly (readonly [string, string])[] {
  const repeated: readonly [string, string][] = text.startsWith('{"')
    ? [['a repeated member', `${text.slice(0, -1)},${text.slice(1)}`]]
    : [];
  return [['a byte order mark', `\ufeff${text}`], ...repeated];
}

/** Adds a malformed member to the text of a JSON object. */
function brokenObjects(text: string): readonly (readonly [string, string])[] {
  const members = [
    ['a trailing comma', text === '{}' ? ',' : ''],
    ['two commas', ',"extra":1'],
    ['a missing comma', '"extra":1 "more":1'],
    ['single quotes', "'extra':1"],
    ['a name without quotes', 'extra:1'],
    ['a comment among the members', '/* comment */"extra":1'],
    ['an unescaped control character', '"extra":"\t"'],
    ['an unescaped line break', '"extra":"\n"'],
    ['an unknown escape', '"extra":"\\x41"'],
    ...['NaN', 'Infinity', '-Infinity', 'undefined', 'True', 'None', '01', '+1', '.5', '1.', '0x10', '1_000'].map(
      (value) => [`the value ${value}`, `"extra":${value}`] as const,
    ),
  ] as const;
  return members.map(([fault, member]) => [fault, `${startOf(text)}${member}}`]);
}

/** Adds a member with invalid UTF-8 to the text of a JSON object. */
function brokenBytes(text: string): readonly (readonly [string, Buffer])[] {
  // JSON is UTF-8 (RFC 8259, 8.1). 0xff is never valid, and C0 80 is an overlong encoding of U+0000.
  const bytes = [
    ['a byte that is not UTF-8', [0xff]],
    ['an overlong UTF-8 sequence', [0xc0, 0x80]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['a truncated UTF-8 sequence', [0xe2, 0x82]],
  ] as const;
  const start = Buffer.from(`${startOf(text)}"extra":"`);
  return bytes.map(([fault, invalid]) => [fault, Buffer.concat([start, Buffer.from(invalid), Buffer.from('"}')])]);
}

/** Returns the text of an object up to the position of an additional member. */
function startOf(text: string): string {
  return text === '{}' ? '{' : `${text.slice(0, -1)},`;
}

/** Breaks the bytes of a valid form or upload. Returns an empty list for other bodies. */
function malformedForms(
  content: BodyContent,
  value: Json,
  { contentType, bytes }: BodyBytes,
): readonly MalformedBody[] {
  const encoding = encodingOf(content);
  if (encoding !== 'form' && encoding !== 'multipart') return [];
  const broken = (kind: MalformedBody['kind'], fault: string, text: string, type = contentType): MalformedBody => {
    return { kind, fault, contentType: type, bytes: Buffer.from(text, 'latin1') };
  };
  const text = bytes.toString('latin1');
  if (encoding === 'form') {
    // Parsers may read a malformed sequence literally, and replace invalid UTF-8 with U+FFFD.
    return ['%', '%zz', '%ff', '%00', '&&', '=x', 'extra[a][b', '__proto__[x]=1'].map((end) =>
      broken('undecided', `a form with ${end}`, `${text}&extra=${end}`),
    );
  }
  if (!isObject(value) || Object.keys(value).length === 0) return [];
  const [, boundary = ''] = /boundary=(.+)$/.exec(contentType) ?? [];
  const [type = ''] = contentType.split(';', 1);
  const end = text.lastIndexOf(`--${boundary}--`);
  const withFiles = text.replaceAll(/(; name="[^"]*")(\r\n)/g, '$1; filename="a.bin"$2');
  const malformed = [
    broken('negative', 'an upload without a boundary', text, type),
    broken('negative', 'an upload with an unterminated part', text.slice(0, end)),
    broken('negative', 'an upload that ends in the head of a part', text.slice(0, text.indexOf('\r\n\r\n'))),
    // Parsers may accept the end of the last part, or find no parts.
    broken('undecided', 'an upload with a truncated last boundary', text.slice(0, end + boundary.length + 2)),
    broken('undecided', 'an upload with another boundary', text, `${type}; boundary=another`),
  ];
  return [
    ...malformed.map((body) => ({ ...body, group: 'a malformed upload' })),
    broken('undecided', 'an upload with a part without a name', text.replaceAll(/; name="[^"]*"/g, '')),
    broken('undecided', 'an upload with a part without a head', text.replaceAll(/Content-Disposition:[^\r]*\r\n/g, '')),
    // Parsers may read a file as text.
    ...(withFiles === text ? [] : [broken('undecided', 'an upload of files where text belongs', withFiles)]),
    broken('undecided', 'an upload with text where files belong', text.replaceAll(/; filename="[^"]*"/g, '')),
  ];
}

/** A malformed body. Every server must reject a `negative` body. */
export type MalformedBody = BodyBytes & {
  readonly kind: Extract<CaseKind, 'negative' | 'undecided'>;
  readonly fault: string;
  /** Describes all bodies with similar faults; by default, the fault. */
  readonly group?: string;
};
