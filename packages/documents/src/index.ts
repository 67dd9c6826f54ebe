// Reads, checks and normalizes OpenAPI documents.

export { ALLOW_REFS, NO_OUTSIDE, readAllowedRefs, type AllowedRefs } from './allowed-refs.ts';
export { Bug } from './bug.ts';
export { findCombinations } from './combinations.ts';
export { compileContract, prepareDocument, type CompiledDocument } from './compile.ts';
export { DECODED, isDecoded } from './decoded-formats.ts';
export { createDirectedSchemas, type Direction } from './directed-schemas.ts';
export { constrainAlternatives } from './discriminators.ts';
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
} from './document.ts';
export { sentKindOf, type FailureBody } from './failures.ts';
export type { FilePosition, ReadText } from './files.ts';
export { LIMITED_PATTERNS, LimitedPattern } from './limited-pattern.ts';
export { formatDiagnostic, placeDiagnostics, type Diagnostic, type PlacedDiagnostic } from './diagnostic.ts';
export { loadContract } from './load.ts';
export { capitalize, unusedName } from './names.ts';
export { withFiles } from './operation-schemas.ts';
export { isPlainText } from './operation-formats.ts';
export { optional } from './records.ts';
export { IGNORED_PARAMETERS, parametersOf, schemaOf, valueSchemaOf } from './parameters.ts';
export { decode, dereference, resolveReference, schemasInPlace, tokensOf, type OpenApiDocument } from './reference.ts';
export { basePathsOf } from './servers.ts';
export { isInt64 } from './shapes.ts';
export { textTypeOf } from './text-types.ts';
export { walkDocument } from './walk.ts';
export { METHODS, withDefaultStyle, type Serialization } from './openapi-rules.ts';
export { NOTHING_DECLARED, type Declared } from './declared.ts';
