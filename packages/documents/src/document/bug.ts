/** An unexpected error while a part of the document was read. */
export class Bug extends Error {
  override readonly name = 'Bug';
  readonly pointer: string;
  constructor(pointer: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.pointer = pointer;
  }
}

/** Calls a function. An error becomes a {@link Bug} with the pointer, unless it has one of a part of it. */
export function readingAt<Result>(pointer: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof Bug ? error : new Bug(pointer, error);
  }
}
