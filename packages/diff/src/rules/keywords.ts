import type { Effect } from './finding.ts';

export type Side = 'upper' | 'lower';

/** A limit keyword: the name of its rules, its side, and the type of limited values. */
export type LimitKeyword = {
  readonly rule: string;
  readonly keyword: string;
  readonly side: Side;
  readonly type: string;
};

/** The limit keywords, except `minContains`, which has a default. */
export const LIMITS: readonly LimitKeyword[] = [
  { rule: 'max', keyword: 'maximum', side: 'upper', type: 'number' },
  { rule: 'exclusive-max', keyword: 'exclusiveMaximum', side: 'upper', type: 'number' },
  { rule: 'max-length', keyword: 'maxLength', side: 'upper', type: 'string' },
  { rule: 'max-items', keyword: 'maxItems', side: 'upper', type: 'array' },
  { rule: 'max-properties', keyword: 'maxProperties', side: 'upper', type: 'object' },
  { rule: 'max-contains', keyword: 'maxContains', side: 'upper', type: 'contained' },
  { rule: 'min', keyword: 'minimum', side: 'lower', type: 'number' },
  { rule: 'exclusive-min', keyword: 'exclusiveMinimum', side: 'lower', type: 'number' },
  { rule: 'min-length', keyword: 'minLength', side: 'lower', type: 'string' },
  { rule: 'min-items', keyword: 'minItems', side: 'lower', type: 'array' },
  { rule: 'min-properties', keyword: 'minProperties', side: 'lower', type: 'object' },
];

/** A keyword compared as text: the name of its rules, the effect of a change, and the type of its values. */
export type OpaqueKeyword = {
  readonly rule: string;
  readonly keyword: string;
  readonly change: Effect;
  readonly type?: string;
};

export const NOT: OpaqueKeyword = { rule: 'not', keyword: 'not', change: 'unsure' };
export const IF: OpaqueKeyword = { rule: 'if', keyword: 'if', change: 'unsure' };

/** The keywords compared as text. */
export const OPAQUE_KEYWORDS: readonly OpaqueKeyword[] = [
  NOT,
  IF,
  { rule: 'content-schema', keyword: 'contentSchema', change: 'unsure', type: 'string' },
  { rule: 'content-encoding', keyword: 'contentEncoding', change: 'differs', type: 'string' },
  { rule: 'content-media-type', keyword: 'contentMediaType', change: 'differs', type: 'string' },
  { rule: 'dependent-schema', keyword: 'dependentSchemas', change: 'unsure', type: 'object' },
  { rule: 'unevaluated-items', keyword: 'unevaluatedItems', change: 'unsure', type: 'array' },
];
