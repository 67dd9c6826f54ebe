import { escapePointer } from '../json/json-pointer.ts';

/** A part of a request or a response that does not conform to the document. */
export type Violation = {
  /** `path/id`, `query/limit`, `header/X-Count`, `cookie/theme`, `body/items/3/size`; keys are escaped as in a JSON pointer. */
  readonly place: string;
  /** Follows the place in a sentence: `must be integer`. */
  readonly message: string;
  /** The place and the message as one sentence, for the message of a failure. */
  readonly text: string;
};

/** A shared empty list, to avoid an allocation for each valid request. */
export const NO_VIOLATIONS: readonly Violation[] = [];

/** The maximum number of violations in a response. */
export const MAX_VIOLATIONS = 10;
// Limits messages with long enums. The first message is always complete.
const MAX_TEXT_LENGTH = 4_096;
const MAX_PLACE_LENGTH = 200;

/** Joins keys to the place of a part of a request, escaped as in a JSON pointer (RFC 6901, 3). */
export function placeOf(...keys: readonly (string | number)[]): string {
  return shortenPlace(keys.map((key) => escapePointer(String(key))).join('/'));
}

/** Returns whether a place equals another place or is inside it. */
export function isWithin(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}/`);
}

/**
 * Creates a violation. The text begins with the subject: by default the place, or words such as `query parameter
 * limit`.
 */
export function createViolation(place: string, message: string, subject = place): Violation {
  return { place, message, text: `${subject} ${message}` };
}

/** Joins the distinct texts of violations to one line. */
export function joinTexts(violations: readonly Violation[]): string {
  return [...new Set(violations.map(({ text }) => text))].join('; ');
}

/** Returns the first violations, limited to ten and to a total length of texts. */
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
