import { memoizeByObject } from '../../memoize-by-object.ts';
import type { SchemaDocument } from '../../values/dialect.ts';
import type { Json } from '../../values/json-value.ts';
import type { ApiOperation, Parameter } from '../../operations/api-operation.ts';
import { documentedResponse, type Exchange } from './conformance.ts';
import { createPairing } from '../../operations/example-pairs.ts';

const pairingsOf = memoizeByObject((schemas: SchemaDocument) =>
  memoizeByObject((operation: ApiOperation) => createPairing(operation, schemas)),
);

/** Returns whether the document has the status for the examples that the request consists of, by their name. */
export function isPairedStatus({
  operation,
  testCase: { input },
  response: { status },
  requestOracle,
}: Exchange): boolean {
  if (input === undefined) return false;
  const { parameters, body } = input;
  const valueOf = (wanted: Parameter): Json | undefined =>
    parameters.find(({ parameter }) => parameter === wanted)?.value;
  const pair = pairingsOf(requestOracle.schemas)(operation)?.({ valueOf, body });
  return pair !== undefined && documentedResponse(operation, status) === operation.responses[pair.key];
}
