import { parameterNames } from '@contract-first/contract';
import { pathValue } from '@contract-first/model/requests';
import { isAsynchronous, MISSING } from '../../judgement/statuses.ts';
import { isSuccessfulStep, sendTo, type ResourceClient } from '../resource-client.ts';
import type { Send } from '../sequence-step.ts';

/** Creates {@link Send}, which expects 201 if a PUT creates a resource (RFC 9110, 9.3.4), as shown by reads. */
export function sendCreation(client: ResourceClient): Send {
  const { item, judge } = client;
  return async (operation, input, headers) => {
    const isJudged = operation === item.replace && operation.responses[201] !== undefined;
    if (!isJudged || isAsynchronous(operation)) return judge.send(operation, input, headers);
    const id = parameterNames(operation.path).map((name) => pathValue(input, name) ?? null);
    const before = await sendTo(client, item.read, id);
    const step = await judge.send(operation, input, headers);
    const isNew = before !== undefined && MISSING.includes(before.response.status);
    if (!isNew || !isSuccessfulStep(step) || !isSuccessfulStep(await sendTo(client, item.read, id))) return step;
    const { status } = step.response;
    const message = `a PUT that creates a resource gets ${String(status)}, not 201`;
    judge.expect('status_code_conformance', step, status === 201 ? undefined : message, [before]);
    return step;
  };
}
