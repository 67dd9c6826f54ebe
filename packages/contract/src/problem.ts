import { augmentAjvErrors, type SchemaError } from './ajv.ts';
import type { Violation } from './handler-types.ts';
import { escapePointer } from './json-pointer.ts';

/** A violation, and the text that names it in the message of a failure. */
export type Problem = Violation & { readonly text: string };

/** A shared empty list, for the many requests without problems. */
export const NO_PROBLEMS: readonly Problem[] = [];

/** The most violations that a response lists. */
export const MAX_PROBLEMS = 10;
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

/** Creates a problem. Its text names the place as the subject, or else in other words: `query parameter limit`. */
export function createProblem(place: string, message: string, subject = place): Problem {
  return { place, message, text: `${subject} ${message}` };
}

/**
 * Converts the errors of one check to a problem. Ajv reports a keyword with alternatives after the errors of these, so the
 * last error is the problem; only a condition is reported after the problems that it leads to.
 *
 * @param pointer the place of the checked value: `/body/items`
 */
export function toProblem(errors: readonly SchemaError[], pointer = ''): Problem {
  const [error, cause] = errors.filter(({ keyword }) => keyword !== 'if').reverse();
  if (error === undefined) throw new Error('a failed check has no error');
  const { keyword, instancePath, params } = error;
  const [{ message = 'is invalid' } = error] = augmentAjvErrors([error]);
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

/** Joins the texts of problems to one line. */
export function joinProblems(problems: readonly Problem[]): string {
  return [...new Set(problems.map(({ text }) => text))].join('; ');
}

/** Returns the first problems, up to ten, as long as their texts are short. */
export function limitProblems(problems: readonly Problem[]): readonly Problem[] {
  let length = 0;
  return problems
    .slice(0, MAX_PROBLEMS)
    .filter(({ text }, index) => (length += text.length) <= MAX_TEXT_LENGTH || index === 0);
}

/** Formats the errors of a response for the log, with locations named as in the document: `body/id must be integer`. */
export function formatErrors(errors: readonly SchemaError[]): string {
  const first = errors.filter(({ keyword }) => keyword !== 'if').slice(0, MAX_PROBLEMS);
  return augmentAjvErrors(first)
    .map(({ instancePath, message = '' }) => `${formatLocation(instancePath)} ${message}`)
    .join(', ');
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
