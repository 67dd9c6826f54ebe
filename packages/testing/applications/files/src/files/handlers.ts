import { createHash } from 'node:crypto';
import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';

export function createHandlers() {
  return { uploadFiles, putBlob, getBlob, checkArchive, writeNote } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function uploadFiles({ body }: Request<'uploadFiles'>): Promise<Reply<'uploadFiles'>> {
  const { title, owner = null, cover, pages = [] } = body;
  return { status: 201, body: { title, owner, sizes: [cover, ...pages].map(({ size }) => size) } };
}

async function putBlob({ body }: Request<'putBlob'>): Promise<Reply<'putBlob'>> {
  return { status: 204, headers: { ETag: `"${String(body.size)}"` } };
}

async function getBlob({ path, query }: Request<'getBlob'>): Promise<Reply<'getBlob'>> {
  const headers = { 'Content-Disposition': `attachment; filename="${path.name}"` };
  return { status: 200, headers, body: new Blob([new Uint8Array(query.length)]) };
}

async function checkArchive({ body }: Request<'checkArchive'>): Promise<Reply<'checkArchive'>> {
  const archive = body instanceof Blob ? body : body.archive;
  const hash = createHash('sha256');
  // The type of the chunks is `any` in Node's types.
  for await (const chunk of archive.stream() as AsyncIterable<Uint8Array>) hash.update(chunk);
  return { status: 200, body: { size: archive.size, sha256: hash.digest('hex') } };
}

async function writeNote({ body }: Request<'writeNote'>): Promise<Reply<'writeNote'>> {
  return { status: 200, body: body ?? '' };
}
