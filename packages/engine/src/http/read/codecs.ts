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
 * Decodes and encodes the bodies of a media type that the engine does not support itself: anything but JSON, forms,
 * sequences and media type ranges. Both functions must be synchronous: returning a promise results in a 500. A call is
 * interrupted after a second and may be repeated on a busy machine, so calls must not depend on each other's state.
 */
export type Codec = {
  /**
   * Decodes a request body that is not empty. The engine validates the returned value. Bigints are exact integers.
   *
   * @throws for a malformed body, which is answered 400, like a body that takes too long. The client receives the
   *   message of a `SyntaxError`. The messages of other errors are logged at level `debug`
   */
  decode(bytes: Uint8Array, body: CodedBody): unknown;
  /** Encodes a validated value as the body of a response. The response is a 500 when encoding takes too long. */
  encode(value: unknown, body: CodedBody): string | Uint8Array;
};

/** Describes a body to its codec. */
export type CodedBody = {
  /** The media type of the message, with its parameters. */
  readonly contentType: string;
  /** The schema of the body in JSON Schema 2020-12, with OpenAPI's keyword `xml`. */
  readonly schema: unknown;
  /** The targets of `$ref`s, by reference. */
  readonly schemas: Readonly<Record<string, unknown>>;
};

type Described = Omit<CodedBody, 'schemas'> & {
  /** The name of the codec. */
  readonly codec: string;
};

// Decoding 1 MiB of XML takes a third of this time.
const TIME_LIMIT_MS = 1_000;

/** The codecs of an application. */
export type BodyCodecs = {
  /** @throws {Failure} 400 when the body is malformed */
  readonly decode: (bytes: Uint8Array, body: Described) => JsonTree;
  readonly encode: (value: unknown, body: Described) => string | Uint8Array;
};

/** Converts bodies, strings and integers between messages and the values of handlers. */
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

/** Creates the conversions of an application, which must have all codecs and formats that its contract names. */
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
        return runWithin(TIME_LIMIT_MS, () => {
          const value = codecNamed(name).decode(bytes, { ...body, schemas });
          assertNoPromise(value, name);
          return toJsonTree(value ?? null); // The validator needs a value: `undefined` counts as null.
        });
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
    return codecs[name] as Codec; // Checked at startup.
  }
}
