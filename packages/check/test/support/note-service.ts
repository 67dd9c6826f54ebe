import type { OpenApiDocument } from '@contract-first/documents';
import { answerJson, startReferenceServer, type ServerAnswer } from './reference-server.ts';

// A small service of notes whose behaviour each test configures. The checks must not report correct behaviour.

type Note = Readonly<Record<string, unknown>>;

/** The behaviour of a service of notes. Each function replaces the default behaviour. */
export type NoteBehaviour = {
  /** Documented statuses and further parts of the operations. */
  readonly created?: Readonly<Record<string, object>>;
  /** A suffix of all paths. */
  readonly slash?: string;
  /** The example for the text of a note. */
  readonly example?: string;
  readonly removed?: Readonly<Record<string, object>>;
  readonly store?: (note: Note) => Note | undefined;
  /** The schema of ids. */
  readonly idSchema?: object;
  /** The schema of ids in paths, if it differs. */
  readonly pathIdSchema?: object;
  /** The schema of the list. */
  readonly listSchema?: object;
  /** Returns the id of a note that is created. */
  readonly identify?: (sent: Note, id: string) => string | number | undefined;
  readonly create?: (note: Note) => ServerAnswer | undefined;
  readonly read?: (note: Note | undefined) => ServerAnswer | undefined;
  readonly remove?: (notes: Map<string, Note>, id: string) => ServerAnswer;
  /** Replaces a note by the id in the body of `PUT /notes`, which is only documented if this function is given. */
  readonly replace?: (notes: Map<string, Note>, note: Note) => ServerAnswer;
  readonly list?: (notes: readonly Note[]) => object;
};

const body = { 'application/json': { schema: { $ref: '#/components/schemas/Note' } } };
const replacement = {
  'application/json': {
    schema: {
      type: 'object',
      required: ['id', 'text'],
      properties: { id: { type: 'string', format: 'uuid' }, text: { type: 'string' } },
    },
  },
};
const some = { description: 'Done', content: body };
const none = { description: 'Done' };

/** Returns the document of a service of notes. */
export function noteDocument({
  created = { '201': some },
  removed = { '204': none },
  replace,
  example,
  slash = '',
  idSchema = { type: 'string', format: 'uuid' },
  pathIdSchema = idSchema,
  listSchema = { type: 'array', items: { $ref: '#/components/schemas/Note' } },
}: NoteBehaviour): OpenApiDocument {
  const id = { name: 'id', in: 'path', required: true, schema: pathIdSchema };
  return {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1.0.0' },
    security: [],
    paths: {
      [`/notes${slash}`]: {
        post: {
          operationId: 'createNote',
          requestBody: { required: true, content: body },
          responses: { ...created, '4XX': none },
        },
        ...(replace !== undefined && {
          put: {
            operationId: 'replaceNote',
            requestBody: { required: true, content: replacement },
            responses: { '204': none, '4XX': none },
          },
        }),
        get: {
          operationId: 'listNotes',
          responses: {
            '200': {
              description: 'All',
              content: { 'application/json': { schema: listSchema } },
            },
          },
        },
      },
      [`/notes/{id}${slash}`]: {
        parameters: [id],
        get: { operationId: 'getNote', responses: { '200': some, '4XX': none } },
        delete: { operationId: 'deleteNote', responses: { ...removed, '4XX': none } },
      },
    },
    components: {
      schemas: {
        Note: {
          type: 'object',
          required: ['text'],
          properties: {
            id: { ...idSchema, readOnly: true },
            text: { type: 'string', ...(example !== undefined && { examples: [example] }) },
            at: { type: 'string', format: 'date-time' },
            tags: { type: 'array', items: { type: 'string' } },
            author: {
              type: 'object',
              required: ['id'],
              properties: { id: { type: 'string', readOnly: true }, name: { type: 'string' } },
            },
            password: { type: 'string', writeOnly: true },
            deleted: { type: 'boolean', readOnly: true },
          },
        },
      },
    },
  };
}

/** Starts a service of notes. */
export function startNotes(behaviour: NoteBehaviour): Promise<string> {
  const notes = new Map<string, Note>();
  const missing: ServerAnswer = { status: 404, headers: {}, body: '' };
  let count = 0;
  return startReferenceServer(({ method, url, body: bytes }) => {
    const [, collection, id, ...others] = new URL(url, 'http://server').pathname.replace(/\/$/, '').split('/');
    if (collection !== 'notes' || others.length > 0) return missing;
    if (id === undefined) {
      if (method === 'GET') return answerJson(200, behaviour.list?.([...notes.values()]) ?? [...notes.values()]);
      const sent = JSON.parse(bytes.toString()) as Note; // Only valid requests are sent.
      if (method === 'PUT') return behaviour.replace?.(notes, sent) ?? missing;
      const refused = behaviour.create?.(sent);
      if (refused !== undefined) return refused;
      count += 1;
      const id = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
      const note = { ...sent, password: undefined, id: behaviour.identify?.(sent, id) ?? id };
      const key = String(note.id);
      notes.set(key, behaviour.store?.(note) ?? note);
      return answerJson(201, notes.get(key));
    }
    const note = notes.get(id);
    if (method === 'GET') return behaviour.read?.(note) ?? (note === undefined ? missing : answerJson(200, note));
    if (method !== 'DELETE') return { status: 405, headers: {}, body: '' };
    if (behaviour.remove !== undefined) return behaviour.remove(notes, id);
    return notes.delete(id) ? { status: 204, headers: {}, body: '' } : missing;
  });
}
