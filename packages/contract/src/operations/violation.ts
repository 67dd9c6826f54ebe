import { escapePointer } from '../json/json-pointer.ts';

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

/** Returns the place of a part of a request: its keys, escaped as in a JSON pointer (RFC 6901, 3), joined by slashes. */
export function placeOf(...keys: readonly (string | number)[]): string {
  return shortenPlace(keys.map((key) => escapePointer(String(key))).join('/'));
}

/** Whether a place is the other place or within it. */
export function isWithin(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}/`);
}

/** Creates a violation. Its text names the place as the subject, or else in other words: `query parameter limit`. */
export function createViolation(place: string, message: string, subject = place): Violation {
  return { place, message, text: `${subject} ${message}` };
}

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

/** Shortens a long place. */
export function shortenPlace(place: string): string {
  return place.length > MAX_PLACE_LENGTH ? `${place.slice(0, MAX_PLACE_LENGTH)}…` : place;
}
