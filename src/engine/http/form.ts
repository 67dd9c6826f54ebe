import type { JsonTree } from '../contract/json.ts';
import { matchMediaType } from '../contract/media-type.ts';
import { createProblem, MAX_PROBLEMS, placeOf, type Problem } from '../contract/problem.ts';
import { findSizeProblem, type RequestMediaType, type TextType } from '../contract/operation.ts';
import { createSourceDigits, type SourceDigits } from '../contract/source-digits.ts';
import { malformedFailure } from './failure.ts';
import { readParts } from './multipart.ts';
import { decodePercent, parsePairs, type Pair } from './name-value-pairs.ts';
import { ANY_TEXT, decodeUtf8, memberType, setOwn, setValue } from './text-value.ts';

/** The fields of a form as values. Files are separate, since the validator cannot check them. */
type FormTree = JsonTree & Pick<Form, 'files' | 'problems'>;

/** The fields of a form that have no problem. */
type Form = {
  readonly fields: object;
  readonly files: ReadonlyMap<string, readonly File[]>;
  /** Fields that do not match their documented types, up to ten. */
  readonly problems: readonly Problem[];
};

const NO_FIELDS: TextType = { scalars: [] };

/**
 * Parses a body of type `application/x-www-form-urlencoded`.
 *
 * @throws {Failure} 400 when its percent-encoding is malformed
 */
export function readUrlEncodedForm(text: string, { form = NO_FIELDS }: RequestMediaType): FormTree {
  const digits = createSourceDigits();
  const { fields, files, problems } = readFields(parsePairs(text, '&'), form, 'body', digits);
  return { root: { '': fields }, files, problems, sourceDigits: digits.get };
}

/**
 * Converts name-value pairs to the fields of a form.
 *
 * @param subject names the form in messages
 * @param digits receives the digits of numbers
 * @throws {Failure} 400 when the percent-encoding of a value is malformed
 */
export function readFields(pairs: readonly Pair[], type: TextType, subject: string, digits: SourceDigits): Form {
  const entries = pairs.map(({ name, value }) => [name, decodePercent(value)] as const);
  return buildForm(entries, type, subject, digits);
}

/**
 * Parses a body of type `multipart/form-data`.
 *
 * @param contentType includes the boundary
 * @throws {Failure} 400 when it is not well-formed, or a part does not have its documented media type
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
      throw malformedFailure(
        placeOf('body', name),
        `must have the Content-Type ${allowed.join(' or ')}, not ${type}`,
        `body/${name}`,
      );
    const member = memberType(fieldType, name);
    // Browsers send JSON as a file.
    if (filename === undefined || (member.items ?? member).json === true) return [name, decodeUtf8(content)] as const;
    return [name, new File([new Uint8Array(content)], filename, { type })] as const;
  });
  const digits = createSourceDigits();
  const { fields, files, problems } = buildForm(entries, fieldType, 'body', digits);
  return { root: { '': fields }, files, problems, sourceDigits: digits.get };
}

function buildForm(
  entries: readonly (readonly [string, string | File])[],
  type: TextType,
  subject: string,
  digits: SourceDigits,
): Form {
  const problems: Problem[] = [];
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
    } else if (member.items !== undefined) {
      const list: unknown[] = [];
      setOwn(fields, name, list);
      const { items } = member;
      texts.forEach((text, index) => {
        reject([name, String(index)], setValue(list, String(index), text, items, digits));
      });
    } else reject([name], setValue(fields, name, texts[0] ?? '', member, digits));
  }
  return { fields, files, problems };

  function reject(keys: readonly string[], problem: string | undefined): void {
    if (problem === undefined || problems.length === MAX_PROBLEMS) return;
    problems.push(createProblem(placeOf(subject, ...keys), problem, [subject, ...keys].join('/')));
  }
}

/** Finds the first problem of the values of a field as such. */
function findFieldProblem(member: TextType, texts: readonly string[], uploads: readonly File[]): string | undefined {
  const type = member.items ?? member;
  if (type.file === true && texts.length > 0) return 'must be a file';
  if (member !== ANY_TEXT && type.file !== true && uploads.length > 0) return 'must be text';
  if (member.items === undefined && texts.length + uploads.length > 1) return 'must not be repeated';
  return uploads.map(({ size }) => findSizeProblem(size, type.bytes)).find((problem) => problem !== undefined);
}
