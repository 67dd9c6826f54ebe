import { kindOf, type Operation } from '@contract-first/contract';
import { type Json, toJsonTree, type Values } from '@contract-first/model/values';

// Each schema is compiled for its first example, which takes long in large documents.
const MAX_EXAMPLES = 100;

/**
 * Finds the examples of JSON responses that their schemas do not allow, and that the mock does not send. Validates at
 * most {@link MAX_EXAMPLES} examples.
 *
 * @returns after each example, a line about it, or `undefined` if it is valid
 */
export function* findInvalidExamples(
  values: Values,
  operations: readonly Operation[],
): Generator<string | undefined, void> {
  let count = 0;
  for (const { operationId, responses } of operations) {
    for (const status of Object.keys(responses)) {
      for (const [mediaType, described] of Object.entries(values.responseOf(operationId, status).content ?? {})) {
        const { schema, example } = described;
        const own = example === undefined ? [] : ([['example', example as Json]] as const); // Of a validated document.
        const named = [...values.examplesOf(described)].map(([name, value]) => [`example ${name}`, value] as const);
        for (const [name, value] of kindOf(mediaType) === 'json' ? [...own, ...named] : []) {
          const violation = values.oracle.violation(schema, toJsonTree(value));
          yield violation && `${operationId} ${status} ${mediaType}: ${name}${violation.path} ${violation.message}`;
          count += 1;
          if (count === MAX_EXAMPLES) return;
        }
      }
    }
  }
}
