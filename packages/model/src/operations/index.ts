/**
 * The operations of a document, their parameters, bodies, examples and links.
 *
 * @module @contract-first/model/operations
 */

export {
  type ApiOperation,
  type ApiResponse,
  type BodyContent,
  headerParameter,
  type ApiParameter,
  type ResponseLink,
  type ApiSecurityScheme,
} from './api-operation.ts';
export { encodingOf, omitNonFormMembers, writeBody } from './body-bytes.ts';
export { createPairing, type ExamplePair, type SentValues } from './example-pairs.ts';
export { readOperations } from './list-operations.ts';
export { pathPattern } from './list-operations.ts';
export { readRequestBody } from './read-contents.ts';
export { type InvalidOperation, removeInvalid } from './remove-invalid.ts';
