import { NotImplemented } from '@contract-first/engine';

type Handlers = Readonly<Record<string, (request: never) => Promise<unknown>>>;

/**
 * Finds the operations whose handlers are still to be written: they respond 501 without a look at anything.
 *
 * @param createHandlers is called with arguments that cannot be used, and so are its handlers: one that is written fails
 * @returns their operationIds
 */
export async function findUnwritten(
  createHandlers: (...dependencies: never[]) => Handlers,
): Promise<ReadonlySet<string>> {
  const count = createHandlers.length;
  const handlers = createHandlers(...Array.from({ length: count }, () => UNUSABLE as never)); // Stands for any type.
  const found = await Promise.all(
    Object.entries(handlers).map(async ([operationId, handler]) => ((await isUnwritten(handler)) ? [operationId] : [])),
  );
  return new Set(found.flat());
}

async function isUnwritten(handler: Handlers[string]): Promise<boolean> {
  try {
    await handler(UNUSABLE as never); // As above.
    return false;
  } catch (error) {
    return error instanceof NotImplemented;
  }
}

/** Has every member, but none can be called or made a text or a number. */
const UNUSABLE: unknown = new Proxy(() => undefined, { get: () => UNUSABLE, apply: refuseUse, construct: refuseUse });

function refuseUse(): never {
  throw new Error('this handler is written');
}
