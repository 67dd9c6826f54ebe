import type { OpenApiDocument } from '@contract-first/documents';
import { answerJson, startReferenceServer, type ServerAnswer } from './reference-server.ts';

// A forum: threads with slugs, filters and likes, and posts below each thread. Two users have tokens.

export type Thread = {
  readonly slug: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly open: boolean;
  readonly author: string;
  /** The users who like the thread. */
  readonly likes: Set<string>;
  /** The number of likes, which a flawed forum counts by itself. */
  count: number;
  readonly posts: Map<number, string>;
};

/** The behaviour of a forum. Each function replaces the default behaviour. */
export type ForumBehaviour = {
  readonly slugOf?: (title: string, threads: readonly Thread[]) => string;
  readonly filter?: (thread: Thread, name: string, value: string) => boolean;
  readonly countLikes?: (thread: Thread) => number;
  /** Likes a thread. Returns a response that replaces the thread. */
  readonly like?: (thread: Thread, user: string) => ServerAnswer | undefined;
  readonly unlike?: (thread: Thread, user: string) => void;
  readonly posts?: (threads: readonly Thread[], thread: Thread) => readonly (readonly [number, string])[];
  readonly nextPost?: (thread: Thread) => number;
  /** Whether the document has no list of threads. */
  readonly isUnlisted?: boolean;
};

export const [TOKEN, OTHER_TOKEN] = ['token-of-anna', 'token-of-bert'];

const json = (schema: object) => ({ 'application/json': { schema } });
const schemaNamed = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const one = (name: string) => ({ description: 'One', content: json(schemaNamed(name)) });
const all = (name: string) => ({
  description: 'All',
  content: json({ type: 'array', items: schemaNamed(name) }),
});
const none = { description: 'None' };
const failures = { '401': none, '404': none, '409': none };
const bodyOf = (name: string) => ({ required: true, content: json(schemaNamed(name)) });
const inPath = (name: string, type: string) => ({ name, in: 'path', required: true, schema: { type } });
const inQuery = (name: string, schema: object) => ({ name, in: 'query', schema });

/** Returns the document of a forum. */
export function forumDocument({ isUnlisted = false }: ForumBehaviour = {}): OpenApiDocument {
  const listThreads = {
    operationId: 'listThreads',
    parameters: [
      inQuery('tag', { type: 'string' }),
      inQuery('open', { type: 'boolean' }),
      inQuery('author', { type: 'string' }),
      inQuery('liked', { type: 'string' }),
    ],
    responses: { '200': all('Thread'), ...failures },
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Forum', version: '1.0.0' },
    security: [{ bearer: [] }],
    paths: {
      '/threads': {
        ...(!isUnlisted && { get: listThreads }),
        post: {
          operationId: 'createThread',
          requestBody: bodyOf('NewThread'),
          responses: { '201': one('Thread'), ...failures },
        },
      },
      '/threads/{slug}': {
        parameters: [inPath('slug', 'string')],
        get: { operationId: 'getThread', responses: { '200': one('Thread'), ...failures } },
        delete: { operationId: 'deleteThread', responses: { '204': none, ...failures } },
      },
      '/threads/{slug}/like': {
        parameters: [inPath('slug', 'string')],
        post: { operationId: 'likeThread', responses: { '200': one('Thread'), ...failures } },
        delete: { operationId: 'unlikeThread', responses: { '204': none, ...failures } },
      },
      '/threads/{slug}/posts': {
        parameters: [inPath('slug', 'string')],
        get: { operationId: 'listPosts', responses: { '200': all('Post'), ...failures } },
        post: {
          operationId: 'createPost',
          requestBody: bodyOf('Post'),
          responses: { '201': one('Post'), ...failures },
        },
      },
      '/threads/{slug}/posts/{id}': {
        parameters: [inPath('slug', 'string'), inPath('id', 'integer')],
        delete: { operationId: 'deletePost', responses: { '204': none, ...failures } },
      },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        NewThread: {
          type: 'object',
          required: ['title', 'tags', 'open'],
          properties: {
            title: { type: 'string' },
            tags: { type: 'array', items: { type: 'string' } },
            open: { type: 'boolean' },
          },
        },
        Thread: {
          type: 'object',
          properties: {
            slug: { type: 'string' },
            title: { type: 'string' },
            tags: { type: 'array', items: { type: 'string' } },
            open: { type: 'boolean' },
            author: { type: 'object', properties: { name: { type: 'string' } } },
            liked: { type: 'boolean' },
            likes: { type: 'integer' },
          },
        },
        Post: {
          type: 'object',
          required: ['text'],
          properties: { id: { type: 'integer', readOnly: true }, text: { type: 'string' } },
        },
      },
    },
  };
}

