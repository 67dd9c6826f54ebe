import type { ApiOperation } from '../../operations/api-operation.ts';
import type { RequestInput } from '../../requests/wire-request.ts';
import { isObject, isScalar } from '../../values/json-value.ts';
import { isAsynchronous } from '../judgement/statuses.ts';
import {
  differenceBetween,
  etagOf,
  isConditional,
  isDone,
  readUpdated,
  SALT,
  sendTo,
  type Id,
  type Scene,
} from './resource-steps.ts';
import type { Step } from './send.ts';

/** Changes one member by a merge patch (RFC 7396): it is read, and so is the rest of what was written. */
export async function checkPatch(scene: Scene, id: Id, written: Step | undefined): Promise<void> {
  const { item, judge } = scene;
  const { patch } = item;
  if (patch === undefined || isAsynchronous(patch)) return;
  if (!takesMergePatch(patch)) return;
  const before = await sendTo(scene, item.read, id);
  if (!isDone(before)) return;
  const step = await sendTo(scene, patch, id, {
    salt: SALT.patch,
    etag: isConditional(patch) ? etagOf(before) : undefined,
    adapt: withOneMember,
  });
  if (!isDone(step)) return;
  const after = await readUpdated(scene, id);
  if (after === undefined) return;
  const unchanged =
    written && differenceBetween(written, before, scene) === undefined
      ? written.testCase.input?.body?.value
      : undefined;
  judge.expect('update_is_visible', after, differenceBetween(step, after, scene, { and: unchanged }));
}

/** Returns whether an operation takes merge patches. */
export function takesMergePatch({ requestBody }: ApiOperation): boolean {
  return requestBody?.contents.some(({ mediaType }) => mediaType === 'application/merge-patch+json') === true;
}

/** Keeps one scalar member of a body. */
function withOneMember({ parameters, body }: RequestInput): RequestInput {
  if (body === undefined || !isObject(body.value)) return { parameters, body };
  const members = Object.entries(body.value).filter(([, value]) => isScalar(value));
  return { parameters, body: { ...body, value: Object.fromEntries(members.slice(0, 1)) } };
}
