/**
 * Test cases of an operation: valid, invalid, with examples and with wrong credentials.
 *
 * @module @contract-first/model/cases
 */

export { type BodyChoice, type Case, type CaseKind, caseOf, classify, decideKind, NOT_OF_OPERATION } from './case.ts';
export { createExampleFaults, exampleCases, type ExampleFaults } from './example-cases.ts';
export { createValidInputs } from './valid-inputs.ts';
export { hasOtherId, withIdOfPath } from './path-id-in-body.ts';
export { systematicCases } from './systematic-cases.ts';
export { mutateBody, shrink } from './variants.ts';
