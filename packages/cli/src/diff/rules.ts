import { ASPECTS, levelsOf, SUBJECTS } from './aspects.ts';
import { directionOf } from './comparison.ts';
import { DIFFERENCES, type Difference } from './differences.ts';
import type { Direction, Level } from './finding.ts';

// Rule names are those of oasdiff (https://github.com/oasdiff/oasdiff, checker/rules.go, 2026) where it has one, but no code
// comes from there. Rules that oasdiff has for some places of a schema are used for all of them.

/** A rule of the comparison. */
export type Rule = {
  readonly name: string;
  /** The data that it is about; absent for operations and whole documents. */
  readonly direction: Direction | undefined;
  /** More than one when the level depends on the case. */
  readonly levels: readonly Level[];
  readonly meaning: string;
  /** How its level differs from that of oasdiff. */
  readonly difference: Difference | undefined;
};

/** Rules about operations, bodies, properties and documents, by the data that they are about. */
const OTHERS: readonly (readonly [Direction | undefined, string, readonly Level[], string])[] = [
  [undefined, 'endpoint-added', ['INFO'], 'an operation was added'],
  [undefined, 'endpoint-deprecated', ['INFO'], 'an operation is deprecated'],
  [undefined, 'endpoint-deprecated-with-sunset', ['INFO'], 'an operation is deprecated, with a sunset'],
  [undefined, 'endpoint-reactivated', ['INFO'], 'an operation is no longer deprecated'],
  [undefined, 'sunset-deleted', ['ERR'], 'the sunset of an operation was removed'],
  [undefined, 'api-sunset-date-changed-too-small', ['ERR'], 'the sunset of an operation is earlier'],
  [undefined, 'api-removed-without-deprecation', ['ERR'], 'an operation was removed that was not deprecated'],
  [undefined, 'api-removed-before-sunset', ['ERR'], 'an operation was removed before its sunset'],
  [undefined, 'api-removed-with-deprecation', ['INFO'], 'a deprecated operation was removed'],
  [
    undefined,
    'api-path-removed-without-deprecation',
    ['ERR'],
    'the last operation of a path was removed, not deprecated',
  ],
  [undefined, 'api-path-removed-before-sunset', ['ERR'], 'the last operation of a path was removed before its sunset'],
  [undefined, 'api-path-removed-with-deprecation', ['INFO'], 'the last operation of a path was removed, deprecated'],
  [undefined, 'api-operation-id-added', ['INFO'], 'an operationId was added'],
  [undefined, 'api-operation-id-removed', ['INFO'], 'an operationId was removed or changed'],
  [undefined, 'api-security-added', ['ERR', 'INFO'], 'authentication became required, or another kind is accepted'],
  [
    undefined,
    'api-security-removed',
    ['ERR', 'INFO'],
    'a kind of authentication is no longer accepted, or none is required',
  ],
  [undefined, 'api-security-scope-added', ['ERR'], 'more scopes are required'],
  [undefined, 'api-security-scope-removed', ['INFO'], 'fewer scopes are required'],
  [undefined, 'api-security-component-type-changed', ['ERR'], 'a security scheme is defined differently'],
  [undefined, 'api-base-path-changed', ['ERR'], 'the path of a server is no longer served'],
  [undefined, 'api-server-added', ['INFO'], 'a server was added'],
  [undefined, 'api-server-removed', ['WARN'], 'a server was removed; another one has its path'],
  [undefined, 'webhook-added', ['INFO'], 'a webhook, or one of its operations, was added'],
  [undefined, 'webhook-removed', ['ERR'], 'a webhook, or one of its operations, was removed'],
  [undefined, 'webhook-response-status-removed', ['WARN'], 'a status that clients may answer to a webhook was removed'],
  [undefined, 'callback-added', ['INFO'], 'a callback, or one of its operations, was added'],
  [undefined, 'callback-removed', ['ERR'], 'a callback, or one of its operations, was removed'],
  ['request', 'new-required-request-parameter', ['ERR'], 'a required parameter was added'],
  ['request', 'new-optional-request-parameter', ['INFO'], 'an optional parameter was added'],
  ['request', 'new-request-path-parameter', ['ERR'], 'a path parameter was added'],
  ['request', 'request-parameter-removed', ['WARN'], 'a parameter was removed'],
  ['request', 'request-parameter-removed-with-deprecation', ['INFO'], 'a deprecated parameter was removed'],
  ['request', 'request-parameter-removed-before-sunset', ['ERR'], 'a parameter was removed before its sunset'],
  ['request', 'request-parameter-sunset-deleted', ['ERR'], 'the sunset of a parameter was removed'],
  ['request', 'request-parameter-sunset-date-changed-too-small', ['ERR'], 'the sunset of a parameter is earlier'],
  ['request', 'request-parameter-became-required', ['ERR'], 'a parameter became required'],
  ['request', 'request-parameter-became-optional', ['INFO'], 'a parameter became optional'],
  ['request', 'request-parameter-deprecated', ['INFO'], 'a parameter is deprecated'],
  ['request', 'request-parameter-reactivated', ['INFO'], 'a parameter is no longer deprecated'],
  ['request', 'request-parameter-style-changed', ['ERR'], 'the style or media type of a parameter was changed'],
  ['request', 'request-parameter-explode-changed', ['ERR'], 'explode of a parameter was changed'],
  ['request', 'request-parameter-allow-empty-value-added', ['INFO'], 'a parameter may be empty'],
  ['request', 'request-parameter-allow-empty-value-removed', ['ERR'], 'a parameter may no longer be empty'],
  ['request', 'request-body-added-required', ['ERR'], 'a required request body was added'],
  ['request', 'request-body-added-optional', ['INFO'], 'an optional request body was added'],
  ['request', 'request-body-removed', ['ERR'], 'a request body was removed'],
  ['request', 'request-body-became-required', ['ERR'], 'a request body became required'],
  ['request', 'request-body-became-optional', ['INFO'], 'a request body became optional'],
  ['request', 'request-body-media-type-added', ['INFO'], 'a media type of a request body was added'],
  ['request', 'request-body-media-type-removed', ['ERR'], 'a media type of a request body was removed'],
  ['request', 'request-body-media-type-name-generalized', ['INFO'], 'a media type of a request body became a range'],
  ['request', 'request-body-media-type-name-specialized', ['ERR'], 'a media range of a request body became one type'],
  ['request', 'request-body-encoding-content-type-changed', ['ERR'], 'contentType of a field of a form was changed'],
  ['request', 'request-body-encoding-style-changed', ['ERR'], 'style of a field of a form was changed'],
  ['request', 'request-body-encoding-explode-changed', ['ERR'], 'explode of a field of a form was changed'],
  ['request', 'new-required-request-property', ['ERR'], 'a required property was added'],
  ['request', 'new-required-request-property-with-default', ['ERR'], 'a required property with a default was added'],
  ['request', 'new-optional-request-property', ['INFO'], 'an optional property was added'],
  [
    'request',
    'request-property-removed',
    ['ERR', 'WARN'],
    'a property was removed; an error where no other is allowed',
  ],
  ['request', 'request-property-became-required', ['ERR'], 'a property became required'],
  ['request', 'request-property-became-required-with-default', ['ERR'], 'a property with a default became required'],
  ['request', 'request-property-became-optional', ['INFO'], 'a property became optional'],
  ['request', 'request-required-property-became-read-only', ['INFO'], 'a required property became readOnly'],
  ['request', 'request-optional-property-became-read-only', ['INFO'], 'an optional property became readOnly'],
  ['request', 'request-required-property-became-not-read-only', ['ERR'], 'a required property is no longer readOnly'],
  ['request', 'request-optional-property-became-not-read-only', ['INFO'], 'an optional property is no longer readOnly'],
  ['request', 'request-property-removed-before-sunset', ['ERR'], 'a property was removed before its sunset'],
  ['request', 'request-property-sunset-deleted', ['ERR'], 'the sunset of a property was removed'],
  ['request', 'request-property-sunset-date-changed-too-small', ['ERR'], 'the sunset of a property is earlier'],
  ['response', 'response-success-status-added', ['INFO'], 'a 2xx status was added'],
  ['response', 'response-success-status-removed', ['ERR'], 'a 2xx status was removed'],
  ['response', 'response-non-success-status-added', ['INFO'], 'another status was added'],
  ['response', 'response-non-success-status-removed', ['INFO'], 'another status was removed'],
  ['response', 'response-header-added', ['INFO'], 'a header was added'],
  ['response', 'required-response-header-removed', ['ERR'], 'a required header was removed'],
  ['response', 'optional-response-header-removed', ['WARN'], 'an optional header was removed'],
  ['response', 'response-header-became-optional', ['ERR'], 'a header is no longer required'],
  ['response', 'response-media-type-added', ['INFO'], 'a media type of a response was added'],
  ['response', 'response-media-type-removed', ['ERR'], 'a media type of a response was removed'],
  ['response', 'response-media-type-name-generalized', ['ERR'], 'a media type of a response became a range'],
  ['response', 'response-media-type-name-specialized', ['INFO'], 'a media range of a response became one type'],
  ['response', 'response-body-encoding-content-type-changed', ['ERR'], 'contentType of a field of a form was changed'],
  ['response', 'response-body-encoding-style-changed', ['ERR'], 'style of a field of a form was changed'],
  ['response', 'response-body-encoding-explode-changed', ['ERR'], 'explode of a field of a form was changed'],
  ['response', 'response-required-property-added', ['WARN', 'INFO'], 'a required property was added'],
  ['response', 'response-optional-property-added', ['WARN', 'INFO'], 'an optional property was added'],
  ['response', 'response-required-property-removed', ['ERR'], 'a required property was removed'],
  ['response', 'response-optional-property-removed', ['WARN'], 'an optional property was removed'],
  ['response', 'response-property-became-required', ['INFO'], 'a property became required'],
  ['response', 'response-property-became-optional', ['ERR'], 'a property is no longer required'],
  ['response', 'response-required-property-became-write-only', ['ERR'], 'a required property became writeOnly'],
  ['response', 'response-optional-property-became-write-only', ['WARN'], 'an optional property became writeOnly'],
  [
    'response',
    'response-required-property-became-not-write-only',
    ['INFO'],
    'a required property is no longer writeOnly',
  ],
  [
    'response',
    'response-optional-property-became-not-write-only',
    ['INFO'],
    'an optional property is no longer writeOnly',
  ],
  ['response', 'response-property-removed-before-sunset', ['ERR'], 'a property was removed before its sunset'],
  ['response', 'response-property-sunset-deleted', ['ERR'], 'the sunset of a property was removed'],
  ['response', 'response-property-sunset-date-changed-too-small', ['ERR'], 'the sunset of a property is earlier'],
  [undefined, 'api-version-not-bumped', ['INFO'], 'info.version is the same, but the document was changed'],
  [undefined, 'api-version-decreased', ['INFO'], 'info.version is lower, and the document was changed'],
  [undefined, 'api-major-version-not-bumped', ['INFO'], 'info.version has the same major version, but clients break'],
  [undefined, 'ignore-entry-unused', ['WARN'], 'an entry of the policy matches no finding'],
  [undefined, 'ignore-entry-expired', ['WARN'], 'an entry of the policy has expired'],
];

/** Every rule, by name. */
export const RULES: ReadonlyMap<string, Rule> = new Map(
  [...otherRules(), ...schemaRules()]
    .map((rule) => [rule.name, { ...rule, difference: differenceOf(rule.name) }] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

function otherRules(): readonly Omit<Rule, 'difference'>[] {
  return OTHERS.map(([direction, name, levels, meaning]) => ({ name, direction, levels, meaning }));
}

function schemaRules(): readonly Omit<Rule, 'difference'>[] {
  return ASPECTS.flatMap((aspect) =>
    aspect.subjects.flatMap((subject) => {
      const direction = directionOf({ subject });
      const levels = levelsOf(aspect, direction);
      if (levels.length === 0) return [];
      const name = `${subject}-${aspect.aspect}`;
      return [{ name, direction, levels, meaning: `${SUBJECTS[subject]}: ${aspect.meaning}` }];
    }),
  );
}

function differenceOf(rule: string): Difference | undefined {
  return DIFFERENCES.find(({ names }) => names.test(rule));
}
