import type { Level } from './finding.ts';

/** A deliberate difference from oasdiff. */
export type Difference = { readonly names: RegExp; readonly there: Level; readonly reason: string };

/** The rules whose level differs from that of oasdiff, in some cases or in all. */
export const DIFFERENCES: readonly Difference[] = [
  {
    names: /^request-(?:body|property|parameter)-(?:(?:exclusive-)?(?:max|min)|max-length|min-items)-set$/,
    there: 'WARN',
    reason: 'a first limit rejects values as any other does',
  },
  {
    names: /^request-(?:body|property)-default-value-/,
    there: 'INFO',
    reason: 'requests without the value may change their meaning',
  },
  {
    names: /^request-parameter-default-value-/,
    there: 'ERR',
    reason: 'the requests stay valid, but may change their meaning',
  },
  {
    names: /^request-property-removed$/,
    there: 'WARN',
    reason: 'an error where other properties are forbidden',
  },
  {
    names: /^request-required-property-became-not-read-only$/,
    there: 'INFO',
    reason: 'clients must send it now',
  },
  {
    names: /^(?:request-(?:body|property|parameter)|response-(?:body|property|header))-type-changed$/,
    there: 'ERR',
    reason: 'a warning where the type is not declared, but implied by other keywords',
  },
  {
    names: /^request-parameter-property-type-changed$/,
    there: 'WARN',
    reason: 'an error where the type is declared',
  },
  {
    names:
      /^(?:request-.*-discriminator-mapping-deleted|response-.*-discriminator-mapping-added|.*-discriminator-property-name-changed)$/,
    there: 'INFO',
    reason: 'it changes the allowed values',
  },
  {
    names: /^(?:request-.*-pattern-property-removed|response-.*-pattern-property-added)$/,
    there: 'INFO',
    reason: 'the effect depends on the schema of other properties',
  },
  {
    names: /^(?:request-.*-pattern-property-added|response-.*-pattern-property-removed)$/,
    there: 'ERR',
    reason: 'the effect depends on the schema of other properties',
  },
  {
    names: /^response-(?:body|property)-any-of-added$|^response-property-pattern-removed$/,
    there: 'INFO',
    reason: 'clients do not expect the new values',
  },
  {
    names: /^response-property-enum-value-added$/,
    there: 'WARN',
    reason: 'clients do not expect the new values',
  },
  {
    names: /^response-property-pattern-changed$/,
    there: 'INFO',
    reason: 'the new pattern may match other values',
  },
  {
    names: /^response-(?:required|optional)-property-added$/,
    there: 'INFO',
    reason: 'a warning where other properties were forbidden',
  },
  {
    names: /^response-(?:required|optional)-property-became-write-only$/,
    there: 'INFO',
    reason: 'the response lacks it, as if it were removed',
  },
  {
    names: /^response-required-property-became-not-write-only$/,
    there: 'WARN',
    reason: 'a new property of a response breaks no client',
  },
  {
    names: /^api-security-(?:added|removed|scope-added|component-type-changed)$/,
    there: 'INFO',
    reason: 'existing credentials, or requests without any, may be rejected',
  },
];
