import { Busboy } from '@fastify/busboy';

/** One part of a multipart body. */
export type Part = {
  readonly name: string;
  /** Present when it was sent as a file. */
  readonly filename: string | undefined;
  readonly contentType: string;
  readonly bytes: Buffer;
};

/**
 * Takes a `multipart/form-data` body apart (RFC 7578).
 *
 * @param contentType with its boundary
 * @throws {Error} when it is not well-formed
 */
export async function readParts(bytes: Buffer, contentType: string): Promise<Part[]> {
  // Every part is taken for a file, because busboy would decode a field without telling what it could not decode.
  const parser = new Busboy({ headers: { 'content-type': contentType }, isPartAFile: () => true });
  const parts: Part[] = [];
  await new Promise<void>((resolve, reject) => {
    parser.on('file', (name: string | undefined, stream, filename: string | undefined, _transferEncoding, type) => {
      if (name === undefined || name.includes('\uFFFD')) {
        reject(new Error('a part has no name, or one that is not UTF-8'));
        return;
      }
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => parts.push({ name, filename, contentType: type, bytes: Buffer.concat(chunks) }));
      stream.on('error', reject);
    });
    parser.on('finish', resolve).on('error', reject);
    parser.end(bytes);
  });
  return parts;
}
