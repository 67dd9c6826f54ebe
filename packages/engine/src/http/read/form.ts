import {
  createViolation,
  findExcess,
  findSizeProblem,
  isMediaType,
  matchMediaType,
  MAX_VIOLATIONS,
  placeOf,
  SourceDigits,
  type JsonTree,
  type Violation,
  type RequestMediaType,
  type TextType,
} from '@contract-first/contract';
import type { ByteBuffer } from './bytes.ts';
import { Failure, malformedFailure } from '../failure.ts';
import { readParts, type Part } from './multipart.ts';
import { decodePercent, parsePairs, type NameValuePair } from './name-value-pairs.ts';
import { ANY_TEXT, decodeUtf8, isLoneScalar, memberType, setOwn, setValue } from './text-value.ts';
import type { Upload } from './upload.ts';

/** The fields of a form as a value tree. Files are separate, since the validator cannot check them. */
type FormTree = JsonTree & Pick<Form, 'files' | 'violations'>;

/** The valid fields of a form. */
type Form = {
  readonly fields: object;
  readonly files: ReadonlyMap<string, readonly File[]>;
  /** Fields that do not match their documented types, up to ten. */
  readonly violations: readonly Violation[];
};

const NO_FIELDS: TextType = { scalars: [] };

/**
 * Parses a body of type `application/x-www-form-urlencoded`.
 *
 * @throws {Failure} 400 when its percent-encoding is malformed
 */
export function readUrlEncodedForm(text: string, { form = NO_FIELDS }: RequestMediaType): FormTree {
  const digits = new SourceDigits();
  const { fields, files, violations } = readFields(parsePairs(text), form, 'body', digits);
  return { root: { '': fields }, files, violations, sourceDigits: digits };
}

/**
 * Converts name-value pairs to the fields of a form.
 *
 * @param subject names the form in messages
 * @param digits receives the digits of numbers
 * @throws {Failure} 400 when the percent-encoding of a value is malformed
 */
export function readFields(
  pairs: readonly NameValuePair[],
  type: TextType,
  subject: string,
  digits: SourceDigits,
): Form {
  const entries = pairs.map(({ name, value }) => [name, decodePercent(value)] as const);
  return buildForm(entries, type, subject, digits);
}

/** Stores for the parts of a form. */
type PartStores = {
  /** The text of all fields. */
  readonly fields: ByteBuffer;
  /** The bytes of all files. */
  readonly files: Upload;
};

/** A part whose content is in a store. */
type StoredPart = {
  readonly part: Part;
  readonly isFile: boolean;
  readonly type: TextType;
  /** The offsets of the content in the store. */
  readonly start: number;
  end: number;
};

/**
 * Parses a body of type `multipart/form-data` while it arrives.
 *
 * @param contentType includes the boundary
 * @throws {Failure} 400 when the body is malformed, a part does not have its documented media type, or a file is too
 *   large; 413 when the fields are too large
 * @throws the errors of the stores
 */
export async function readMultipartForm(
  chunks: AsyncIterable<Buffer>,
  contentType: string,
  { form: fieldType = NO_FIELDS, partTypes = {} }: RequestMediaType,
  stores: PartStores,
): Promise<FormTree> {
  const parts: StoredPart[] = [];
  for await (const { part, bytes } of readParts(chunks, contentType)) {
    let stored = parts.at(-1);
    if (stored?.part !== part) {
      assertPartType(part, partTypes);
      stored = storePart(part, memberType(fieldType, part.name), stores);
      parts.push(stored);
    }
    await append(stored, bytes, stores);
  }
  const files = await stores.files.toBlob();
  const text = stores.fields.bytes;
  const entries = parts.map(({ part: { name, filename = '', contentType: type }, isFile, start, end }) => {
    if (!isFile) return [name, decodeUtf8(text.subarray(start, end))] as const;
    return [name, new File([files.slice(start, end)], filename, { type })] as const;
  });
  const digits = new SourceDigits();
  const form = buildForm(entries, fieldType, 'body', digits);
  return { root: { '': form.fields }, files: form.files, violations: form.violations, sourceDigits: digits };
}

