import { kindOf, matchMediaType, sequenceKindOf, stringifyJson, type BodyKind } from '@contract-first/contract';
import type { BodyContent } from './api-operation.ts';
import { isArray, isObject, type Json } from '../values/json-value.ts';

/** An encoded request body with its Content-Type. */
export type BodyBytes = { readonly contentType: string; readonly bytes: Buffer };

/** Returns the encoding of a media type; `undefined` if valid bodies cannot be generated. */
export function encodingOf({ mediaType, isStructured }: BodyContent): BodyKind | undefined {
  const kind = kindOf(mediaType);
  const [name = '', parameters = 'utf-8'] = mediaType.split(';', 2);
  if (isStructured || sequenceKindOf(mediaType) !== undefined) return undefined;
  if (kind !== 'multipart' && /^(?:text|application)\/xml$|\+xml$|^multipart\//.test(name.trim())) return undefined;
  return kind === 'text' && !/utf-8/i.test(parameters) ? undefined : kind;
}

/** Encodes a value as a request body. */
export function writeBody(content: BodyContent, value: Json): BodyBytes {
  const { contentType } = content;
  switch (encodingOf(content)) {
    case 'form':
      return {
        contentType,
        bytes: Buffer.from(
          new URLSearchParams(
            fieldsOf(value).map(([name, item]): [string, string] => [name, scalarText(item)]),
          ).toString(),
        ),
      };
    case 'multipart':
      return writeMultipart(contentType, content, value);
    case 'text':
      return { contentType, bytes: Buffer.from(scalarText(value)) };
    case 'binary':
      return { contentType, bytes: Buffer.from(scalarText(value), 'latin1') };
    case 'json':
    case undefined:
      return { contentType, bytes: Buffer.from(stringifyJson(value)) };
  }
}

/** Copies a value without the members that a form cannot represent: nulls and empty lists. */
export function omitNonFormMembers(value: Json): Json {
  if (!isObject(value)) return value;
  const hasText = (member: Json): boolean =>
    member !== null && !(isArray(member) && (member.length === 0 || member.includes(null)));
  return Object.fromEntries(Object.entries(value).filter(([, member]) => hasText(member)));
}

// No generated name or text contains this many hyphens.
const BOUNDARY = '----------------------------contract-check';

function writeMultipart(contentType: string, content: BodyContent, value: Json): BodyBytes {
  const parts = fieldsOf(value).map(([name, item]) => {
    const { contentType: type, isFile = false } = content.parts.get(name) ?? {};
    const text = kindOf(type ?? '') === 'json' ? stringifyJson(item) : scalarText(item);
    const file = isFile ? '; filename="file.bin"' : '';
    const head = [`--${BOUNDARY}`, `Content-Disposition: form-data; name="${name}"${file}`];
    return [...head, ...(type === undefined ? [] : [`Content-Type: ${type}`]), '', text, ''].join('\r\n');
  });
  const bytes = Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
  return { contentType: `${contentType}; boundary=${BOUNDARY}`, bytes };
}

/**
 * Returns a media type for which servers select a media range. Returns media types unchanged.
 *
 * @param documented all media types of the body, which may include parts of the range
 */
export function sentMediaType(mediaType: string, documented: readonly string[]): string {
  if (!mediaType.includes('*')) return mediaType;
  const usual = mediaType
    .replace('*/*', 'application/octet-stream')
    .replace('/*+', '/vnd.example+')
    .replace('/*', '/plain');
  // The type `example` is registered for examples (RFC 4735).
  const unusual = mediaType.replace('*/', 'example/').replace('/*', '/vnd.example');
  const isSelected = (sent: string): boolean => matchMediaType(sent, documented) === mediaType;
  return [usual, unusual].find(isSelected) ?? usual;
}

/** Returns the fields of a form. An array becomes repeated fields. */
function fieldsOf(value: Json): [string, Json][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    (isArray(member) ? member : [member]).map((item): [string, Json] => [name, item]),
  );
}

function scalarText(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
