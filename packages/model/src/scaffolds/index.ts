/**
 * Parts that generated projects and the mock start with: failure bodies, an example request, and source text.
 *
 * @module @contract-first/model/scaffolds
 */

export { exampleRequest } from './example-request.ts';
export { createFailureRenderer, evaluate } from './failure-scaffold.ts';
export { indent, quote, renderArray, renderLiteral, renderMembers, renderObject } from './source-text.ts';
