import type { CheckName } from '../../src/judgement/checks.ts';
import { answerJson } from './reference-server.ts';
import {
  dropHeader,
  SHELF,
  BOOK,
  AUTHOR,
  LABEL,
  pathOf,
  on,
  instead,
  after,
  SHELVES,
  BOOKS,
  AUTHORS,
  LABELS,
  edit,
  omit,
  put,
  bringBack,
  unlist,
  relist,
  forget,
  withBody,
  answered,
  withoutHeader,
  fail,
  firstOnly,
  keepMember,
  withoutQuery,
} from './library-changes.ts';
import { split, store, type Flaw, type Row } from './library-server.ts';

/** A library with a flaw, and the check that must find it. */
export type FlawedLibrary = readonly [name: string, check: CheckName, operation: string, flaw: Flaw];

type List = { readonly items: readonly unknown[]; readonly next?: number };

const FLAWS: Partial<Record<CheckName, readonly (readonly [string, string, Flaw])[]>> = {
  ensure_resource_availability: [
    ['does not store a shelf', 'getShelf', after(on('POST', SHELVES), forget)],
    ['does not store a book', 'getBook', after(on('POST', BOOKS), forget)],
    ['does not store a label', 'getLabel', after(on('PUT', LABEL), forget)],
    ['forgets an author', 'getAuthor', after(on('POST', AUTHORS), forget)],
    [
      'answers another id than it stores',
      'getShelf',
      answered(on('POST', SHELVES), (body: { number: number }) => ({ ...body, number: body.number + 5_000 })),
    ],
    [
      'names another place in Location',
      'getAuthor',
      instead(on('POST', AUTHORS), (request, respond) => {
        const answer = respond(request);
        const location = answer.headers['Location']?.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
        return location === undefined ? answer : { ...answer, headers: { Location: location } };
      }),
    ],
    [
      'keeps one book of a shelf',
      'getBook',
      after(on('POST', BOOKS), (state, path) => {
        for (const other of state.rows.keys()) {
          if (split(other)[0] === split(path)[0] && other !== path) state.rows.delete(other);
        }
      }),
    ],
    [
      'deletes all shelves with one',
      'getShelf',
      after(on('DELETE', SHELF), (state) => {
        for (const path of state.rows.keys()) if (SHELF.test(path)) state.rows.delete(path);
      }),
    ],
    [
      'deletes the other books, too',
      'getBook',
      after(on('DELETE', BOOK), (state, path) => {
        for (const other of state.rows.keys()) if (split(other)[0] === split(path)[0]) state.rows.delete(other);
      }),
    ],
    ['loses a book when it is replaced', 'getBook', after(on('PUT', BOOK), forget)],
    ['loses a shelf when it is replaced', 'getShelf', after(on('PUT', SHELF), forget)],
    ['answers 404 to each deletion', 'deleteAuthor', instead(on('DELETE', AUTHOR), () => fail(404))],
    ['finds a shelf once', 'getShelf', firstOnly(on('GET', SHELF), () => fail(404))],
  ],
  read_your_writes: [
    ['drops an optional member', 'getShelf', after(on('POST', SHELVES), edit(omit('tags')))],
    ['cuts a title', 'getBook', after(on('POST', BOOKS), edit(put('title', (text) => `${String(text).slice(0, 2)}x`)))],
    ['stores another number', 'getBook', after(on('POST', BOOKS), edit(put('pages', () => 4_321)))],
    ['stores booleans as true', 'getBook', after(on('POST', BOOKS), edit(put('lent', (value) => value === false)))],
    ['drops items of a list', 'getShelf', after(on('POST', SHELVES), edit(put('tags', () => [])))],
    ['does not store the motto', 'getAuthor', after(on('POST', AUTHORS), edit(omit('motto')))],
    ['swaps members', 'getLabel', after(on('PUT', LABEL), edit(put('weight', (value) => (Number(value) + 1) % 10)))],
    [
      'stores the previous color',
      'getLabel',
      after(on('PUT', LABEL), edit(put('color', (value) => (value === 'red' ? 'blue' : 'red')))),
    ],
    [
      'reads another book',
      'getBook',
      instead(on('GET', BOOK), (request, respond, { lists }) => {
        const answer = respond(request);
        const [collection] = split(pathOf(request));
        const [first] = [...(lists.get(collection) ?? new Map<string, Row>()).keys()];
        return answer.status === 200 ? respond({ ...request, url: `${collection}/${first ?? ''}` }) : answer;
      }),
    ],
    [
      'gives all shelves the values of the last one',
      'getShelf',
      after(on('POST', SHELVES), (state, path) => {
        const last = state.rows.get(path);
        for (const other of state.rows.keys()) if (SHELF.test(other) && last) store(state, other, last);
      }),
    ],
    [
      'answers another id in the body',
      'getAuthor',
      answered(on('GET', AUTHOR), (body: object) => ({ ...body, authorId: '00000000-0000-4000-8000-000000000000' })),
    ],
  ],
  list_contains_created: [
    ['does not list shelves', 'listShelves', after(on('POST', SHELVES), unlist)],
    ['does not list books', 'listBooks', after(on('POST', BOOKS), unlist)],
    ['does not list authors', 'listAuthors', after(on('POST', AUTHORS), unlist)],
    ['does not list labels', 'listLabels', after(on('PUT', LABEL), unlist)],
    ['always lists nothing', 'listLabels', answered(on('GET', LABELS), () => [])],
    [
      'skips one with the cursor',
      'listShelves',
      answered(on('GET', SHELVES), ({ items, next }: List) => ({ items, ...(next && { next: next + 1 }) })),
    ],
    ['forgets the cursor', 'listShelves', answered(on('GET', SHELVES), ({ items }: List) => ({ items }))],
    [
      'takes the offset for one more',
      'listBooks',
      instead(on('GET', BOOKS), (request, respond) =>
        respond({
          ...request,
          url: request.url.replace(/offset=([1-9]\d*)/, (_, offset) => `offset=${String(Number(offset) + 1)}`),
        }),
      ),
    ],
    [
      'counts pages from zero',
      'listAuthors',
      instead(on('GET', AUTHORS), (request, respond) =>
        respond({
          ...request,
          url: request.url.replace(/page=(\d+)/, (_, page) => `page=${String(Number(page) + 1)}`),
        }),
      ),
    ],
    [
      'lists the first only',
      'listBooks',
      instead(on('GET', BOOKS), ({ url }, respond) =>
        /offset=[1-9]/.test(url)
          ? answerJson(200, [])
          : withBody(respond({ method: 'GET', url, headers: {}, body: Buffer.alloc(0) }), (books: unknown[]) =>
              books.slice(0, 1),
            ),
      ),
    ],
    ['ignores the offset', 'listBooks', withoutQuery(on('GET', BOOKS), /offset=\d+/)],
    ['ignores the limit', 'listBooks', withoutQuery(on('GET', BOOKS), /limit=\d+/)],
    [
      'unlists the others when one is deleted',
      'listShelves',
      after(on('DELETE', SHELF), ({ lists }) => lists.get('/v1/shelves')?.clear()),
    ],
  ],
  update_is_visible: [
    ['ignores a PUT', 'getShelf', after(on('PUT', SHELF), bringBack)],
    ['ignores a PUT of a book', 'getBook', after(on('PUT', BOOK), bringBack)],
    [
      'ignores a member of a PUT',
      'getBook',
      after(on('PUT', BOOK), (state, path, before) => {
        edit(put('title', () => before?.members['title'] ?? 'none'))(state, path);
      }),
    ],
    ['ignores a PATCH', 'getBook', after(on('PATCH', BOOK), bringBack)],
    [
      'resets the rest with a PATCH',
      'getBook',
      after(
        on('PATCH', BOOK),
        edit((members) => ({ pages: 1, title: members['title'] })),
      ),
    ],
    ['drops the tags of a PUT', 'getShelf', after(on('PUT', SHELF), edit(omit('tags')))],
    ['keeps the previous URL after a PUT', 'getShelf', after(on('PUT', SHELF), keepMember('site'))],
    ['ignores one member of a PATCH', 'getBook', after(on('PATCH', BOOK), keepMember('lent'))],
    [
      'ignores false in a PATCH',
      'getBook',
      after(on('PATCH', BOOK), (state, path, before) => {
        if (state.rows.get(path)?.members['lent'] === false) keepMember('lent')(state, path, before);
      }),
    ],
  ],
  put_is_idempotent: [
    [
      'refuses the same PUT again',
      'replaceBook',
      instead(on('PUT', BOOK), (request, respond, { rows }) => {
        const answer = respond(request);
        const row = rows.get(pathOf(request));
        return row !== undefined && row.version > 2 ? fail(404) : answer;
      }),
    ],
    [
      'appends to a list with each PUT',
      'getShelf',
      after(on('PUT', SHELF), (state, path, before) => {
        const old = (before?.members['tags'] ?? []) as readonly unknown[]; // Validated by the server.
        edit(put('tags', (tags) => [...old, ...(tags as readonly unknown[])]))(state, path);
      }),
    ],
    [
      'adds up with each PUT',
      'getBook',
      after(on('PUT', BOOK), (state, path) => {
        if ((state.rows.get(path)?.version ?? 0) > 2)
          edit(put('pages', (pages) => (Number(pages) % 9_000) + 1))(state, path);
      }),
    ],
  ],
  conditional_requests: [
    ['never answers 304', 'getShelf', withoutHeader(on('GET', SHELF), 'if-none-match')],
    [
      'always answers 304',
      'getShelf',
      instead(on('GET', SHELF), (request, respond) =>
        request.headers['if-none-match'] === undefined ? respond(request) : { status: 304, headers: {}, body: '' },
      ),
    ],
    ['ignores If-Match', 'replaceShelf', withoutHeader(on('PUT', SHELF), 'if-match')],
    [
      'refuses the current ETag',
      'replaceShelf',
      instead(on('PUT', SHELF), (request, respond) =>
        request.headers['if-match'] === undefined || respond(request).status >= 400 ? respond(request) : fail(412),
      ),
    ],
    [
      'keeps the ETag',
      'getShelf',
      after(on('PUT', SHELF), (state, path, before) => {
        const row = state.rows.get(path);
        if (row !== undefined && before !== undefined) store(state, path, { ...row, version: before.version });
      }),
    ],
    [
      'changes a shelf although it answers 412',
      'getShelf',
      instead(on('PUT', SHELF), (request, respond) => {
        const answer = respond(request);
        if (answer.status !== 412) return answer;
        respond(dropHeader(request, 'if-match'));
        return answer;
      }),
    ],
    ['ignores If-Match of a DELETE', 'deleteShelf', withoutHeader(on('DELETE', SHELF), 'if-match')],
  ],
  idempotency_key: [
    ['ignores the key', 'createAuthor', (request, respond, { keys }) => (keys.clear(), respond(request))],
  ],
  use_after_free: [
    ['does not delete a shelf', 'getShelf', after(on('DELETE', SHELF), bringBack)],
    ['does not delete a book', 'getBook', after(on('DELETE', BOOK), bringBack)],
    ['does not delete an author', 'getAuthor', after(on('DELETE', AUTHOR), bringBack)],
    ['does not delete a label', 'getLabel', after(on('DELETE', LABEL), bringBack)],
    ['lists a deleted shelf', 'listShelves', after(on('DELETE', SHELF), relist)],
    ['lists a deleted book', 'listBooks', after(on('DELETE', BOOK), relist)],
    ['lists a deleted author', 'listAuthors', after(on('DELETE', AUTHOR), relist)],
    ['lists a deleted label', 'listLabels', after(on('DELETE', LABEL), relist)],
    [
      'replaces a deleted book',
      'replaceBook',
      instead(on('PUT', BOOK), (request, respond, state) => {
        const answer = respond(request);
        const isRefused = answer.status === 404 && state.rows.has(split(split(pathOf(request))[0])[0]);
        return isRefused ? answerJson(200, { id: 1, title: 'a', pages: 1 }) : answer;
      }),
    ],
  ],
  delete_is_idempotent: [
    [
      'fails on a second DELETE',
      'deleteBook',
      instead(on('DELETE', BOOK), (request, respond) => {
        const answer = respond(request);
        return answer.status === 404 ? fail(500) : answer;
      }),
    ],
    [
      'restores with a second DELETE',
      'getAuthor',
      (() => {
        const deleted = new Map<string, Row>();
        return instead(on('DELETE', AUTHOR), (request, respond, state) => {
          const path = pathOf(request);
          const [row, known] = [state.rows.get(path), deleted.get(path)];
          if (row !== undefined) deleted.set(path, row);
          const answer = respond(request);
          if (row === undefined && known !== undefined) store(state, path, known);
          return answer;
        });
      })(),
    ],
  ],
};

export const FLAWED_LIBRARIES: readonly FlawedLibrary[] = Object.entries(FLAWS).flatMap(([check, flaws]) =>
  // The keys are check names.
  flaws.map(([name, operation, flaw]): FlawedLibrary => [name, check as CheckName, operation, flaw]),
);
