import { stringifyJson } from '@contract-first/contract';
import { headerParameter } from '@contract-first/model/operations';
import { defectOf } from '../../judgement/defect.ts';
import { IDEMPOTENCY_KEY } from '../../run/idempotency-keys.ts';
import { isSameResource } from '../identity.ts';
import { isSuccessfulStep, SEED_OFFSET, type Id, type ResourceClient } from '../resource-client.ts';
import { withParameter } from '../step-input.ts';

/** Creates a resource twice with the same idempotency key, if the operation declares the header. */
export async function checkIdempotencyKey(client: ResourceClient, parent: Id): Promise<void> {
  const { item, judge, instances } = client;
  const key = item.create && headerParameter(item.create, IDEMPOTENCY_KEY);
  if (item.create === undefined || key === undefined) return;
  const third = await instances.create(item, judge.send, SEED_OFFSET.late, parent);
  const input = 'values' in third ? third.creation?.testCase.input : undefined;
  const value = input?.parameters.find(({ parameter }) => parameter === key)?.value;
  if (!('values' in third) || input === undefined || value === undefined) return;
  const again = await judge.send(item.create, withParameter(input, key, value));
  if (!isSuccessfulStep(again)) return;
  const [identity] = instances.identities(again, item);
  const isOther = identity !== undefined && !isSameResource(identity.values, third.values);
  const defect = isOther
    ? defectOf(
        `the same idempotency key created ${stringifyJson(identity.values.at(-1))} as well`,
        'the same idempotency key created two resources',
      )
    : undefined;
  judge.expect('idempotency_key', again, defect);
}
