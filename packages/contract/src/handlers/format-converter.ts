import type { Contract } from '../operations/contract.ts';
import { convertAt, type Holder, type Key, type Shape } from '../operations/shape.ts';
import { NO_VIOLATIONS, type Violation } from '../operations/violation.ts';

/** Converts the strings of a format to values of the application, and back. */
export type FormatCodec<Value> = {
  /** Returns the value of a string that conforms to its schema. An error becomes a 400. */
  readonly decode: (text: string) => Value;
  /** Returns the string of a value. An error, or a string that does not conform to the schema, becomes a 500. */
  readonly encode: (value: Value) => string;
};

/**
 * The codecs of an application, by format: `Formats<{ 'date-time': Date; iban: Iban }>`. `binary` cannot have a codec,
 * since files and bytes are `Blob`s.
 */
export type Formats<Types> = {
  readonly [Name in keyof Types]: Name extends 'binary' ? never : FormatCodec<Types[Name]>;
};

/** The codecs of any application. */
export type AnyFormats = Readonly<
  Record<string, { readonly decode: (text: string) => unknown; readonly encode: (value: never) => string }>
>;

/** Converts strings of the declared formats in requests and replies. */
export type FormatConverter = {
  /**
   * Decodes the strings in a valid value, in place.
   *
   * @param root holds the value under the empty name
   * @param location the place of the value, such as `body`; empty for an object of several parts
   * @returns violations for the first ten strings that cannot be decoded
   */
  readonly decode: (root: { '': unknown }, shape: Shape | undefined, location: string) => readonly Violation[];
  /**
   * Returns a copy of a value with encoded strings.
   *
   * @throws when a value cannot be encoded
   */
  readonly encode: (value: unknown, shape: Shape | undefined, location: string) => unknown;
};

/** Creates the converter of an application. */
export function createFormatConverter({ formats }: Contract, codecs: AnyFormats = {}): FormatConverter {
  const { shapes = {} } = formats ?? {};
  return {
    decode(root, shape, location) {
      if (shape === undefined) return NO_VIOLATIONS;
      const isFirst = firstVisits();
      return convertAt(root, shape, shapes, location, {
        applies: (value, { format }, holder, key) =>
          format !== undefined && typeof value === 'string' && isFirst(holder, key),
        convert(text, { format = '' }, report) {
          try {
            const value = codecs[format]?.decode(text as string); // Only strings apply.
            assertNoPromise(value, format);
            return value;
          } catch (error) {
            if (error instanceof PromisedValue) throw error;
            report(`must match format "${format}"`);
            return text;
          }
        },
      });
    },
    encode(value, shape, location) {
      if (shape === undefined) return value;
      const isFirst = firstVisits();
      const root = { '': value };
      let cause: unknown;
      const [violation] = convertAt(root, shape, shapes, location, {
        applies: (part, { format }, holder, key) =>
          format !== undefined && part !== undefined && part !== null && isFirst(holder, key),
        convert(part, { format = '' }, report) {
          try {
            const text: unknown = codecs[format]?.encode(part as never); // Checked by the type of the reply.
            assertNoPromise(text, format);
            if (typeof text === 'string') return text;
            throw new TypeError(`${format} must be encoded to a string`);
          } catch (error) {
            cause = error;
            report(`cannot be encoded as ${format}`);
            return part;
          }
        },
        copies: new Set(),
      });
      // Without a string, the value cannot be sent.
      if (violation !== undefined) throw new Error(violation.text, { cause });
      return root[''];
    },
  };
}

/**
 * Returns a function that tests whether a place is visited for the first time: several schemas may describe one place.
 */
function firstVisits(): (holder: Holder, key: Key) => boolean {
  const visited = new Map<Holder, Set<Key>>();
  return (holder, key) => {
    const keys = visited.get(holder) ?? new Set();
    if (keys.has(key)) return false;
    visited.set(holder, keys.add(key));
    return true;
  };
}

/** A function that must be synchronous returned a promise. */
export class PromisedValue extends TypeError {}

/**
 * Asserts that a codec returned no promise, whose rejection would be unhandled.
 *
 * @throws {PromisedValue} with the name of the codec
 */
export function assertNoPromise(value: unknown, name: string): void {
  if (!(value instanceof Promise)) return;
  value.catch(() => undefined);
  throw new PromisedValue(`the codec of ${name} must be synchronous`);
}
