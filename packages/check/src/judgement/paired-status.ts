import { memoizeByObject } from '@contract-first/contract';
import type { Json, SchemaDocument } from '@contract-first/model/values';
import { type ApiOperation, createPairing, type Parameter } from '@contract-first/model/operations';
import { documentedResponse, type Exchange } from './conformance.ts';

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
