import type { JsonTree } from '../contract/json.ts';
import { matchMediaType } from '../contract/media-type.ts';
import { findSizeProblem, type RequestMediaType, type TextType } from '../contract/operation.ts';
import { createSourceDigits, type SourceDigits } from '../contract/source-digits.ts';
import { Failure } from './failure.ts';
import { readParts } from './multipart.ts';
import { decodePercent, parsePairs, type Pair } from './name-value-pairs.ts';
import { ANY_TEXT, decodeUtf8, memberType, setOwn, setValue } from './text-value.ts';

/** The fields of a form as values. Files are separate, since the validator cannot check them. */
type FormTree = JsonTree & { readonly files: ReadonlyMap<string, readonly File[]> };

const NO_FIELDS: TextType = { scalars: [] };

/**
 * Parses a body of type `application/x-www-form-urlencoded`.
 *
 * @throws {Failure} 400 when a field does not match its documented type
 */
export function readUrlEncodedForm(text: string, { form = NO_FIELDS }: RequestMediaType): FormTree {
  const digits = createSourceDigits();
  const fields = readFields(parsePairs(text, '&'), form, 'body', digits);
  return { root: { '': fields }, files: new Map(), sourceDigits: digits.get };
}

/**
 * Converts name-value pairs to the fields of a form.
 *
 * @param subject names the form in messages
 * @param digits receives the digits of numbers
 * @throws {Failure} 400 when a field does not match its documented type
 */
export function readFields(pairs: readonly Pair[], type: TextType, subject: string, digits: SourceDigits): object {
  const entries = pairs.map(({ name, value }) => [name, decodePercent(value)] as const);
  return buildForm(entries, type, subject, digits).fields;
}

/**
 * Parses a body of type `multipart/form-data`.
 *
 * @param contentType includes the boundary
 * @throws {Failure} 400 when it is not well-formed, or a field does not match its documented type or media type
 */
export async function readMultipartForm(
  bytes: Buffer,
  contentType: string,
  { form: fieldType = NO_FIELDS, partTypes = {} }: RequestMediaType,
): Promise<FormTree> {
  const parts = await readParts(bytes, contentType);
  const entries = parts.map(({ name, filename, contentType: type, bytes: content }) => {
    const allowed = Object.hasOwn(partTypes, name) ? partTypes[name] : undefined;
    if (allowed !== undefined && matchMediaType(type, allowed) === undefined)
      throw new Failure(400, `body/${name} must have the Content-Type ${allowed.join(' or ')}, not ${type}`);
    const member = memberType(fieldType, name);
    // Browsers send JSON as a file.
    if (filename === undefined || (member.items ?? member).json === true) return [name, decodeUtf8(content)] as const;
    return [name, new File([new Uint8Array(content)], filename, { type })] as const;
  });
  const digits = createSourceDigits();
  const { fields, files } = buildForm(entries, fieldType, 'body', digits);
  return { root: { '': fields }, files, sourceDigits: digits.get };
}

function buildForm(
  entries: readonly (readonly [string, string | File])[],
  type: TextType,
  subject: string,
  digits: SourceDigits,
): { readonly fields: object; readonly files: FormTree['files'] } {
  const fields = {};
  const files = new Map<string, readonly File[]>();

  for (const [name, group] of Map.groupBy(entries, ([fieldName]) => fieldName)) {
    const values = group.map(([, value]) => value);
    const texts = values.filter((value) => typeof value === 'string');
    const uploads = values.filter((value) => typeof value !== 'string');
    const member = memberType(type, name);
    const isFile = (member.items ?? member).file === true;
    if (isFile && texts.length > 0) throw new Failure(400, `${subject}/${name} must be a file`);
    if (member !== ANY_TEXT && !isFile && uploads.length > 0) throw new Failure(400, `${subject}/${name} must be text`);
    if (member.items === undefined && texts.length + uploads.length > 1)
      throw new Failure(400, `${subject}/${name} must not be repeated`);
    for (const { size } of uploads) {
      const problem = findSizeProblem(size, (member.items ?? member).bytes);
      if (problem !== undefined) throw new Failure(400, `${subject}/${name} ${problem}`);
    }
    if (uploads.length > 0) {
      files.set(name, uploads);
      setOwn(fields, name, member.items === undefined ? '' : uploads.map(() => ''));
    } else if (member.items !== undefined) {
      const list: unknown[] = [];
      setOwn(fields, name, list);
      const { items } = member;
      texts.forEach((text, index) => {
        setField(list, String(index), text, items, `${name}/${String(index)}`);
      });
    } else setField(fields, name, texts[0] ?? '', member, name);
  }
  return { fields, files };

  function setField(holder: object, key: string, text: string, member: TextType, location: string): void {
    const problem = setValue(holder, key, text, member, digits);
    if (problem !== undefined) throw new Failure(400, `${subject}/${location} ${problem}`);
  }
}
