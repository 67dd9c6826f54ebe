import {
  isScalar,
  type Json,
  membersOf,
  type Oracle,
  type SchemaViolation,
  toJsonTree,
} from '@contract-first/model/values';
import type { ApiOperation, Parameter } from '@contract-first/model/operations';
import type { Case, CaseKind } from '@contract-first/model/cases';
import { readingsOfParameter, type RequestInput } from '@contract-first/model/requests';

/** A description of a request for messages. */
export type RequestDescription = {
  /** Has the values of the request. */
  readonly message: string;
  /** Has no values. */
  readonly cause: string;
  /** Unusual properties that may be the reason of a failure; none for plain valid data. */
  readonly circumstances: readonly string[];
};

const SUBJECTS: Readonly<Record<CaseKind, string>> = {
  positive: 'valid data',
  negative: 'invalid data',
  undecided: 'unusual data',
  'missing header': 'a request without a required header',
  'no authentication': 'invalid credentials',
  'unsupported method': 'an undocumented method',
  'unknown path': 'an unknown path',
  'header fields only': 'an undocumented method',
  'other user': 'a request of another user',
};
const WITH_DATA: readonly CaseKind[] = ['positive', 'negative', 'undecided'];
const LONG_CHARS = 500;
const REQUIRED = 'required'; // The keyword of schemas.
const NO_PARAMETER = 'without a required parameter';
const NO_BODY = 'without a body';
// Servers take a body that they do not read for an empty object.
const UNREAD = [NO_BODY, 'sent as another media type'];
// Values that servers often fail at.
const UNUSUAL: Readonly<Record<string, (value: Json) => boolean>> = {
  'a lone surrogate': (value) => typeof value === 'string' && !value.isWellFormed(),
  'U+0000': (value) => typeof value === 'string' && value.includes('\0'),
  'a character beyond U+FFFF': (value) => typeof value === 'string' && /[^\0-\uffff]/u.test(value),
  'a long text': (value) => typeof value === 'string' && value.length > LONG_CHARS,
  'an empty text': (value) => value === '',
  'a large number': (value) => typeof value !== 'string' && Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER,
};

/**
 * Describes the request of a test case.
 *
 * @param isAccepted whether the server has accepted it: then, its unusual values are not the reason of a failure
 */
export function describeRequest(
  operation: ApiOperation,
  testCase: Case,
  oracle: Oracle,
  isAccepted: boolean,
): RequestDescription {
  const { kind, description, group = description, input } = testCase;
  const subject = SUBJECTS[kind];
  const describe = (detail: string, cause: string, circumstances: readonly string[]): RequestDescription => {
    const detailed = (text: string): string => (text === '' ? subject : `${subject} (${text})`);
    return { message: detailed(detail), cause: detailed(cause), circumstances };
  };
  if (!WITH_DATA.includes(kind)) return describe(description === kind ? '' : description, '', [subject]);
  if (description !== kind)
    return describe(description, group, isAccepted && UNREAD.includes(group) ? ofBody(group) : [group]);
  if (input === undefined) return describe('', '', []);
  const invalid = kind === 'negative' ? findInvalid(operation, input, oracle) : undefined;
  const unusual = isAccepted ? [] : findUnusual(input);
  const rules = invalid === undefined ? [] : [invalid.rule];
  const detail = [...(invalid === undefined ? [] : [invalid.message]), ...unusual].join(', ');
  const causes = isAccepted && invalid !== undefined ? invalid.circumstances : rules;
  const circumstances = [...causes, ...unusual];
  return describe(detail, [...rules, ...unusual].join(', '), circumstances);
}

function findUnusual({ parameters, body }: RequestInput): readonly string[] {
  const scalars = [...parameters, ...(body === undefined ? [] : [body])].flatMap(({ value }) => scalarsIn(value));
  return Object.entries(UNUSUAL).flatMap(([name, isUnusual]) => (scalars.some(isUnusual) ? [name] : []));
}

/** Lists the scalars in a value, and the names of members. */
function scalarsIn(value: Json): readonly Json[] {
  if (isScalar(value)) return [value];
  return membersOf(value).flatMap(([name, member]) => [
    ...(typeof name === 'string' ? [name] : []),
    ...scalarsIn(member),
  ]);
}

/** Lists the circumstances of an accepted body: without its required members, no rule is checked. */
function ofBody(rule: string): readonly string[] {
  return rule === REQUIRED ? [rule] : [REQUIRED, rule];
}

/** Finds the first invalid part of a request, the rule that it violates, and the circumstances if it is accepted. */
function findInvalid({ parameters: declared, requestBody }: ApiOperation, sent: RequestInput, oracle: Oracle) {
  const { parameters, body } = sent;
  const missing = declared.find(
    (parameter) => parameter.required && !parameters.some((other) => other.parameter === parameter),
  );
  const placeOf = ({ in: location, name }: Parameter): string => `${location} parameter ${name}`;
  const without = (parameter: Parameter): string => `without the ${placeOf(parameter)}`;
  if (missing !== undefined)
    return { message: without(missing), rule: NO_PARAMETER, circumstances: [without(missing)] };
  for (const { parameter, value } of parameters) {
    const readings = readingsOfParameter(parameter, value);
    const violations = readings.flatMap((reading) => oracle.violation(parameter.schema, toJsonTree(reading)) ?? []);
    // A reading of the right type violates another rule.
    const violation = violations.find(({ keyword }) => keyword !== 'type') ?? violations[0];
    if (violation === undefined || violations.length < readings.length) continue;
    // A server that accepts a request without a required parameter does not read it.
    const circumstances = [...(parameter.required ? [without(parameter)] : []), violation.keyword];
    return { ...describeViolation(placeOf(parameter), violation), circumstances };
  }
  if (body === undefined) return requestBody && { message: NO_BODY, rule: NO_BODY, circumstances: ofBody(NO_BODY) };
  const violation = oracle.violation(body.content.schema, toJsonTree(body.value));
  return violation && { ...describeViolation('body', violation), circumstances: ofBody(violation.keyword) };
}

function describeViolation(place: string, { path, keyword, message }: SchemaViolation) {
  return { message: `${place}${path} ${message}`, rule: keyword };
}
