import { directionOf, type Subject } from './comparison.ts';
import { type MessageDirection, type Effect, type Level, LEVEL_OF_EFFECT } from './finding.ts';
import { LIMITS, OPAQUE_KEYWORDS } from './keywords.ts';

// Uses the rule names of oasdiff (https://github.com/oasdiff/oasdiff, checker/rules.go, 2026) where they exist, but
// none of its code. Rules that oasdiff has only for some places of a schema apply to all places here.

/** A rule of the comparison. */
export type Rule = {
  readonly name: string;
  readonly meaning: string;
  /** The possible levels. */
  readonly levels: readonly Level[];
  /** The difference from oasdiff's level, if any. */
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
  'api-server-removed': ['a server was removed; another server has its path', 'WARN'],
  'webhook-added': ['a webhook, or one of its operations, was added', 'INFO'],
  'webhook-removed': ['a webhook, or one of its operations, was removed', 'ERR', 'INFO'],
  'webhook-body-became-optional': ['the body of a webhook or callback is no longer always sent', 'ERR'],
  'webhook-body-became-required': ['the body of a webhook or callback is always sent', 'INFO'],
  'webhook-response-status-removed': ['a status that clients may answer to a webhook was removed', 'WARN'],
  'callback-added': ['a callback, or one of its operations, was added', 'INFO'],
  'callback-removed': ['a callback, or one of its operations, was removed', 'ERR', 'INFO'],
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
  'request-body-encoding-content-type-changed': ['contentType of a field of a form was changed', 'ERR', 'INFO'],
  'request-body-encoding-style-changed': ['style of a field of a form was changed', 'ERR'],
  'request-body-encoding-explode-changed': ['explode of a field of a form was changed', 'ERR'],
  'new-required-request-property': ['a required property was added', 'ERR'],
  'new-required-request-property-with-default': ['a required property with a default was added', 'ERR'],
  'new-optional-request-property': ['an optional property was added', 'INFO'],
  'request-property-removed': ['a property was removed; an error where other properties are forbidden', 'ERR', 'WARN'],
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
  'response-header-style-changed': ['the style or media type of a header was changed', 'ERR'],
  'response-header-explode-changed': ['explode of a header was changed', 'ERR'],
  'response-media-type-added': ['a media type of a response was added', 'INFO'],
  'response-media-type-removed': ['a media type of a response was removed', 'ERR'],
  'response-media-type-name-generalized': ['a media type of a response became a range', 'ERR'],
  'response-media-type-name-specialized': ['a media range of a response became one type', 'INFO'],
  'response-body-encoding-content-type-changed': ['contentType of a field of a form was changed', 'ERR', 'INFO'],
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

/** A change of a schema. The rule is named `SUBJECT-ASPECT`; the effect determines the level. */
type Aspect = {
  readonly aspect: string;
  readonly effects: Readonly<Record<MessageDirection, readonly Effect[]>>;
  readonly subjects: readonly Subject[];
  readonly meaning: string;
};

/** The subjects of rules with their names for messages. */
export const SUBJECTS: Readonly<Record<Subject, string>> = {
  'request-body': 'a request body',
  'request-property': 'a property of a request body',
  'request-parameter': 'a parameter',
  'request-parameter-property': 'a property or item of a parameter',
  'response-body': 'a response body',
  'response-property': 'a property of a response body',
  'response-header': 'a response header',
};
const ALL = Object.keys(SUBJECTS) as Subject[]; // The record contains all subjects.
const BODIES: readonly Subject[] = ['request-body', 'request-property', 'response-body', 'response-property'];
const PROPERTIES: readonly Subject[] = ['request-property', 'request-parameter-property', 'response-property'];
/** The subjects with a rule for specialized types. For other subjects, a specialized type is reported as changed. */
const WITH_SPECIALIZED: readonly Subject[] = [
  'request-parameter-property',
  'response-body',
  'response-property',
  'response-header',
];

/** The reported changes of schemas. */
const ASPECTS: readonly Aspect[] = [
  aspect('type-changed', ['differs', 'unsure'], 'the type or format was changed'),
  aspect('type-generalized', ['widens'], 'the type or format allows more values'),
  aspect('type-specialized', ['narrows'], 'the type or format allows fewer values', WITH_SPECIALIZED),
  aspect('list-of-types-widened', ['widens'], 'a type was added to a list of types'),
  aspect('list-of-types-narrowed', ['narrows'], 'a type was removed from a list of types'),
  aspect('became-nullable', ['widens'], 'null is allowed'),
  aspect('became-not-nullable', ['narrows'], 'null is no longer allowed'),
  aspect('became-enum', ['narrows'], 'enum was added'),
  aspect('became-not-enum', ['widens'], 'enum was removed'),
  aspect('enum-value-added', ['widens'], 'a value of enum was added'),
  aspect('enum-value-removed', ['narrows'], 'a value of enum was removed'),
  aspect('const-added', ['narrows'], 'const was added'),
  aspect('const-removed', ['widens'], 'const was removed'),
  aspect('const-changed', ['differs'], 'const was changed'),
  ...['added', 'removed', 'changed'].map((change) =>
    aspect(`default-value-${change}`, { request: ['unsure'], response: ['none'] }, `the default was ${change}`),
  ),
  ...LIMITS.flatMap(({ rule, keyword, side }) => [
    aspect(`${rule}-set`, ['narrows'], `${keyword} was set`),
    aspect(`${rule}-unset`, ['widens'], `${keyword} was removed`),
    aspect(`${rule}-increased`, [side === 'upper' ? 'widens' : 'narrows'], `${keyword} was increased`),
    aspect(`${rule}-decreased`, [side === 'upper' ? 'narrows' : 'widens'], `${keyword} was decreased`),
  ]),
  aspect('min-contains-increased', ['narrows'], 'minContains was increased'),
  aspect('min-contains-decreased', ['widens'], 'minContains was decreased'),
  aspect('multiple-of-set', ['narrows'], 'multipleOf was set'),
  aspect('multiple-of-unset', ['widens'], 'multipleOf was removed'),
  aspect('multiple-of-changed', ['narrows', 'widens', 'differs'], 'multipleOf was changed'),
  aspect('pattern-added', ['narrows'], 'pattern was added'),
  aspect('pattern-removed', { request: ['widens'], response: ['unsure'] }, 'pattern was removed'),
  aspect('pattern-changed', ['unsure'], 'pattern was changed'),
  aspect('unique-items-set', ['narrows'], 'items must be unique'),
  aspect('unique-items-unset', ['widens'], 'items need no longer be unique'),
  aspect('contains-added', ['narrows'], 'contains was added'),
  aspect('contains-removed', ['widens'], 'contains was removed'),
  aspect('contains-changed', ['unsure'], 'contains was changed, beside maxContains'),
  ...OPAQUE_KEYWORDS.flatMap(({ rule, keyword, change }) => [
    aspect(`${rule}-added`, ['narrows'], `${keyword} was added`),
    aspect(`${rule}-removed`, ['widens'], `${keyword} was removed`),
    aspect(`${rule}-changed`, [change], `${keyword} was changed`),
  ]),
  aspect('dependent-required-added', ['narrows'], 'a property requires another one'),
  aspect('dependent-required-removed', ['widens'], 'a property no longer requires another one'),
  aspect(
    'pattern-property-added',
    { request: ['narrows', 'widens'], response: ['narrows', 'unsure'] },
    'patternProperties has another pattern',
  ),
  aspect('pattern-property-removed', ['narrows', 'widens'], 'patternProperties lacks a pattern'),
  aspect('additional-properties-opened', { request: ['widens'], response: ['unsure'] }, 'other properties are allowed'),
  aspect('additional-properties-closed', ['narrows'], 'other properties are no longer allowed'),
  aspect('property-names-added', ['narrows'], 'propertyNames was added'),
  aspect('property-names-removed', ['widens'], 'propertyNames was removed'),
  aspect('one-of-added', ['widens'], 'an alternative of oneOf was added'),
  aspect('one-of-removed', ['narrows'], 'an alternative of oneOf was removed'),
  aspect('any-of-added', ['widens'], 'an alternative of anyOf was added'),
  aspect('any-of-removed', ['narrows'], 'an alternative of anyOf was removed'),
  aspect('one-of-overlap-changed', ['unsure'], 'a value may match another number of alternatives of oneOf'),
  aspect('wrapped-in-one-of', ['differs'], 'the schema became a choice without the previous schema'),
  aspect('choices-changed', ['unsure'], 'oneOf and anyOf were changed in a way that is not analysed'),
  aspect('discriminator-property-name-changed', ['differs'], 'the discriminator has another property'),
  aspect('discriminator-mapping-added', { request: [], response: ['unsure'] }, 'the discriminator has another value'),
  aspect('discriminator-mapping-deleted', ['narrows'], 'the discriminator lacks a value'),
  aspect('xml-changed', ['differs'], 'it is another part of an XML document', BODIES),
  aspect('deprecated', ['none'], 'it is deprecated', PROPERTIES),
  aspect('reactivated', ['none'], 'it is no longer deprecated', PROPERTIES),
];

/** Returns the levels of a change in one direction; none if it is not reported. */
function levelsOf({ effects }: Aspect, direction: MessageDirection): readonly Level[] {
  return [...new Set(effects[direction].map((effect) => LEVEL_OF_EFFECT[direction][effect]))];
}

function aspect(
  name: string,
  effects: readonly Effect[] | Aspect['effects'],
  meaning: string,
  subjects: readonly Subject[] = ALL,
): Aspect {
  const both = 'request' in effects ? effects : { request: effects, response: effects };
  return { aspect: name, effects: both, subjects, meaning };
}

/** A deliberate difference from oasdiff. */
type Difference = { readonly names: RegExp; readonly there: Level; readonly reason: string };

/** The rules whose level always or sometimes differs from oasdiff's level. */
const DIFFERENCES: readonly Difference[] = (
  [
    [
      /^request-(?:body|property|parameter)-(?:(?:exclusive-)?(?:max|min)|max-length|min-items)-set$/,
      'WARN',
      'a new limit rejects values that were valid',
    ],
    [/^request-(?:body|property)-default-value-/, 'INFO', 'requests without the value may change their meaning'],
    [/^request-parameter-default-value-/, 'ERR', 'the requests stay valid, but may change their meaning'],
    [/^request-property-removed$/, 'WARN', 'an error where other properties are forbidden'],
    [/^request-required-property-became-not-read-only$/, 'INFO', 'clients must now send the property'],
    [
      /^(?:request-(?:body|property|parameter)|response-(?:body|property|header))-type-changed$/,
      'ERR',
      'a warning where the type is not declared, but implied by other keywords',
    ],
    [/^request-parameter-property-type-changed$/, 'WARN', 'an error where the type is declared'],
    [
      /^(?:request-.*-discriminator-mapping-deleted|response-.*-discriminator-mapping-added|.*-discriminator-property-name-changed)$/,
      'INFO',
      'it changes the allowed values',
    ],
    [
      /^(?:request-.*-pattern-property-removed|response-.*-pattern-property-added)$/,
      'INFO',
      'the effect depends on the schema of other properties',
    ],
    [
      /^(?:request-.*-pattern-property-added|response-.*-pattern-property-removed)$/,
      'ERR',
      'the effect depends on the schema of other properties',
    ],
    [/^response-(?:body|property)-any-of-added$/, 'INFO', 'clients do not expect the new values'],
    [/^response-property-enum-value-added$/, 'WARN', 'clients do not expect the new values'],
    [
      /^response-property-pattern-(?:changed|removed)$/,
      'INFO',
      'clients that validate responses may reject other values',
    ],
    [/^response-(?:required|optional)-property-added$/, 'INFO', 'a warning where other properties were forbidden'],
    [
      /^response-(?:required|optional)-property-became-write-only$/,
      'INFO',
      'responses lack the property, as after its removal',
    ],
    [/^response-required-property-became-not-write-only$/, 'WARN', 'a new property of a response breaks no client'],
    [
      /^api-security-(?:added|removed|scope-added|component-type-changed)$/,
      'INFO',
      'existing credentials, or requests without any, may be rejected',
    ],
  ] as const
).map(([names, there, reason]) => ({ names, there, reason }));

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
