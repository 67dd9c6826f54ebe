import { Busboy } from '@fastify/busboy';
import { Failure, malformedFailure } from './failure.ts';

/** One part of a multipart body. */
type Part = {
  readonly name: string;
  /** Present when the part is a file. */
  readonly filename: string | undefined;
  readonly contentType: string;
  readonly bytes: Buffer;
};

// Each part costs busboy some 30 µs. Django and PHP have the same limit.
const MAX_PARTS = 1_000;

/**
 * Parses a `multipart/form-data` body (RFC 7578).
 *
 * @param contentType includes the boundary
 * @throws {Failure} 400 when the body is not well-formed, or has too many parts
 */
export async function readParts(bytes: Buffer, contentType: string): Promise<Part[]> {
  try {
    return await parse(bytes, contentType);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw malformedFailure('body', 'is not well-formed multipart/form-data', 'the request body');
  }
}

async function parse(bytes: Buffer, contentType: string): Promise<Part[]> {
  const parts: Part[] = [];
  await new Promise<void>((resolve, reject) => {
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      // busboy silently replaces invalid UTF-8 in fields, but not in files.
      isPartAFile: () => true,
      // Without backpressure, busboy parses within end(). Its exceptions would otherwise be uncaught.
      fileHwm: bytes.length + 1,
      highWaterMark: bytes.length + 1,
      limits: { parts: MAX_PARTS },
    });
    parser.on('finish', resolve).on('error', reject);
    parser.on('partsLimit', () => {
      // Stops parsing.
      throw malformedFailure('body', `must not have more than ${String(MAX_PARTS)} parts`, 'the request body');
    });
    parser.on('file', (name: string | undefined, stream, filename: string | undefined, _transferEncoding, type) => {
      // Rejected parts need a listener too: busboy emits an error on their stream when the body ends early.
      stream.on('error', reject);
      if (name === undefined || name.includes('\uFFFD')) {
        reject(new Error('a part has no name, or its name is not UTF-8'));
        return;
      }
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => parts.push({ name, filename, contentType: type, bytes: Buffer.concat(chunks) }));
    });
    parser.end(bytes);
  });
  return parts;
}
