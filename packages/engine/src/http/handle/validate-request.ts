import {
  InvalidRequest,
  isWithin,
  limitViolations,
  NO_VIOLATIONS,
  placeOf,
  reviveInt64s,
  spellAsDocumented,
  type FormatConverter,
  type Operation,
  type OperationValidator,
  type Violation,
  type RequestParts,
  type Shapes,
} from '@contract-first/contract';
import type { RequestBody } from '../read/body.ts';
import type { Conversions } from '../read/codecs.ts';
import type { CompiledOperation } from '../compiled-operation.ts';
import { Failure } from '../failure.ts';
import type { ReadParameters } from '../read/parameters.ts';
import { setOwn } from '../read/text-value.ts';

/** A validated request of any operation. int64 values are bigints, and strings with declared formats are decoded. */
export type ValidRequest = {
  readonly path: object;
  readonly query: object;
  readonly headers: object;
  readonly cookies: object;
  readonly contentType: string | undefined;
  readonly body: unknown;
};

type ValueConversions = Pick<Conversions, 'formats' | 'int64Shapes'>;

/**
 * Validates a request against the document, applies defaults, decodes declared formats, and inserts exact integers and
 * files.
 *
 * @throws {InvalidRequest} with the first violations when the request does not conform
 */
export function validateRequest(
  { operation, validator }: CompiledOperation,
  parameters: ReadParameters,
  body: RequestBody | undefined,
  conversions: ValueConversions,
): ValidRequest {
  const parts = toParts(parameters, body);
  validator.request(parts);
  return complete(operation, parameters, parts, body, conversions);
}

/**
 * Validates a request like {@link validateRequest}, but finds all violations of an invalid request.
 *
 * @param body the body, or the failure of reading it
 * @throws {InvalidRequest} when the request does not conform; rejects if finding the violations is asynchronous
 */
export function validateWhole(
  compiled: CompiledOperation,
  parameters: ReadParameters,
  body: RequestBody | Failure | undefined,
  conversions: ValueConversions,
): ValidRequest | Promise<never> {
  const parts = toParts(parameters, body);
  const first = findFirst(compiled.validator, parts);
  const isRead = parameters.violations.length === 0 && (body?.violations === undefined || body.violations.length === 0);
  if (first.length === 0 && isRead && !(body instanceof Failure))
    return complete(compiled.operation, parameters, parts, body, conversions);
  return rejectInvalid(compiled, parameters, body, conversions, { parts, first });
}

/** Returns whether a request conforms to the document. */
export function conforms(
  { validator }: CompiledOperation,
  parameters: ReadParameters,
  body: RequestBody | Failure | undefined,
): boolean {
  return findFirst(validator, toParts(parameters, body)).length === 0;
}

/** Returns the first violations of a request. @throws {InvalidRequest} when the request could not be validated */
function findFirst(validator: OperationValidator, parts: RequestParts): readonly Violation[] {
  try {
    validator.request(parts);
    return NO_VIOLATIONS;
  } catch (error) {
    if (error instanceof InvalidRequest && error.violations.length > 0) return error.violations;
    throw error;
  }
}

async function rejectInvalid(
  { operation, validator }: CompiledOperation,
  parameters: ReadParameters,
  body: RequestBody | Failure | undefined,
  { int64Shapes }: ValueConversions,
  { parts, first }: { readonly parts: RequestParts; readonly first: readonly Violation[] },
): Promise<never> {
  const violations = [...parameters.violations, ...(body?.violations ?? [])];
  // A parameter or field that could not be read also counts as missing, which is not reported again.
  const unread = violations.map(({ place }) => place.split('/', 2).join('/'));
  const invalid = (await validator.findViolations(parts, first)).map((violation) => withSentName(operation, violation));
  violations.push(...invalid.filter(({ place }) => !unread.some((other) => isWithin(place, other))));
  const tree = body instanceof Failure ? undefined : body;
  // The validator does not see integers that a double cannot represent, so they are checked here.
  const inexact = reviveAll(operation, parameters, tree, int64Shapes);
  violations.push(...inexact.filter(({ place }) => !violations.some((other) => isWithin(place, other.place))));
  throw new InvalidRequest(limitViolations(violations));
}

