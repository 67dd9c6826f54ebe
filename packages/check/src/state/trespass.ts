import { type ApiOperation, headerParameter } from '@contract-first/model/operations';
import type { CheckName } from '../judgement/checks.ts';
import { defectOf } from '../judgement/defect.ts';
import { isMarked } from './deletion.ts';
import { differenceBetween, etagOf, isDone, SALT, sendTo, type Id, type Scene } from './resource-steps.ts';
import type { Step } from './send.ts';

const CHECK: CheckName = 'object_level_authorization';
/** The statuses that refuse a resource to a user. Others may be about the request. */
const REFUSALS = [401, 403, 404, 410];

/** Records a deed of a second user as a failure, and names the option that allows it; without one, records a pass. */
export function judgeTrespass({ judge }: Scene, step: Step, deed: string | undefined): void {
  const { method, template } = step.operation;
  const { status } = step.response;
  if (!isDone(step) && !REFUSALS.includes(status)) return;
  const cause = `another user can ${deed ?? ''}`;
  const hint = `if everyone may, add --shared '${method} ${template}'`;
  const message = `${cause}: ${method} got status ${String(status)}; ${hint}`;
  judge.expect(CHECK, step, deed === undefined ? undefined : defectOf(message, cause));
}

/**
 * Changes or deletes a resource as a second user. A success fails the check, and so does a refusal with an effect. A success
 * without an effect passes for a DELETE, and where the request may be about another resource, as a PUT that creates one is.
 *
 * @param other sends the requests of the second user
 * @param missing the statuses of reads of unknown ids
 * @param hasSameId whether the second user may have a resource of this id
 */
export async function tryChange(
  scene: Scene,
  operation: ApiOperation,
  id: Id,
  {
    other,
    missing,
    hasSameId,
  }: { readonly other: Scene; readonly missing: readonly number[]; readonly hasSameId: boolean },
): Promise<void> {
  const { item, judge } = scene;
  const [earlier, before] = [await sendTo(scene, item.read, id), await sendTo(scene, item.read, id)];
  if (!isDone(before) || !isDone(earlier)) return; // An attempt before this one was successful.
  const etag = headerParameter(operation, 'if-match') && etagOf(before);
  const attempt = await sendTo(other, operation, id, { salt: SALT.trespass, etag });
  const after = attempt && (await sendTo(scene, item.read, id));
  if (attempt === undefined || after === undefined) return;

  const isDeletion = operation === item.remove;
  const isWritten = (read: Step): boolean => differenceBetween(attempt, read, scene) === undefined;
  const isChanged = isDeletion ? isMarked(earlier, before, after) : isWritten(after) && !isWritten(before);
  const effect = missing.includes(after.response.status)
    ? 'deleted'
    : isDone(after) && isChanged
      ? 'changed'
      : undefined;
  const mayCreate = attempt.response.status === 201 || item.replace?.responses[201] !== undefined;
  const isElsewhere = hasSameId || (operation === item.replace && mayCreate);
  const isHarmless = effect === undefined && (isDeletion || isElsewhere);
  if (isDone(attempt) || effect === undefined) {
    const deed = isDeletion ? 'delete it' : 'change it';
    judgeTrespass(scene, attempt, !isDone(attempt) || isHarmless ? undefined : deed);
  } else {
    judge.expect(CHECK, after, `the ${operation.method} of another user was refused, but has ${effect} it`, [attempt]);
  }
}
