import type { OpenApiDocument } from '@contract-first/documents';
import { answerJson, startReferenceServer, type ServerAnswer, type ServerRequest } from './reference-server.ts';

// A service of notes that belong to the users who created them. Each user has a token.

export type OwnedNote = { readonly owner: string; readonly text: unknown };

/** A request of a user for a note, which may belong to another user. */
export type Access = {
  readonly user: string;
  readonly method: string;
  readonly id: string;
  readonly note: OwnedNote | undefined;
  readonly notes: Map<string, OwnedNote>;
  readonly request: ServerRequest;
};

/** Answers a request for another user's note; `undefined` for the default 404. */
export type Trespass = (access: Access) => ServerAnswer | undefined;

/** The behaviour of the service. */
export type OwnedNotesOptions = {
  readonly trespass?: Trespass;
  /** Returns whether a list includes a note of another user. */
  readonly lists?: (note: OwnedNote) => boolean;
  /** The user names by token. */
  readonly users?: Readonly<Record<string, string>>;
  /** The operations that the document lacks. */
  readonly without?: readonly string[];
  /** The methods that need no credentials. */
  readonly open?: readonly string[];
  /** Whether ids are numbered separately for each user: 1, 2 and so on. */
  readonly hasOwnIds?: boolean;
};

// The tokens have a common prefix, as JSON Web Tokens do.
export const TOKEN = 'token-of-user-1';
export const OTHER_TOKEN = 'token-of-user-2';
const USERS: Readonly<Record<string, string>> = { [TOKEN]: 'anna', [OTHER_TOKEN]: 'bert' };

const json = (schema: object) => ({ 'application/json': { schema } });
const note = { $ref: '#/components/schemas/Note' };
const some = { description: 'As it is', content: json(note) };
const none = { description: 'Done' };
const refused = { '4XX': { description: 'Refused' } };
const body = { required: true, content: json(note) };

/** Returns the document of the service. */
export function ownedNotesDocument({ open = [], without = [] }: OwnedNotesOptions = {}): OpenApiDocument {
  const at = (method: string, operationId: string, operation: object) =>
    without.includes(operationId)
      ? {}
      : {
          [method.toLowerCase()]: {
            operationId,
            ...operation,
            ...(open.includes(method) && { security: [{ bearer: [] }, {}] }),
          },
        };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1, maximum: 2 ** 31 } };
  const list = { description: 'Those of the user', content: json({ type: 'array', items: note }) };
  return {
    openapi: '3.1.0',
    info: { title: 'Notes of users', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths: {
      '/notes': {
        ...at('POST', 'createNote', { requestBody: body, responses: { '201': some, ...refused } }),
        ...at('GET', 'listNotes', { responses: { '200': list, ...refused } }),
      },
      '/notes/{id}': {
        parameters: [id],
        ...at('GET', 'getNote', { responses: { '200': some, ...refused } }),
        ...at('PUT', 'replaceNote', { requestBody: body, responses: { '200': some, ...refused } }),
        ...at('PATCH', 'patchNote', {
          requestBody: { required: true, content: { 'application/merge-patch+json': { schema: note } } },
          responses: { '200': some, ...refused },
        }),
        ...at('DELETE', 'deleteNote', { responses: { '204': none, ...refused } }),
      },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Note: {
          type: 'object',
          required: ['text'],
          properties: {
            id: { type: 'integer', readOnly: true },
            text: { type: 'string', minLength: 1, maxLength: 40 },
          },
        },
      },
    },
  };
}

const empty = (status: number, headers: Readonly<Record<string, string>> = {}): ServerAnswer => ({
  status,
  headers,
  body: '',
});

/** Starts the service, and records its requests. */
export async function startOwnedNotes(options: OwnedNotesOptions = {}) {
  const { trespass, lists = () => false, users = USERS, open = [], hasOwnIds = false } = options;
  const notes = new Map<string, OwnedNote>();
  const requests: ServerRequest[] = [];
  const url = await startReferenceServer((request) => {
    requests.push(request);
    const { method, headers } = request;
    const [, collection, id, ...others] = new URL(request.url, 'http://server').pathname.split('/');
    if (collection !== 'notes' || others.length > 0) return empty(404);
    const [, token = ''] = /^bearer (.*)$/i.exec(headers['authorization'] ?? '') ?? [];
    const user = users[token] ?? '';
    if (user === '' && !open.includes(method)) return empty(401, { 'WWW-Authenticate': 'Bearer' });
    const keyOf = (name: string): string => (hasOwnIds ? `${user} ${name}` : name);
    const show = (key: string, { text }: OwnedNote) => ({ id: Number(key.split(' ').at(-1)), text });
    const isOwn = ({ owner }: OwnedNote): boolean => owner === user || open.includes(method);
    const sent = (): unknown => (JSON.parse(request.body.toString()) as OwnedNote).text; // Only valid requests are sent.
    if (id === undefined) {
      if (method === 'GET') {
        const visible = [...notes].filter(([, one]) => isOwn(one) || lists(one));
        return answerJson(
          200,
          visible.map(([key, one]) => show(key, one)),
        );
      }
      const count = hasOwnIds ? [...notes.values()].filter(isOwn).length : notes.size;
      const key = keyOf(String(count + 1));
      notes.set(key, { owner: user, text: sent() });
      return answerJson(201, show(key, { owner: user, text: sent() }));
    }
    const key = keyOf(id);
    const found = notes.get(key);
    if (found !== undefined && !isOwn(found)) {
      const answer = trespass?.({ user, method, id, note: found, notes, request });
      return answer ?? empty(404);
    }
    if (found === undefined) return empty(404);
    return act(notes, key, found, request);
  });
  return { url, requests, notes };
}

/** Handles a request without checking the user. */
export function act(
  notes: Map<string, OwnedNote>,
  key: string,
  found: OwnedNote,
  request: ServerRequest,
): ServerAnswer {
  const { method } = request;
  if (method === 'DELETE') {
    notes.delete(key);
    return empty(204);
  }
  const { text } = method === 'GET' ? found : { ...found, ...(JSON.parse(request.body.toString()) as OwnedNote) };
  notes.set(key, { ...found, text });
  return answerJson(200, { id: Number(key.split(' ').at(-1)), text });
}
