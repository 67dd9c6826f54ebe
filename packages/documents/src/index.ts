// Reads, checks and normalizes OpenAPI documents.

// All steps.
export { compileContract, prepareDocument, type CompiledDocument } from './compile.ts';
export { loadContract } from './load.ts';

// Read.
export { ALLOW_REFS, NO_OUTSIDE, readAllowedRefs, type AllowedRefs } from './read/allowed-refs.ts';
export { formatDiagnostic, placeDiagnostics, type Diagnostic, type PlacedDiagnostic } from './read/diagnostic.ts';
export { copyOf } from './read/file-objects.ts';
export type { FilePosition, ReadFileText } from './read/files.ts';

// The objects of a document.
export { DECODED, isDecoded, NOTHING_DECLARED, type Declared } from './document/codecs.ts';
export {
  basePathsOf,
  listOperations,
  METHODS,
  operationPointer,
  operationsOf,
  withDefaultStyle,
  type Content,
  type Document,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type RequestBodyObject,
  type ResponseObject,
  type Serialization,
  type Server,
} from './document/document.ts';
export { optional } from './document/map-values.ts';
export { capitalize, unusedName } from './document/names.ts';
export { IGNORED_PARAMETERS, parameterSchemaOf, parametersOf, valueSchemaOf } from './document/parameters.ts';
export {
  decode,
  dereference,
  describedProperties,
  resolveReference,
  schemasInPlace,
  tokensOf,
  type OpenApiDocument,
} from './document/reference.ts';
export { describesInt64 } from './document/shapes.ts';
export { describesJson, textTypeOf } from './document/text-types.ts';
export { Bug, walkDocument } from './document/walk.ts';

// Normalize.
export { constrainAlternatives } from './normalize/discriminators.ts';

// Check.
export { findCombinations } from './check/combinations.ts';
export { CODE_OPTIONS, LimitedPattern } from './check/invalid-defaults.ts';

// Compile the operations.
export { createDirectedSchemas, type Direction } from './operations/directed-schemas.ts';
export { sentKindOf, type FailureBody } from './operations/failures.ts';
export { isPlainText } from './operations/operation-formats.ts';
export { withFiles } from './operations/operation-schemas.ts';
