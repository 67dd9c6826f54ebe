/** A function of an application that must be synchronous has returned a promise. */
export class PromisedValue extends TypeError {}

/**
 * Checks that a codec has not returned a promise, whose rejection nobody would handle.
 *
 * @throws {PromisedValue} with the name of the codec
 */
export function assertNoPromise(value: unknown, name: string): void {
  if (!(value instanceof Promise)) return;
  value.catch(() => undefined);
  throw new PromisedValue(`the codec of ${name} must be synchronous`);
}
