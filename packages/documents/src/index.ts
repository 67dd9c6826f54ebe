// Reads, checks and normalizes OpenAPI documents.

export { ALLOW_REFS, NO_OUTSIDE, readAllowedRefs, type AllowedRefs } from './read/allowed-refs.ts';
export { Bug } from './document/walk.ts';
export { findCombinations } from './check/combinations.ts';
export { compileContract, prepareDocument, type CompiledDocument } from './compile.ts';
export { DECODED, isDecoded } from './document/codecs.ts';
export { createDirectedSchemas, type Direction } from './operations/directed-schemas.ts';
export { constrainAlternatives } from './normalize/discriminators.ts';
export {
  listOperations,
  operationPointer,
  operationsOf,
  type Content,
  type Document,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  type RequestBodyObject,
  type ResponseObject,
  type Server,
} from './document/document.ts';
export { sentKindOf, type FailureBody } from './operations/failures.ts';
export { copyOf } from './read/file-objects.ts';
export type { FilePosition, ReadFileText } from './read/files.ts';
export { CODE_OPTIONS, LimitedPattern } from './check/invalid-defaults.ts';
export { formatDiagnostic, placeDiagnostics, type Diagnostic, type PlacedDiagnostic } from './read/diagnostic.ts';
export { loadContract } from './load.ts';
export { capitalize, unusedName } from './document/names.ts';
export { withFiles } from './operations/operation-schemas.ts';
export { isPlainText } from './operations/operation-formats.ts';
export { optional } from './document/map-values.ts';
export { IGNORED_PARAMETERS, parametersOf, parameterSchemaOf, valueSchemaOf } from './document/parameters.ts';
export {
  decode,
  dereference,
  describedProperties,
  resolveReference,
  schemasInPlace,
  tokensOf,
  type OpenApiDocument,
} from './document/reference.ts';
export { basePathsOf } from './document/document.ts';
export { describesInt64 } from './document/shapes.ts';
export { describesJson, textTypeOf } from './document/text-types.ts';
export { walkDocument } from './document/walk.ts';
export { METHODS, withDefaultStyle, type Serialization } from './document/document.ts';
export { NOTHING_DECLARED, type Declared } from './document/codecs.ts';
