// The contract of a service, for the engine and for tools. Applications import from @contract-first/engine.

export { assertNoPromise, PromisedValue } from './no-promise.ts';
export type { Caller, Identity } from './caller.ts';
export { findCost } from './check-cost.ts';
export {
  createFormatConverter,
  type AnyFormats,
  type FormatCodec,
  type FormatConverter,
  type Formats,
} from './format-converter.ts';
export { TOKEN_PLACEHOLDER, type Contract, type ExampleRequest } from './contract.ts';
export { escapeControls, escapeToLine } from './escape-controls.ts';
export { replaceEqualityKeywords } from './equality.ts';
export { roundBigints, withDigits } from './exact-values.ts';
export { replaceFormats } from './formats.ts';
export { HandlerFailure } from './handler-failure.ts';
export type {
  FailureDetails,
  FailureReplyOf,
  FailuresOf,
  HandlersOf,
  Matched,
  ReplyOf,
  RequestContext,
  RequestOf,
  UnmatchedOf,
} from './handler-types.ts';
export { integerOf, isInt64, reviveInt64s } from './int64.ts';
export { escapePointer } from './json-pointer.ts';
export { replaceLimits } from './limits.ts';
export { IN_PLACE_LISTS, keywordsWhere, SCHEMA_KEYWORDS, subschemasOf } from './keywords.ts';
export { mapBigints, parseJson, parseJsonTree, stringifyJson, toJsonTree, toJsonValue, type JsonTree } from './json.ts';
export {
  concreteMediaType,
  essenceOf,
  failureMediaType,
  findCodec,
  isSequential,
  isMediaType,
  kindOf,
  matchMediaType,
  mayHaveCodec,
  sequenceKindOf,
  type BodyKind,
  type MediaTypeChoice,
} from './media-type.ts';
export { isMultipleOf, replaceMultipleOf } from './multiple-of.ts';
export { memoizeByObject } from './memoize-by-object.ts';
export { NotImplemented } from './not-implemented.ts';
export {
  bodyLimitOf,
  findExcess,
  findResponseKey,
  findSizeProblem,
  isUpload,
  listCodecs,
  type ByteLimits,
  type DocumentedResponse,
  type Operation,
  type OperationFormats,
  type OperationSchemas,
  type Parameter,
  type RequestMediaType,
  type SchemeRequirement,
  type SecurityScheme,
  type TextType,
} from './operation.ts';
export {
  matchSegment,
  normalizePath,
  parameterNames,
  parseSegment,
  routeKey,
  segmentKey,
  type SegmentTemplate,
} from './path-template.ts';
export { compilePattern } from './pattern.ts';
export {
  MAX_VIOLATIONS,
  NO_VIOLATIONS,
  createViolation,
  isWithin,
  limitViolations,
  placeOf,
  type Violation,
} from './violation.ts';
export { createProgressLine, type ProgressLine } from './progress-line.ts';
export type { Shape, Shapes } from './shape.ts';
export { SourceDigits } from './source-digits.ts';
export { checkerKindOf, findSchemes } from './supported-scheme.ts';
export { TimeLimitExceeded, runWithin } from './time-limit.ts';
export { TimeSlices } from './time-slices.ts';
export {
  InvalidRequest,
  InvalidResponse,
  type OperationValidator,
  type PartDigits,
  type RequestParts,
} from './validator.ts';
export { Unavailable } from './unavailable.ts';
export { VARIABLES } from './variables.ts';
export { MAX_MEMBERS } from './schema-compiler.ts';
export { Validators } from './validators.ts';
