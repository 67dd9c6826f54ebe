import { answerJson, type Respond, type ServerAnswer, type ServerRequest } from './reference-server.ts';
import { split, store, type Flaw, type Row, type Shelves } from './library-server.ts';

type Test = (request: ServerRequest, path: string) => boolean;

export const SHELF = /^\/v1\/shelves\/\d+$/;
export const BOOK = /\/books\/\d+$/;
export const AUTHOR = /^\/v1\/authors\/.+$/;
export const LABEL = /^\/v1\/labels\/.+$/;
export const pathOf = ({ url }: ServerRequest): string => url.split('?')[0] ?? '';
export const on =
  (method: string, path: RegExp): Test =>
  (request, its) =>
    request.method === method && path.test(its);

/** Answers matching requests with another function. */
export const instead =
  (isAffected: Test, answer: (request: ServerRequest, respond: Respond, state: Shelves) => ServerAnswer): Flaw =>
  (request, respond, state) =>
    isAffected(request, pathOf(request)) ? answer(request, respond, state) : respond(request);

/** Changes the state after matching successful requests. `path` is the path of the resource, even for a creation. */
export const after =
  (isAffected: Test, change: (state: Shelves, path: string, before: Row | undefined) => void): Flaw =>
  (request, respond, state) => {
    const path = pathOf(request);
    const before = state.rows.get(path);
    const answer = respond(request);
    if (isAffected(request, path) && answer.status < 300) {
      const created = request.method === 'POST' ? lastOf(state, path) : path;
      change(state, created, before);
    }
    return answer;
  };

function lastOf({ lists }: Shelves, collection: string): string {
  return `${collection}/${[...(lists.get(collection) ?? new Map<string, Row>()).keys()].at(-1) ?? ''}`;
}

export const SHELVES = /^\/v1\/shelves$/;
export const BOOKS = /\/books$/;
export const AUTHORS = /^\/v1\/authors$/;
export const LABELS = /^\/v1\/labels$/;

/** Changes the members of a row. */
export const edit =
  (members: (members: Row['members']) => Row['members']) =>
  (state: Shelves, path: string): void => {
    const row = state.rows.get(path);
    if (row !== undefined) store(state, path, { ...row, members: members(row.members) });
  };
export const omit =
  (name: string) =>
  (members: Row['members']): Row['members'] =>
    Object.fromEntries(Object.entries(members).filter(([known]) => known !== name));
export const put =
  (name: string, change: (value: unknown) => unknown) =>
  (members: Row['members']): Row['members'] =>
    Object.hasOwn(members, name) ? { ...members, [name]: change(members[name]) } : members;
export const bringBack = (state: Shelves, path: string, before: Row | undefined): void => {
  if (before !== undefined) store(state, path, before);
};
/** Keeps the previous value of a member, if any. */
export const keepMember =
  (name: string) =>
  (state: Shelves, path: string, before: Row | undefined): void => {
    edit(put(name, (value) => before?.members[name] ?? value))(state, path);
  };
export const unlist = ({ lists }: Shelves, path: string): void => {
  const [collection, id] = split(path);
  lists.get(collection)?.delete(id);
};
export const relist = ({ lists }: Shelves, path: string, before: Row | undefined): void => {
  const [collection, id] = split(path);
  if (before !== undefined) lists.get(collection)?.set(id, before);
};
export const forget = ({ rows }: Shelves, path: string): void => void rows.delete(path);
export const withBody = (answer: ServerAnswer, change: (body: never) => unknown): ServerAnswer => ({
  ...answer,
  body: answer.body === '' ? '' : JSON.stringify(change(JSON.parse(answer.body) as never)),
});
/** Changes the JSON of successful responses. */
export const answered = (isAffected: Test, change: (body: never) => unknown): Flaw =>
  instead(isAffected, (request, respond) => {
    const answer = respond(request);
    return answer.status < 300 ? withBody(answer, change) : answer;
  });
/** Changes the headers of requests. */
export const withoutHeader = (isAffected: Test, name: string): Flaw =>
  instead(isAffected, (request, respond) => {
    return respond(dropHeader(request, name));
  });
/** Removes a part of the query of requests. */
export const withoutQuery = (isAffected: Test, part: RegExp): Flaw =>
  instead(isAffected, (request, respond) => respond({ ...request, url: request.url.replace(part, '') }));
export const fail = (status: number): ServerAnswer => answerJson(status, { error: 'refused' });
export const firstOnly = (isAffected: Test, answer: (respond: () => ServerAnswer) => ServerAnswer): Flaw => {
  const seen = new Set<string>();
  return instead(isAffected, (request, respond) => {
    if (!seen.has(request.url)) return (seen.add(request.url), respond(request));
    return answer(() => respond(request));
  });
};

/** Returns a copy of a request without a header. */
export function dropHeader(request: ServerRequest, name: string): ServerRequest {
  return {
    ...request,
    headers: Object.fromEntries(Object.entries(request.headers).filter(([known]) => known !== name)),
  };
}
