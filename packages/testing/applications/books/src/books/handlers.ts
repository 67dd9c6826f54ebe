import type { BookRow, Books } from './books.ts';
import type { Handlers, Matched, Reply, Request, Unmatched } from './contract.ts';

export function createHandlers(books: Books) {
  return {
    listBooks: (request) => listBooks(books, request),
    addBook: (request) => addBook(books, request),
    getBook: (request) => getBook(books, request),
    removeBook: (request) => removeBook(books, request),
  } satisfies Handlers;
}

export interface AllMatched extends Unmatched<ReturnType<typeof createHandlers>> {
  readonly [name: string]: Matched;
}

async function listBooks(books: Books, { query }: Request<'listBooks'>): Promise<Reply<'listBooks'>> {
  const after: bigint = query.after;
  const genres: readonly ('novel' | 'poetry' | 'non-fiction')[] = query.genre ?? [];
  const rows = genres.length > 0 ? [] : await books.list(after);
  return { status: 200, headers: { 'X-Total': rows.length }, body: rows.map(toBook) };
}

async function addBook(books: Books, { body, url }: Request<'addBook'>): Promise<Reply<'addBook'>> {
  const id = body.kind === 'ebook' ? body.bytes : BigInt(body.grams ?? 1);
  await books.put({ id, title: JSON.stringify(body.title), bytes: id });
  const Location = url('getBook', { path: { bookId: id } });
  return { status: 201, headers: { Location }, body: { id, book: body } };
}

async function getBook(books: Books, { path }: Request<'getBook'>): Promise<Reply<'getBook'>> {
  const row = await books.find(path.bookId);
  if (row === undefined) return { status: 404, body: { error: 404, message: 'this book does not exist' } };
  return { status: 200, body: toBook(row) };
}

async function removeBook(books: Books, { path }: Request<'removeBook'>): Promise<Reply<'removeBook'>> {
  await books.remove(path.bookId);
  return { status: 204 };
}

function toBook({ id, title, bytes }: BookRow) {
  return { id, book: { kind: 'ebook' as const, title: JSON.parse(title) as string, bytes } }; // Written by addBook.
}
