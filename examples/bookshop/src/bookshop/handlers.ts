import type { Books } from './books.ts';
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
  return { status: 200, body: await books.list(query.after, query.kind) };
}

async function addBook(books: Books, { body, url }: Request<'addBook'>): Promise<Reply<'addBook'>> {
  const id = await books.add(body);
  const Location = url('getBook', { path: { bookId: id } });
  return { status: 201, headers: { Location }, body: { id, book: body } };
}

async function getBook(books: Books, { path }: Request<'getBook'>): Promise<Reply<'getBook'>> {
  const book = await books.find(path.bookId);
  if (book === undefined) return { status: 404, body: { status: 404, message: 'this book does not exist' } };
  return { status: 200, body: book };
}

async function removeBook(books: Books, { path }: Request<'removeBook'>): Promise<Reply<'removeBook'>> {
  await books.remove(path.bookId);
  return { status: 204 };
}
