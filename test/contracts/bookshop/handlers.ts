import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';

export function createHandlers() {
  return { listBooks, addBook, getBook, removeBook } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function listBooks({ query }: Request<'listBooks'>): Promise<Reply<'listBooks'>> {
  const page: number = query.page ?? 0;
  const genres: readonly ('novel' | 'poetry' | 'non-fiction')[] = query.genre ?? [];
  const book = {
    kind: 'paper' as const,
    title: `${String(page)} ${genres.join()} ${String(query.price?.min)}`.slice(0, 200),
  };
  return { status: 200, headers: { 'X-Total': 1 }, body: [{ id: 2n ** 53n + 1n, book }] };
}

async function addBook({ body }: Request<'addBook'>): Promise<Reply<'addBook'>> {
  const id = body.kind === 'ebook' ? body.bytes : BigInt(body.grams ?? 1);
  return { status: 201, headers: { Location: `/v1/books/${String(id)}` }, body: { id, book: body } };
}

async function getBook({ path }: Request<'getBook'>): Promise<Reply<'getBook'>> {
  if (path.bookId < 0n) return { status: 404, body: { error: 404, message: 'the book does not exist' } };
  return { status: 200, body: { id: path.bookId, book: { kind: 'ebook', title: 'x', bytes: path.bookId } } };
}

async function removeBook(_request: Request<'removeBook'>): Promise<Reply<'removeBook'>> {
  return { status: 204 };
}
