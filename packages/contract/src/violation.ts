import type { SchemaError } from './ajv.ts';
import { escapePointer } from './json-pointer.ts';

/** A part of a request or a response that does not conform to the document. */
export type Violation = {
  /** `path/id`, `query/limit`, `header/X-Count`, `cookie/theme`, `body/items/3/size`; keys are escaped as in a JSON pointer. */
  readonly place: string;
  /** Follows the place in a sentence: `must be integer`. */
  readonly message: string;
  /** Names both in the message of a failure. */
  readonly text: string;
};

/** A shared empty list, for the many requests without violations. */
export const NO_VIOLATIONS: readonly Violation[] = [];

/** The most violations that a response lists. */
export const MAX_VIOLATIONS = 10;
// A message may list the values of a long enum; the first one is always complete.
const MAX_TEXT_LENGTH = 4_096;
const MAX_PLACE_LENGTH = 200;

/** The messages for a member, by the keyword of its object. */
const MEMBER_MESSAGES: Readonly<Record<string, string>> = {
  required: 'is required',
  additionalProperties: 'is not allowed',
  unevaluatedProperties: 'is not allowed',
};

/** Returns the place of a part of a request: its keys, escaped as in a JSON pointer (RFC 6901, 3), joined by slashes. */
export function placeOf(...keys: readonly (string | number)[]): string {
  return cut(keys.map((key) => escapePointer(String(key))).join('/'));
}

/** Whether a place is another one or within it. */
export function isWithin(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}/`);
}

/** Creates a violation. Its text names the place as the subject, or else in other words: `query parameter limit`. */
export function createViolation(place: string, message: string, subject = place): Violation {
  return { place, message, text: `${subject} ${message}` };
}

/**
 * Converts the errors of one check to a violation. Ajv reports a keyword with alternatives after the errors of these, so the
 * last error is the violation; only a condition is reported after the violations that it leads to.
 *
 * @param pointer the place of the checked value: `/body/items`
 */
export function toViolation(errors: readonly SchemaError[], pointer = ''): Violation {
  const [error, cause] = errors.filter(({ keyword }) => keyword !== 'if').reverse();
  if (error === undefined) throw new Error('a failed check has no error');
  const { keyword, instancePath, params, message = 'is invalid' } = error;
  const reason = keyword === 'propertyNames' && cause?.message !== undefined ? `: ${cause.message}` : '';
  const path = pointer + instancePath;
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = params as MemberParams;
  const name =
    keyword === 'required' ? missingProperty : (additionalProperty ?? unevaluatedProperty ?? propertyName ?? undefined);
  const place = nameLocation(name === undefined ? path : `${path}/${escapePointer(name)}`);
  return {
    place: cut(place) || 'request',
    message: (name === undefined ? undefined : MEMBER_MESSAGES[keyword]) ?? message + reason,
    text: `${formatLocation(path)} ${message}${reason}`,
  };
}
type MemberParams = {
  readonly missingProperty?: string;
  readonly additionalProperty?: string;
  readonly unevaluatedProperty?: string;
  readonly propertyName?: string;
};

/** Joins the texts of violations to one line. */
export function joinTexts(violations: readonly Violation[]): string {
  return [...new Set(violations.map(({ text }) => text))].join('; ');
}

/** Returns the first violations, up to ten, as long as their texts are short. */
export function limitViolations(violations: readonly Violation[]): readonly Violation[] {
  let length = 0;
  return violations
    .slice(0, MAX_VIOLATIONS)
    .filter(({ text }, index) => (length += text.length) <= MAX_TEXT_LENGTH || index === 0);
}

/** Formats the errors of a response for the log, with locations named as in the document: `body/id must be integer`. */
export function formatErrors(errors: readonly SchemaError[]): string {
  const first = errors.filter(({ keyword }) => keyword !== 'if').slice(0, MAX_VIOLATIONS);
  return first.map(({ instancePath, message = '' }) => `${formatLocation(instancePath)} ${message}`).join(', ');
}

function formatLocation(pointer: string): string {
  return cut(nameLocation(pointer)) || 'request';
}

/** Converts a pointer into the values of the validator to a place: `/params/id` to `path/id`. */
function nameLocation(pointer: string): string {
  return pointer
    .slice(1)
    .replace(/^params\b/, 'path')
    .replace(/^(header|cookie)s\b/, '$1');
}

function cut(place: string): string {
  return place.length > MAX_PLACE_LENGTH ? `${place.slice(0, MAX_PLACE_LENGTH)}…` : place;
}
