import type { Level } from './finding.ts';

/** A deliberate difference from oasdiff. */
export type Difference = { readonly names: RegExp; readonly there: Level; readonly reason: string };

/** The rules whose level differs from that of oasdiff, in some cases or in all. */
export const DIFFERENCES: readonly Difference[] = (
  [
    [
      /^request-(?:body|property|parameter)-(?:(?:exclusive-)?(?:max|min)|max-length|min-items)-set$/,
      'WARN',
      'a first limit rejects values as any other does',
    ],
    [/^request-(?:body|property)-default-value-/, 'INFO', 'requests without the value may change their meaning'],
    [/^request-parameter-default-value-/, 'ERR', 'the requests stay valid, but may change their meaning'],
    [/^request-property-removed$/, 'WARN', 'an error where other properties are forbidden'],
    [/^request-required-property-became-not-read-only$/, 'INFO', 'clients must send it now'],
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
      'the response lacks it, as if it were removed',
    ],
    [/^response-required-property-became-not-write-only$/, 'WARN', 'a new property of a response breaks no client'],
    [
      /^api-security-(?:added|removed|scope-added|component-type-changed)$/,
      'INFO',
      'existing credentials, or requests without any, may be rejected',
    ],
  ] as const
).map(([names, there, reason]) => ({ names, there, reason }));
