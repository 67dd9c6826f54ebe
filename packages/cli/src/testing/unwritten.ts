import { NotImplemented } from '@contract-first/engine';

type Handlers = Readonly<Record<string, (request: never) => Promise<unknown>>>;

/**
 * Finds the operations with unimplemented handlers, which respond 501 without reading their request or dependencies.
 *
 * @param createHandlers is called with unusable arguments, as are its handlers, so that implemented handlers throw
 * @returns the operationIds
 */
export async function findUnwritten(
  createHandlers: (...dependencies: never[]) => Handlers,
): Promise<ReadonlySet<string>> {
  const count = createHandlers.length;
  // Replaces any dependency.
  const handlers = createHandlers(...Array.from({ length: count }, () => UNUSABLE as never));
  const found = await Promise.all(
    Object.entries(handlers).map(async ([operationId, handler]) => ((await isUnwritten(handler)) ? [operationId] : [])),
  );
  return new Set(found.flat());
}

async function isUnwritten(handler: Handlers[string]): Promise<boolean> {
  try {
    await handler(UNUSABLE as never); // Replaces the request.
    return false;
  } catch (error) {
    return error instanceof NotImplemented;
  }
}

/** An object with every member, which throws when called or converted to a primitive. */
const UNUSABLE: unknown = new Proxy(() => undefined, { get: () => UNUSABLE, apply: refuseUse, construct: refuseUse });

function refuseUse(): never {
  throw new Error('this handler is written');
}
