import { stringifyJson } from '../../src/engine/contract/json.ts';
import { kindOf, separatorOf, type BodyKind } from '../../src/engine/contract/media-type.ts';
import type { BodyContent } from './api-operation.ts';
import { isArray, isObject, type Json } from '../values/json-value.ts';

/** An encoded request body with its Content-Type. */
export type BodyBytes = { readonly contentType: string; readonly bytes: Buffer };

/** Returns how values of a media type are encoded; `undefined` when valid bodies cannot be generated for it. */
export function encodingOf({ mediaType }: BodyContent): BodyKind | undefined {
  const kind = kindOf(mediaType);
  const [name = '', parameters = 'utf-8'] = mediaType.split(';', 2);
  if (separatorOf(mediaType) !== undefined) return undefined;
  if (kind !== 'multipart' && /^(?:text|application)\/xml$|\+xml$|^multipart\//.test(name.trim())) return undefined;
  return kind === 'text' && !parameters.includes('utf-8') ? undefined : kind;
}

/** Encodes a value as a request body of a media type, by its {@link encodingOf}. */
export function writeBody(content: BodyContent, value: Json): BodyBytes {
  const contentType = content.mediaType.replace('*/*', 'application/octet-stream').replace('/*', '/plain');
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
export function withoutTextless(value: Json): Json {
  if (!isObject(value)) return value;
  const hasText = (member: Json): boolean =>
    member !== null && !(isArray(member) && (member.length === 0 || member.includes(null)));
  return Object.fromEntries(Object.entries(value).filter(([, member]) => hasText(member)));
}

// No generated name or text contains this many hyphens.
const BOUNDARY = '----------------------------contract-check';

function writeMultipart(contentType: string, content: BodyContent, value: Json): BodyBytes {
  const properties = typeof content.schema === 'object' ? content.schema['properties'] : undefined;
  const parts = fieldsOf(value).map(([name, item]) => {
    const schema = (properties as Readonly<Record<string, Json>> | undefined)?.[name] ?? {};
    const property = isObject(schema) && isObject(schema['items'] ?? null) ? schema['items'] : schema;
    const type = partType(content.partTypes[name]) ?? fileTypeOf(property ?? null);
    const isJson = content.partTypes[name] !== undefined && kindOf(type ?? '') === 'json';
    const text = isJson ? stringifyJson(item) : scalarText(item);
    const file = fileTypeOf(property ?? null) === undefined ? '' : '; filename="file.bin"';
    const head = [`--${BOUNDARY}`, `Content-Disposition: form-data; name="${name}"${file}`];
    return [...head, ...(type === undefined ? [] : [`Content-Type: ${type}`]), '', text, ''].join('\r\n');
  });
  const bytes = Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
  return { contentType: `${contentType}; boundary=${BOUNDARY}`, bytes };
}

/** Returns the first media type of a list. */
function partType(list: string | undefined): string | undefined {
  return list?.split(',')[0]?.trim().replace('*/*', 'application/octet-stream').replace('/*', '/plain');
}

function fileTypeOf(schema: Json): string | undefined {
  if (!isObject(schema)) return undefined;
  const { format, contentMediaType } = schema;
  if (typeof contentMediaType === 'string') return contentMediaType;
  return format === 'binary' ? 'application/octet-stream' : undefined;
}

/** Returns the fields of a form; an array becomes several fields of the same name. */
function fieldsOf(value: Json): [string, Json][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    (isArray(member) ? member : [member]).map((item): [string, Json] => [name, item]),
  );
}

function scalarText(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
