/**
 * Building blocks for generated projects and the mock: failure bodies, an example request, and source text.
 *
 * @module @contract-first/model/scaffolds
 */

export { exampleRequest } from './example-request.ts';
export { createFailureTemplates, fillTemplate, renderTemplate, type FailureTemplate } from './failure-template.ts';
export { indent, quoteString, renderArray, renderLiteral, renderMembers, renderObject } from './source-text.ts';
