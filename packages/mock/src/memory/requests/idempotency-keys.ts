import type { AnyReply } from '@contract-first/engine/tools';
import { headerParameter } from '@contract-first/model/operations';
import { sizeOf, sizeOfText } from '@contract-first/model/values';
import { BoundedMap } from '../bounded-map.ts';
import { pathOf } from '../state/paths.ts';
import { etagOf, type MockRequest } from '../reply.ts';
import type { OperationContext } from './operation-context.ts';
import { omitFiles } from './request-body.ts';

/** The statuses for a key that is reused with a different body, in order of preference. */
const REUSED = [422, 409, 400] as const;
const MESSAGE = 'the Idempotency-Key was sent with another body before: send a new key';

/** Stores the successful replies to requests with a documented `Idempotency-Key`. */
export class IdempotencyKeys {
  readonly #replies: BoundedMap<{ readonly reply: AnyReply; readonly body: string }>;

  constructor(limit: number) {
    this.#replies = new BoundedMap(
      limit,
      (key, { reply: { body } }) => sizeOfText(key.length) + sizeOf(omitFiles(body) ?? null),
    );
  }

  /** Handles a request once. A repetition with the same key gets the same reply, or a failure if its body differs. */
  handleOnce(
    { operation, documented, fail }: OperationContext,
    request: MockRequest,
    handle: () => AnyReply,
  ): AnyReply {
    const key = request.rawHeaders['idempotency-key'];
    if (key === undefined || headerParameter(operation, 'idempotency-key') === undefined) return handle();
    const place = `${pathOf(operation.path, request)} ${String(key)}`;
    const body = etagOf(omitFiles(request.body) ?? null);
    const known = this.#replies.get(place);
    if (known !== undefined) {
      const status = REUSED.find((one) => documented.responses[one] !== undefined) ?? REUSED[0];
      return (known.body === body ? undefined : fail(request, status, MESSAGE)) ?? known.reply;
    }
    const reply = handle();
    if (reply.status < 300) this.#replies.set(place, { reply, body });
    return reply;
  }

  clear(): void {
    this.#replies.clear();
  }
}
