import { ASPECTS, levelsOf, SUBJECTS } from './aspects.ts';
import { directionOf } from './comparison.ts';
import { DIFFERENCES, type Difference } from './differences.ts';
import type { Level } from './finding.ts';

// Rule names are those of oasdiff (https://github.com/oasdiff/oasdiff, checker/rules.go, 2026) where it has one, but no code
// comes from there. Rules that oasdiff has for some places of a schema are used for all of them.

/** A rule of the comparison. */
export type Rule = {
  readonly name: string;
  readonly meaning: string;
  /** More than one when the level depends on the case. */
  readonly levels: readonly Level[];
  /** How its level differs from that of oasdiff. */
  readonly difference: Difference | undefined;
};

/** The rules about operations, bodies, properties and documents: their meaning and levels. */
const OTHERS: Readonly<Record<string, readonly [meaning: string, ...levels: Level[]]>> = {
  'endpoint-added': ['an operation was added', 'INFO'],
  'endpoint-deprecated': ['an operation is deprecated', 'INFO'],
  'endpoint-deprecated-with-sunset': ['an operation is deprecated, with a sunset', 'INFO'],
  'endpoint-reactivated': ['an operation is no longer deprecated', 'INFO'],
  'sunset-deleted': ['the sunset of an operation was removed', 'ERR'],
  'api-sunset-date-changed-too-small': ['the sunset of an operation is earlier', 'ERR'],
  'api-removed-without-deprecation': ['an operation was removed that was not deprecated', 'ERR'],
  'api-removed-before-sunset': ['an operation was removed before its sunset', 'ERR'],
  'api-removed-with-deprecation': ['a deprecated operation was removed', 'INFO'],
  'api-path-removed-without-deprecation': ['the last operation of a path was removed, not deprecated', 'ERR'],
  'api-path-removed-before-sunset': ['the last operation of a path was removed before its sunset', 'ERR'],
  'api-path-removed-with-deprecation': ['the last operation of a path was removed, deprecated', 'INFO'],
  'api-operation-id-added': ['an operationId was added', 'INFO'],
  'api-operation-id-removed': ['an operationId was removed or changed', 'INFO'],
  'api-security-added': ['authentication became required, or another kind is accepted', 'ERR', 'INFO'],
  'api-security-removed': ['a kind of authentication is no longer accepted, or none is required', 'ERR', 'INFO'],
  'api-security-scope-added': ['more scopes are required', 'ERR'],
  'api-security-scope-removed': ['fewer scopes are required', 'INFO'],
  'api-security-component-type-changed': ['a security scheme is defined differently', 'ERR'],
  'api-base-path-changed': ['the path of a server is no longer served', 'ERR'],
  'api-server-added': ['a server was added', 'INFO'],
  'api-server-removed': ['a server was removed; another one has its path', 'WARN'],
  'webhook-added': ['a webhook, or one of its operations, was added', 'INFO'],
  'webhook-removed': ['a webhook, or one of its operations, was removed', 'ERR'],
  'webhook-body-became-optional': ['the body of a webhook or callback is no longer always sent', 'ERR'],
  'webhook-body-became-required': ['the body of a webhook or callback is always sent', 'INFO'],
  'webhook-response-status-removed': ['a status that clients may answer to a webhook was removed', 'WARN'],
  'callback-added': ['a callback, or one of its operations, was added', 'INFO'],
  'callback-removed': ['a callback, or one of its operations, was removed', 'ERR'],
  'new-required-request-parameter': ['a required parameter was added', 'ERR'],
  'new-optional-request-parameter': ['an optional parameter was added', 'INFO'],
  'new-request-path-parameter': ['a path parameter was added', 'ERR'],
  'request-parameter-removed': ['a parameter was removed', 'WARN'],
  'request-parameter-removed-with-deprecation': ['a deprecated parameter was removed', 'INFO'],
  'request-parameter-removed-before-sunset': ['a parameter was removed before its sunset', 'ERR'],
  'request-parameter-sunset-deleted': ['the sunset of a parameter was removed', 'ERR'],
  'request-parameter-sunset-date-changed-too-small': ['the sunset of a parameter is earlier', 'ERR'],
  'request-parameter-became-required': ['a parameter became required', 'ERR'],
  'request-parameter-became-optional': ['a parameter became optional', 'INFO'],
  'request-parameter-deprecated': ['a parameter is deprecated', 'INFO'],
  'request-parameter-reactivated': ['a parameter is no longer deprecated', 'INFO'],
  'request-parameter-style-changed': ['the style or media type of a parameter was changed', 'ERR'],
  'request-parameter-explode-changed': ['explode of a parameter was changed', 'ERR'],
  'request-parameter-allow-empty-value-added': ['a parameter may be empty', 'INFO'],
  'request-parameter-allow-empty-value-removed': ['a parameter may no longer be empty', 'ERR'],
  'request-body-added-required': ['a required request body was added', 'ERR'],
  'request-body-added-optional': ['an optional request body was added', 'INFO'],
  'request-body-removed': ['a request body was removed', 'ERR'],
  'request-body-became-required': ['a request body became required', 'ERR'],
  'request-body-became-optional': ['a request body became optional', 'INFO'],
  'request-body-media-type-added': ['a media type of a request body was added', 'INFO'],
  'request-body-media-type-removed': ['a media type of a request body was removed', 'ERR'],
  'request-body-media-type-name-generalized': ['a media type of a request body became a range', 'INFO'],
  'request-body-media-type-name-specialized': ['a media range of a request body became one type', 'ERR'],
  'request-body-encoding-content-type-changed': ['contentType of a field of a form was changed', 'ERR'],
  'request-body-encoding-style-changed': ['style of a field of a form was changed', 'ERR'],
  'request-body-encoding-explode-changed': ['explode of a field of a form was changed', 'ERR'],
  'new-required-request-property': ['a required property was added', 'ERR'],
  'new-required-request-property-with-default': ['a required property with a default was added', 'ERR'],
  'new-optional-request-property': ['an optional property was added', 'INFO'],
  'request-property-removed': ['a property was removed; an error where no other is allowed', 'ERR', 'WARN'],
  'request-property-became-required': ['a property became required', 'ERR'],
  'request-property-became-required-with-default': ['a property with a default became required', 'ERR'],
  'request-property-became-optional': ['a property became optional', 'INFO'],
  'request-required-property-became-read-only': ['a required property became readOnly', 'INFO'],
  'request-optional-property-became-read-only': ['an optional property became readOnly', 'INFO'],
  'request-required-property-became-not-read-only': ['a required property is no longer readOnly', 'ERR'],
  'request-optional-property-became-not-read-only': ['an optional property is no longer readOnly', 'INFO'],
  'request-property-removed-before-sunset': ['a property was removed before its sunset', 'ERR'],
  'request-property-sunset-deleted': ['the sunset of a property was removed', 'ERR'],
  'request-property-sunset-date-changed-too-small': ['the sunset of a property is earlier', 'ERR'],
  'response-success-status-added': ['a 2xx status was added', 'INFO'],
  'response-success-status-removed': ['a 2xx status was removed', 'ERR'],
  'response-non-success-status-added': ['another status was added', 'INFO'],
  'response-non-success-status-removed': ['another status was removed', 'INFO'],
  'response-header-added': ['a header was added', 'INFO'],
  'required-response-header-removed': ['a required header was removed', 'ERR'],
  'optional-response-header-removed': ['an optional header was removed', 'WARN'],
  'response-header-became-optional': ['a header is no longer required', 'ERR'],
  'response-media-type-added': ['a media type of a response was added', 'INFO'],
  'response-media-type-removed': ['a media type of a response was removed', 'ERR'],
  'response-media-type-name-generalized': ['a media type of a response became a range', 'ERR'],
  'response-media-type-name-specialized': ['a media range of a response became one type', 'INFO'],
  'response-body-encoding-content-type-changed': ['contentType of a field of a form was changed', 'ERR'],
  'response-body-encoding-style-changed': ['style of a field of a form was changed', 'ERR'],
  'response-body-encoding-explode-changed': ['explode of a field of a form was changed', 'ERR'],
  'response-required-property-added': ['a required property was added', 'WARN', 'INFO'],
  'response-optional-property-added': ['an optional property was added', 'WARN', 'INFO'],
  'response-required-property-removed': ['a required property was removed', 'ERR'],
  'response-optional-property-removed': ['an optional property was removed', 'WARN'],
  'response-property-became-required': ['a property became required', 'INFO'],
  'response-property-became-optional': ['a property is no longer required', 'ERR'],
  'response-required-property-became-write-only': ['a required property became writeOnly', 'ERR'],
  'response-optional-property-became-write-only': ['an optional property became writeOnly', 'WARN'],
  'response-required-property-became-not-write-only': ['a required property is no longer writeOnly', 'INFO'],
  'response-optional-property-became-not-write-only': ['an optional property is no longer writeOnly', 'INFO'],
  'response-property-removed-before-sunset': ['a property was removed before its sunset', 'ERR'],
  'response-property-sunset-deleted': ['the sunset of a property was removed', 'ERR'],
  'response-property-sunset-date-changed-too-small': ['the sunset of a property is earlier', 'ERR'],
  'api-version-not-bumped': ['info.version is the same, but the document was changed', 'INFO'],
  'api-version-decreased': ['info.version is lower, and the document was changed', 'INFO'],
  'api-major-version-not-bumped': ['info.version has the same major version, but clients break', 'INFO'],
  'ignore-entry-unused': ['an entry of the policy matches no finding', 'WARN'],
  'ignore-entry-expired': ['an entry of the policy has expired', 'WARN'],
};

/** Every rule, by name. */
export const RULES: ReadonlyMap<string, Rule> = new Map(
  [...Object.entries(OTHERS).map(([name, [meaning, ...levels]]) => ({ name, meaning, levels })), ...schemaRules()]
    .map((rule) => [rule.name, { ...rule, difference: differenceOf(rule.name) }] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

function schemaRules(): readonly Omit<Rule, 'difference'>[] {
  return ASPECTS.flatMap((aspect) =>
    aspect.subjects.flatMap((subject) => {
      const levels = levelsOf(aspect, directionOf({ subject }));
      const meaning = `${SUBJECTS[subject]}: ${aspect.meaning}`;
      return levels.length === 0 ? [] : { name: `${subject}-${aspect.aspect}`, meaning, levels };
    }),
  );
}

function differenceOf(rule: string): Difference | undefined {
  return DIFFERENCES.find(({ names }) => names.test(rule));
}