const empty = (status: number): ServerAnswer => ({ status, headers: {}, body: '' });
/** Returns whether a thread matches a filter. */
export const hasValue = ({ tags, open, author, likes }: Thread, name: string, value: string): boolean =>
  ({ tag: tags.includes(value), open: String(open) === value, author: author === value, liked: likes.has(value) })[
    name
  ] ?? true;

function freeSlug(title: string, threads: readonly Thread[]): string {
  const base = title.toLowerCase();
  const count = threads.filter(({ title: other }) => other.toLowerCase() === base).length;
  return count === 0 ? base : `${base}-${String(count + 1)}`;
}

/** Adds the like of a user to a thread. */
export function addLike(thread: Thread, user: string): undefined {
  thread.likes.add(user);
  thread.count += 1;
}

const USUAL: Required<Pick<ForumBehaviour, 'slugOf' | 'filter' | 'countLikes' | 'like' | 'unlike' | 'posts'>> = {
  slugOf: freeSlug,
  filter: hasValue,
  countLikes: ({ likes }) => likes.size,
  like: addLike,
  unlike: ({ likes }, user) => void likes.delete(user),
  posts: (_threads, thread) => [...thread.posts],
};

/** Starts a forum. */
export function startForum(behaviour: ForumBehaviour = {}): Promise<string> {
  const { slugOf, filter, countLikes, like, unlike, posts } = { ...USUAL, ...behaviour };
  let threads: readonly Thread[] = [];
  let lastPost = 0;
  let version = 0;
  const { nextPost = () => (lastPost += 1) } = behaviour;
  return startReferenceServer(({ method, url, headers, body }) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const [, , slug, part, id] = pathname.split('/').map(decodeURIComponent);
    const user = /^Bearer token-of-(.+)$/.exec(headers['authorization'] ?? '')?.[1];
    if (user === undefined) return { ...empty(401), headers: { 'WWW-Authenticate': 'Bearer' } };
    const show = (thread: Thread) => {
      const { slug: own, title, tags, open, author, likes } = thread;
      const more = {
        author: { name: author },
        liked: likes.has(user),
        likes: countLikes(thread),
        version: (version += 1),
      };
      return { slug: own, title, tags, open, ...more };
    };
    if (slug === undefined && method === 'GET') {
      const query = [...searchParams];
      return answerJson(
        200,
        threads.filter((one) => query.every(([name, value]) => filter(one, name, value))).map(show),
      );
    }
    const sent = body.length === 0 ? {} : (JSON.parse(body.toString()) as Partial<Thread> & { readonly text?: string });
    if (slug === undefined) {
      const { title = '', tags = [], open = false } = sent;
      const own = { slug: slugOf(title, threads), author: user, likes: new Set<string>(), count: 0 };
      threads = [...threads, { title, tags, open, ...own, posts: new Map() }];
      return answerJson(201, show(threads.at(-1) as Thread)); // Just added.
    }
    const thread = threads.find((one) => one.slug === slug);
    if (thread === undefined) return empty(404);
    if (part === undefined) {
      if (method === 'GET') return answerJson(200, show(thread));
      threads = threads.filter((one) => one !== thread);
      return empty(204);
    }
    if (part === 'like') {
      if (method === 'DELETE') {
        unlike(thread, user);
        return empty(204);
      }
      return like(thread, user) ?? answerJson(200, show(thread));
    }
    if (id !== undefined) return empty(thread.posts.delete(Number(id)) ? 204 : 404);
    if (method === 'GET')
      return answerJson(
        200,
        posts(threads, thread).map(([number, text]) => ({ id: number, text })),
      );
    const number = nextPost(thread);
    thread.posts.set(number, sent.text ?? '');
    return answerJson(201, { id: number, text: sent.text });
  });
}