/** @throws {Failure} 400 when the Content-Type of a part is malformed or not the documented one */
function assertPartType({ name, contentType }: Part, partTypes: NonNullable<RequestMediaType['partTypes']>): void {
  const allowed = Object.hasOwn(partTypes, name) ? partTypes[name] : undefined;
  if (allowed === undefined ? isMediaType(contentType) : matchMediaType(contentType, allowed) !== undefined) return;
  const wanted =
    allowed === undefined ? 'a media type as its Content-Type' : `the Content-Type ${allowed.join(' or ')}`;
  throw malformedFailure(placeOf('body', name), `must have ${wanted}, not ${contentType}`, `body/${name}`);
}

function storePart(part: Part, member: TextType, { fields, files }: PartStores): StoredPart {
  const type = member.items ?? member;
  // The schema takes precedence over the filename: files may lack it, and browsers send JSON with one. Objects are
  // JSON.
  const isJson = type.json === true || (type.properties ?? type.items) !== undefined;
  const isFile = type.file === true || (part.filename !== undefined && !isJson);
  const start = isFile ? files.sizeBytes : fields.bytes.length;
  return { part, isFile, type, start, end: start };
}

/** Appends bytes to a part. Rejects a file that is too large while it arrives. */
async function append(stored: StoredPart, bytes: Buffer, { fields, files }: PartStores): Promise<void> {
  stored.end += bytes.length;
  if (!stored.isFile) {
    if (fields.append(bytes).length === 0) return;
    throw new Failure(413, `the fields of the form must not be larger than ${String(fields.limitBytes)} bytes`);
  }
  const { name } = stored.part;
  const problem = findExcess(stored.end - stored.start, stored.type.bytes);
  if (problem !== undefined) throw malformedFailure(placeOf('body', name), problem, `body/${name}`);
  await files.append(bytes);
}

function buildForm(
  entries: readonly (readonly [string, string | File])[],
  type: TextType,
  subject: string,
  digits: SourceDigits,
): Form {
  const violations: Violation[] = [];
  const fields = {};
  const files = new Map<string, readonly File[]>();

  for (const [name, group] of Map.groupBy(entries, ([fieldName]) => fieldName)) {
    const values = group.map(([, value]) => value);
    const texts = values.filter((value) => typeof value === 'string');
    const uploads = values.filter((value) => typeof value !== 'string');
    const member = memberType(type, name);
    const problem = findFieldProblem(member, texts, uploads);
    if (problem !== undefined) reject([name], problem);
    else if (uploads.length > 0) {
      files.set(name, uploads);
      setOwn(fields, name, member.items === undefined ? '' : uploads.map(() => ''));
    } else if (member.items !== undefined && (texts.length > 1 || !isLoneScalar(texts[0] ?? '', member))) {
      const list: unknown[] = [];
      setOwn(fields, name, list);
      const { items } = member;
      texts.forEach((text, index) => {
        reject([name, String(index)], setValue(list, String(index), text, items, digits));
      });
    } else reject([name], setValue(fields, name, texts[0] ?? '', member, digits));
  }
  return { fields, files, violations };

  function reject(keys: readonly string[], problem: string | undefined): void {
    if (problem === undefined || violations.length === MAX_VIOLATIONS) return;
    violations.push(createViolation(placeOf(subject, ...keys), problem, [subject, ...keys].join('/')));
  }
}

/** Returns the first problem with the values of a field, before they are converted. */
function findFieldProblem(member: TextType, texts: readonly string[], uploads: readonly File[]): string | undefined {
  const type = member.items ?? member;
  if (member !== ANY_TEXT && type.file !== true && uploads.length > 0) return 'must be text';
  if (member.items === undefined && texts.length + uploads.length > 1) return 'must not be repeated';
  return uploads.map(({ size }) => findSizeProblem(size, type.bytes)).find((problem) => problem !== undefined);
}
