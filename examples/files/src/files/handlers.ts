import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';
import type { Folder } from './folder.ts';

export function createHandlers(folder: Folder) {
  return {
    addFile: (request) => addFile(folder, request),
    getFile: (request) => getFile(folder, request),
    removeFile: (request) => removeFile(folder, request),
  } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function addFile(folder: Folder, { body, url }: Request<'addFile'>): Promise<Reply<'addFile'>> {
  const file = await folder.add(body instanceof Blob ? body : body.file);
  const Location = url('getFile', { path: { id: file.id } });
  return { status: 201, headers: { Location }, body: file };
}

async function getFile(folder: Folder, { path }: Request<'getFile'>): Promise<Reply<'getFile'>> {
  const body = await folder.find(path.id);
  if (body === undefined) return { status: 404, body: { status: 404, message: 'this file does not exist' } };
  return { status: 200, body };
}

async function removeFile(folder: Folder, { path }: Request<'removeFile'>): Promise<Reply<'removeFile'>> {
  await folder.remove(path.id);
  return { status: 204 };
}
