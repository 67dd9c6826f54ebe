import type { BodyContent } from '../operations/api-operation.ts';
import { encodingOf, type BodyBytes } from '../operations/body-bytes.ts';
import type { MalformedBody } from './malformed-body.ts';
import { isObject, type Json } from '../values/json-value.ts';

/** Breaks the bytes of a valid form or upload; returns nothing for other bodies. */
export function malformedForms(
  content: BodyContent,
  value: Json,
  { contentType, bytes }: BodyBytes,
): readonly MalformedBody[] {
  const encoding = encodingOf(content);
  if (encoding !== 'form' && encoding !== 'multipart') return [];
  const broken = (kind: MalformedBody['kind'], fault: string, text: string, type = contentType): MalformedBody => {
    const group = kind === 'negative' ? 'a malformed upload' : fault;
    return { kind, fault, group, contentType: type, bytes: Buffer.from(text, 'latin1') };
  };
  const text = bytes.toString('latin1');
  if (encoding === 'form') {
    // Parsers may read a broken sequence as text, and U+FFFD in place of bytes that are not UTF-8.
    return ['%', '%zz', '%ff', '%00', '&&', '=x', 'extra[a][b', '__proto__[x]=1'].map((end) =>
      broken('undecided', `a form with ${end}`, `${text}&extra=${end}`),
    );
  }
  if (!isObject(value) || Object.keys(value).length === 0) return [];
  const [, boundary = ''] = /boundary=(.+)$/.exec(contentType) ?? [];
  const [type = ''] = contentType.split(';', 1);
  const end = text.lastIndexOf(`--${boundary}--`);
  const withFiles = text.replaceAll(/(; name="[^"]*")(\r\n)/g, '$1; filename="a.bin"$2');
  return [
    broken('negative', 'an upload without a boundary', text, type),
    broken('negative', 'an upload with an unterminated part', text.slice(0, end)),
    broken('negative', 'an upload that ends in the head of a part', text.slice(0, text.indexOf('\r\n\r\n'))),
    // Parsers may end the last part here, find no part, or take a file for text.
    broken('undecided', 'an upload without its last line break', text.slice(0, end + boundary.length + 2)),
    broken('undecided', 'an upload with another boundary', text, `${type}; boundary=another`),
    broken('undecided', 'an upload with a part without a name', text.replaceAll(/; name="[^"]*"/g, '')),
    broken('undecided', 'an upload with a part without a head', text.replaceAll(/Content-Disposition:[^\r]*\r\n/g, '')),
    ...(withFiles === text ? [] : [broken('undecided', 'an upload of files where text belongs', withFiles)]),
    broken('undecided', 'an upload with text where files belong', text.replaceAll(/; filename="[^"]*"/g, '')),
  ];
}
