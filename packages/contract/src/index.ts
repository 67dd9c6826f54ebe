// The contract of a service, for the engine and for tools. Applications import from @contract-first/engine.

// The contract and its operations.
export { TOKEN_PLACEHOLDER, type Contract, type ExampleRequest } from './operations/contract.ts';
export { VARIABLES } from './operations/engine-variables.ts';
export { failureStatusOf } from './operations/failure-status.ts';
export { integerOf, isInt64, reviveInt64s } from './operations/int64.ts';
export {
  concreteMediaType,
  essenceOf,
  failureMediaType,
  findCodec,
  isJsonRange,
  isMediaType,
  isSequential,
  kindOf,
  matchMediaType,
  mayHaveCodec,
  mediaTypeParameters,
  normalizeMediaType,
  sequenceKindOf,
  spellAsDocumented,
  type BodyKind,
  type MediaTypeChoice,
} from './operations/media-type.ts';
export {
  bodyLimitOf,
  findExcess,
  findResponseKey,
  findSizeProblem,
  idempotencyKeyOf,
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
} from './operations/operation.ts';
export {
  matchSegment,
  normalizePath,
  normalizeTemplate,
  parameterNames,
  parseSegment,
  routeKey,
  segmentKey,
  type SegmentTemplate,
} from './operations/path-template.ts';
export type { Shape, Shapes } from './operations/shape.ts';
export { checkerKindOf, findSchemes } from './operations/supported-scheme.ts';
export {
  createViolation,
  isWithin,
  limitViolations,
  MAX_VIOLATIONS,
  NO_VIOLATIONS,
  placeOf,
  type Violation,
} from './operations/violation.ts';

// Handlers: their types and errors.
export { HandlerFailure, NotAcceptable, NotImplemented, PreconditionFailed, Unavailable } from './errors.ts';
export {
  assertNoPromise,
  createFormatConverter,
  PromisedValue,
  type AnyFormats,
  type FormatCodec,
  type FormatConverter,
  type Formats,
} from './handlers/format-converter.ts';
export type {
  Caller,
  FailureDetails,
  FailureReplyOf,
  FailuresOf,
  HandlersOf,
  Identity,
  Matched,
  ReplyOf,
  RequestContext,
  RequestOf,
  ResourceState,
  UnmatchedOf,
} from './handlers/handler-types.ts';

// JSON with exact numbers.
export { escapePointer, unescapePointer } from './json/json-pointer.ts';
export {
  mapBigints,
  parseJson,
  parseJsonTree,
  stringifyJson,
  toJsonTree,
  toJsonValue,
  type JsonTree,
} from './json/json.ts';
export { SourceDigits } from './json/source-digits.ts';

// Validation.
export type { AjvInstance, CreateAjv } from './validation/ajv.ts';
export { findCost } from './validation/check-cost.ts';
export { Validators } from './validation/compile-validators.ts';
export { equalityKey, replaceEqualityKeywords } from './validation/equality.ts';
export { callSchema, replaceEvaluation } from './validation/evaluated-parts.ts';
export { roundBigints, withDigits } from './validation/exact-values.ts';
export { replaceFormats } from './validation/formats.ts';
export { IN_PLACE_LISTS, isInPlaceList, keywordsWhere, SCHEMA_KEYWORDS, subschemasOf } from './validation/keywords.ts';
export { replaceLimits } from './validation/limits.ts';
export { isMultipleOf, replaceMultipleOf } from './validation/multiple-of.ts';
export { compilePattern } from './validation/pattern.ts';
export { MAX_MEMBERS } from './validation/schema-compiler.ts';
export { runWithin, TimeLimitExceeded } from './validation/time-limit.ts';
export { TimeSlices } from './validation/time-slices.ts';
export {
  InvalidRequest,
  InvalidResponse,
  type OperationValidator,
  type PartDigits,
  type RequestParts,
} from './validation/validator.ts';

// Other helpers.
export { escapeControls, escapeToLine } from './escape-controls.ts';
export { memoizeByObject } from './memoize-by-object.ts';
export { nodeHttp } from './node-http.ts';
export { createProgressLine, type ProgressLine } from './progress-line.ts';
export { describeSystemError } from './system-error.ts';
