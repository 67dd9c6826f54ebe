import {
  assertNoPromise,
  createFormatConverter,
  PromisedValue,
  runWithin,
  TimeLimitExceeded,
  toJsonTree,
  type AnyFormats,
  type Contract,
  type FormatConverter,
  type JsonTree,
  type Shapes,
} from '@contract-first/contract';
import type { Logger } from 'pino';
import { malformedFailure } from '../failure.ts';

/**
 * Reads and writes the bodies of a media type that the engine does not parse itself: not JSON, a form, a sequence or a
 * range. Both functions are synchronous: a promise is answered 500. After a second, a call is interrupted, and it may be
 * repeated where the machine is busy, so no call may depend on the state of another.
 */
export type Codec = {
  /**
   * Returns the value of a request body that is not empty, which the engine validates. Bigints are exact integers.
   *
   * @throws for a malformed body, which is answered 400, as is a body that takes too long. The client receives the message of a
   *   `SyntaxError`. The messages of other errors are logged at the level `debug`
   */
  decode(bytes: Uint8Array, body: CodedBody): unknown;
  /** Returns the body of a response for a value, which the engine has validated: 500 when that takes too long. */
  encode(value: unknown, body: CodedBody): string | Uint8Array;
};

/** The description of a body that a codec reads or writes. */
export type CodedBody = {
  /** The media type of the message, with its parameters. */
  readonly contentType: string;
  /** Its schema in JSON Schema 2020-12, with the keyword `xml` of OpenAPI. */
  readonly schema: unknown;
  /** The targets of `$ref`s, by reference. */
  readonly schemas: Readonly<Record<string, unknown>>;
};

type Described = Omit<CodedBody, 'schemas'> & {
  /** The name of the codec. */
  readonly codec: string;
};

// 1 MiB of XML takes a third of it.
const TIME_LIMIT_MS = 1_000;

/** The codecs of an application. */
export type BodyCodecs = {
  /** @throws {Failure} 400 when the body is malformed */
  readonly decode: (bytes: Uint8Array, body: Described) => JsonTree;
  readonly encode: (value: unknown, body: Described) => string | Uint8Array;
};

/** The conversions between messages and the values of handlers: of bodies, strings and integers. */
export type Conversions = {
  readonly codecs: BodyCodecs;
  readonly formats: FormatConverter;
  readonly int64Shapes: Shapes;
};

/** The parts of an application that declare conversions. */
type Convertible = {
  readonly contract: Contract;
  readonly codecs?: Readonly<Record<string, Codec>>;
  readonly formats?: AnyFormats;
};

/** Creates the conversions of an application, which has all codecs and formats that its contract names. */
export function createConversions({ contract, codecs = {}, formats }: Convertible, log: Logger): Conversions {
  return {
    codecs: createBodyCodecs(contract, codecs, log),
    formats: createFormatConverter(contract, formats),
    int64Shapes: contract.int64Shapes,
  };
}

function createBodyCodecs({ schemas }: Contract, codecs: Readonly<Record<string, Codec>>, log: Logger): BodyCodecs {
  return {
    decode(bytes, { codec: name, ...body }) {
      try {
        const value = runWithin(TIME_LIMIT_MS, () => codecNamed(name).decode(bytes, { ...body, schemas }));
        assertNoPromise(value, name);
        return toJsonTree(value ?? null); // Without a value, there would be nothing to validate.
      } catch (error) {
        if (error instanceof PromisedValue) throw error;
        if (error instanceof TimeLimitExceeded) {
          log.warn(
            { contentType: body.contentType, sizeBytes: bytes.length },
            'a codec took too long to decode a body',
          );
          throw malformedFailure('body', 'takes too long to decode: send a smaller one', 'the request body');
        }
        log.debug({ err: error, contentType: body.contentType }, 'a codec could not decode the body of a request');
        const reason = error instanceof SyntaxError ? `: ${error.message}` : '';
        throw malformedFailure('body', `is not valid ${name}${reason}`, 'the request body');
      }
    },
    encode(value, { codec: name, ...body }) {
      const encoded: unknown = runWithin(TIME_LIMIT_MS, () => codecNamed(name).encode(value, { ...body, schemas }));
      assertNoPromise(encoded, name);
      if (typeof encoded === 'string' || encoded instanceof Uint8Array) return encoded;
      throw new TypeError(`the codec of ${name} must encode to a string or bytes`);
    },
  };

  function codecNamed(name: string): Codec {
    return codecs[name] as Codec; // The start has checked this.
  }
}
