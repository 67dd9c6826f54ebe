import type { SchemaError } from './ajv.ts';
import { escapePointer } from '../json/json-pointer.ts';
import { MAX_VIOLATIONS, shortenPlace, type Violation } from '../operations/violation.ts';

/** The messages about a member, by the failed keyword of its object. */
const MEMBER_MESSAGES: Readonly<Record<string, string>> = {
  required: 'is required',
  additionalProperties: 'is not allowed',
  unevaluatedProperties: 'is not allowed',
};

/**
 * Converts the errors of one validation to a violation. Ajv reports `anyOf` and `oneOf` after the errors of their
 * alternatives, so the last error is the violation; errors of `if` are ignored, since they follow the actual
 * violations.
 *
 * @param pointer the place of the validated value: `/body/items`
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
    place: shortenPlace(place) || 'request',
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

/** Formats the errors of a response for the log: `body/id must be integer`. */
export function formatErrors(errors: readonly SchemaError[]): string {
  const first = errors.filter(({ keyword }) => keyword !== 'if').slice(0, MAX_VIOLATIONS);
  return first.map(({ instancePath, message = '' }) => `${formatLocation(instancePath)} ${message}`).join(', ');
}

function formatLocation(pointer: string): string {
  return shortenPlace(nameLocation(pointer)) || 'request';
}

/** Converts a pointer of the validator to a place: `/params/id` to `path/id`. */
function nameLocation(pointer: string): string {
  return pointer
    .slice(1)
    .replace(/^params\b/, 'path')
    .replace(/^(header|cookie)s\b/, '$1');
}
