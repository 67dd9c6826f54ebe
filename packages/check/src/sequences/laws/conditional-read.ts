import { headerParameter } from '@contract-first/model/operations';
import { responseEtag, isSuccessfulStep, otherTag, type ResourceClient } from '../resource-client.ts';
import type { SequenceStep } from '../sequence-step.ts';
import { withParameter } from '../step-input.ts';

const NOT_MODIFIED = 304;

/** If 304 is documented, reads a resource with its current entity tag and with a different tag. */
export async function checkConditionalRead(client: ResourceClient, read: SequenceStep): Promise<void> {
  const { operation, testCase } = read;
  const etag = responseEtag(read);
  if (etag === undefined || testCase.input === undefined || operation.responses[NOT_MODIFIED] === undefined) return;
  const { input } = testCase;
  const sendWith = (value: string): Promise<SequenceStep | undefined> => {
    const parameter = headerParameter(operation, 'if-none-match');
    return parameter === undefined
      ? client.judge.send(operation, input, [['If-None-Match', value]])
      : client.judge.send(operation, withParameter(input, parameter, value));
  };
  const same = await sendWith(etag);
  if (same !== undefined && same.response.status < 400) {
    const isUnchanged =
      same.response.status === NOT_MODIFIED || (isSuccessfulStep(same) && responseEtag(same) !== etag);
    const message = isUnchanged
      ? undefined
      : `with its ETag in If-None-Match, the status is ${String(same.response.status)}, not 304`;
    client.judge.expect('conditional_requests', same, message, [read]);
  }
  const other = await sendWith(otherTag(etag));
  if (other === undefined) return;
  const isWrong = other.response.status === NOT_MODIFIED;
  client.judge.expect(
    'conditional_requests',
    other,
    isWrong ? 'with another ETag in If-None-Match, the status is 304' : undefined,
    [read],
  );
}
