import { stringifyJson } from '../../src/engine/contract/json.ts';
import { matchMediaType } from '../../src/engine/contract/media-type.ts';
import type { ApiOperation } from './api-operation.ts';
import { encodingOf, type BodyBytes } from './body-bytes.ts';
import { isObject } from '../values/json-value.ts';
import type { RequestInput } from './wire-request.ts';

/** A body that every server must reject, with its fault. */
export type MalformedBody = BodyBytes & { readonly fault: string };

const NOT_JSON = [
  ...['{', '[', '"', '{"extra":1,}', '[1,]', "{'extra':1}", '{extra:1}', '{"extra" 1}', 'tru', 'NaN', 'undefined'],
  ...['01', '+1', '.5', '1.', '0x10', '"\u0001"', '"\\x"', '//\n{}', ' ', '['.repeat(1_000)],
];
const OTHER_TYPES = ['text/plain', 'application/xml', 'application/octet-stream', 'application/json-seq', 'image/png'];

/** Derives bodies from a valid one that cannot be parsed, or have a media type that the operation does not accept. */
export function malformedBodies({ requestBody }: ApiOperation, { body }: RequestInput): readonly MalformedBody[] {
  if (requestBody === undefined || body === undefined) return [];
  const text = stringifyJson(body.value);
  const contentType = body.content.mediaType;
  const documented = requestBody.contents.map(({ mediaType }) => mediaType);
  const undocumented = OTHER_TYPES.filter((type) => matchMediaType(type, documented) === undefined);
  const mistyped = undocumented.map((type): MalformedBody => ({
    fault: `sent as ${type}`,
    contentType: type,
    bytes: Buffer.from(text),
  }));
  if (encodingOf(body.content) !== 'json') return mistyped;

  const broken = [...NOT_JSON, `${text}}`, `${text} ${text}`].map((bad): MalformedBody => {
    return { fault: 'malformed JSON', contentType, bytes: Buffer.from(bad) };
  });
  const empty = { fault: 'an empty body', contentType, bytes: Buffer.alloc(0) };
  return [
    ...mistyped,
    ...broken,
    ...(requestBody.required ? [empty] : []),
    // JSON is UTF-8 (RFC 8259, 8.1), which never contains 0xff.
    ...(isObject(body.value) ? [{ fault: 'a byte that is not UTF-8', contentType, bytes: withBadByte(text) }] : []),
  ];
}

function withBadByte(text: string): Buffer {
  const start = text === '{}' ? '{' : `${text.slice(0, -1)},`;
  return Buffer.concat([Buffer.from(`${start}"extra":"`), Buffer.from([0xff]), Buffer.from('"}')]);
}
