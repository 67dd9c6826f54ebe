import { Busboy } from '@fastify/busboy';
import { setImmediate } from 'node:timers/promises';
import { Failure, malformedFailure } from './failure.ts';

/** The header of one part of a multipart body. */
export type Part = {
  readonly name: string;
  /** Present when the part is a file. */
  readonly filename: string | undefined;
  readonly contentType: string;
};

/** Some of the content of a part. */
type PartBytes = { readonly part: Part; readonly bytes: Buffer };

// Each part costs busboy some 30 µs. Django and PHP have the same limit.
const MAX_PARTS = 1_000;
// busboy gets one chunk at a time, so its buffers need no limits. It would not report exceptions after a pause.
const UNLIMITED = Number.MAX_SAFE_INTEGER;
const NO_BYTES = Buffer.alloc(0);

/**
 * Parses a `multipart/form-data` body (RFC 7578) while it arrives. An empty body has no parts.
 *
 * @param contentType includes the boundary
 * @returns the content of the parts, in turn; at least once for each part
 * @throws {Failure} 400 when the body is not well-formed, or has too many parts
 */
export async function* readParts(chunks: AsyncIterable<Buffer>, contentType: string): AsyncGenerator<PartBytes, void> {
  try {
    yield* parse(chunks, contentType);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw malformedFailure('body', 'is not well-formed multipart/form-data', 'the request body');
  }
}

async function* parse(chunks: AsyncIterable<Buffer>, contentType: string): AsyncGenerator<PartBytes, void> {
  const parsed: PartBytes[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    end(undefined);
  };
  const parser = new Busboy({
    headers: { 'content-type': contentType },
    // busboy silently replaces invalid UTF-8 in fields, but not in files.
    isPartAFile: () => true,
    fileHwm: UNLIMITED,
    highWaterMark: UNLIMITED,
    limits: { parts: MAX_PARTS },
  });
  parser.on('finish', end).on('error', fail);
  parser.on('partsLimit', () => {
    // Stops parsing.
    throw malformedFailure('body', `must not have more than ${String(MAX_PARTS)} parts`, 'the request body');
  });
  parser.on('file', (name: string | undefined, stream, filename: string | undefined, _transferEncoding, type) => {
    // Rejected parts need a listener too: busboy emits an error on their stream when the body ends early.
    stream.on('error', fail);
    if (name === undefined || name.includes('\uFFFD')) {
      fail(new Error('a part has no name, or its name is not UTF-8'));
      return;
    }
    const part = { name, filename, contentType: type };
    parsed.push({ part, bytes: NO_BYTES });
    stream.on('data', (bytes: Buffer) => parsed.push({ part, bytes }));
  });

  let isEmpty = true;
  for await (const chunk of chunks) {
    isEmpty = false;
    parser.write(chunk);
    await setImmediate(); // The streams of the parts emit their data.
    if (failure !== undefined) throw failure;
    // busboy opens all parts of a chunk before it emits their data.
    for (const [, pieces] of Map.groupBy(parsed.splice(0), ({ part }) => part)) yield* pieces;
  }
  if (isEmpty) return;
  parser.end();
  await ended;
  if (failure !== undefined) throw failure;
}