/** Replaces the lower-case name of a header in a violation with the name in the document. */
function withSentName({ parameters }: Operation, violation: Violation): Violation {
  const header = parameters.find(
    ({ name, in: location }) =>
      location === 'header' && isWithin(violation.place, placeOf('header', name.toLowerCase())),
  );
  if (header === undefined) return violation;
  const place = placeOf('header', header.name);
  const name = header.name.toLowerCase();
  const text = violation.text.replaceAll(`header/${name}`, place).replaceAll(`'${name}'`, `'${header.name}'`);
  return { ...violation, place: place + violation.place.slice(place.length), text };
}

function toParts({ values, sourceDigits }: ReadParameters, body: RequestBody | Failure | undefined): RequestParts {
  // Header names are case-insensitive: the validator expects lower case, handlers the name in the document.
  const headers: Record<string, unknown> = {};
  for (const name in values.header) {
    setOwn(headers, name.toLowerCase(), values.header[name]);
    const digits = sourceDigits.get(values.header, name);
    if (digits !== undefined) sourceDigits.record(headers, name.toLowerCase(), digits);
  }
  const read = body instanceof Failure ? undefined : body;
  const value = read?.root[''];
  const areExact = sourceDigits.isEmpty && (read === undefined || read.sourceDigits.isEmpty);
  return {
    path: values.path,
    query: values.query,
    headers,
    cookies: values.cookie,
    mediaType: read?.mediaType,
    body: value instanceof Blob ? undefined : value,
    bodyBytes: read?.sizeBytes ?? 0,
    isBodyUnchecked: body instanceof Failure || value instanceof Blob,
    digitsOf: areExact
      ? undefined
      : (holder, key) =>
          holder === undefined
            ? read?.sourceDigits.get(read.root, '')
            : (sourceDigits.get(holder, key) ?? read?.sourceDigits.get(holder, key)),
  };
}

/** Completes a request that the validator has accepted. */
function complete(
  operation: Operation,
  parameters: ReadParameters,
  { headers }: RequestParts,
  body: RequestBody | undefined,
  { int64Shapes, formats }: ValueConversions,
): ValidRequest {
  const { values } = parameters;
  for (const { name, in: location } of operation.parameters) {
    if (location === 'header' && Object.hasOwn(headers, name.toLowerCase()))
      setOwn(values.header, name, (headers as Readonly<Record<string, unknown>>)[name.toLowerCase()]);
  }
  const violations = reviveAll(operation, parameters, body, int64Shapes);
  const undecoded = operation.formats === undefined ? NO_VIOLATIONS : decodeAll(operation, formats, values, body);
  if (violations.length + undecoded.length > 0)
    throw new InvalidRequest(limitViolations([...violations, ...undecoded]));
  if (body?.files !== undefined)
    for (const [name, files] of body.files) insertFiles(body.root[''] as object, name, files);

  const { path, query, header, cookie } = values;
  // The types of handlers have the spelling of the document.
  const contentType = body && spellAsDocumented(body.contentType, body.mediaType);
  return { path, query, headers: header, cookies: cookie, contentType, body: body?.root[''] };
}

/** Replaces int64 values with bigints in the parameters and the body. Returns the violations. */
function reviveAll(
  operation: Operation,
  { values, sourceDigits }: ReadParameters,
  body: RequestBody | undefined,
  int64Shapes: Shapes,
): readonly Violation[] {
  const shape = operation.parameterInt64s;
  const violations = shape && reviveInt64s({ root: { '': values }, sourceDigits }, shape, int64Shapes, '');
  const bodyShape = body && operation.requestBody?.content[body.mediaType]?.int64s;
  if (body === undefined || bodyShape === undefined) return violations ?? NO_VIOLATIONS;
  const ofBody = reviveInt64s(body, bodyShape, int64Shapes, 'body');
  return violations === undefined ? ofBody : [...violations, ...ofBody];
}

/** Decodes strings with declared formats in the parameters and the body. Returns the violations. */
function decodeAll(
  { formats }: Operation,
  { decode }: FormatConverter,
  values: ReadParameters['values'],
  body: RequestBody | undefined,
): readonly Violation[] {
  const violations = decode({ '': values }, formats?.parameters, '');
  return body === undefined
    ? violations
    : [...violations, ...decode(body.root, formats?.bodies[body.mediaType], 'body')];
}

/** Replaces the placeholder of a form field, an empty string or a list of empty strings, with its files. */
function insertFiles(fields: object, name: string, files: readonly File[]): void {
  const isList = Array.isArray((fields as Readonly<Record<string, unknown>>)[name]);
  setOwn(fields, name, isList ? files : files[0]);
}
