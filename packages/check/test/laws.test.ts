import { CHECK_NAMES, isStateCheck } from '../src/judgement/checks.ts';
import { checkContract } from '../src/contract-run.ts';
import { answerJson } from './support/reference-server.ts';
import {
  addLike,
  forumDocument,
  hasValue,
  OTHER_TOKEN,
  startForum,
  TOKEN,
  type ForumBehaviour,
} from './support/forum.ts';

const checks = new Set(CHECK_NAMES.filter((check) => isStateCheck(check) && check !== 'object_level_authorization'));

/** Checks a forum with the laws of sequences. Returns the failures with the number of requests in their reports. */
async function check(behaviour: ForumBehaviour, seed = 1): Promise<readonly string[]> {
  const [document, baseUrl] = [forumDocument(behaviour), await startForum(behaviour)];
  const users = { token: TOKEN, otherToken: OTHER_TOKEN };
  const { failures } = await checkContract({ document, baseUrl, ...users, checks, seed, runs: 0, budgetMs: 120_000 });
  return failures.map(
    ({ check: name, operationId, cause, earlier = [] }) =>
      `${name} ${operationId}: ${cause} (${String(earlier.length + 1)} requests)`,
  );
}

const isDuplicate = (title: string): string => title.toLowerCase();

test.each<[string, ForumBehaviour, string]>([
  [
    'a slug that is not unique',
    { slugOf: isDuplicate },
    'ensure_resource_availability listThreads: two created resources have the same id (3 requests)',
  ],
  [
    'a slug that is not unique, without a list',
    { slugOf: isDuplicate, isUnlisted: true },
    'ensure_resource_availability getThread: two created resources have the same id (5 requests)',
  ],
  [
    'an ignored filter by an item of a list',
    { filter: (thread, name, value) => name === 'tag' || hasValue(thread, name, value) },
    'list_filters listThreads: filtered by tag, the list has an item that does not match (3 requests)',
  ],
  [
    'an ignored filter by a boolean',
    { filter: (thread, name, value) => name === 'open' || hasValue(thread, name, value) },
    'list_filters listThreads: filtered by open, the list has an item that does not match (3 requests)',
  ],
  [
    'an ignored filter by a part of a member',
    { filter: (thread, name, value) => name === 'author' || hasValue(thread, name, value) },
    'list_filters listThreads: filtered by author, the list has an item that does not match (3 requests)',
  ],
  [
    'a filter that nothing matches',
    { filter: () => false },
    'list_filters listThreads: filtered by tag, the list lacks an item that matches (3 requests)',
  ],
  [
    'a list with the items of all parents',
    { posts: (threads) => threads.flatMap((thread) => [...thread.posts]) },
    'list_filters listPosts: the list has a resource that was created below another parent (3 requests)',
  ],
  [
    'an ignored filter by a flag, which may be the name of a user',
    { filter: (thread, name, value) => name === 'liked' || hasValue(thread, name, value) },
    'list_filters listThreads: filtered by liked, the list has an item that does not match (7 requests)',
  ],
  [
    'an action without effect',
    { like: () => undefined },
    'action_effects likeThread: after the action, liked is still false (3 requests)',
  ],
  [
    'an action that only its response shows',
    {
      like: ({ slug, title, tags, open, author }) =>
        answerJson(200, { slug, title, tags, open, author: { name: author }, liked: true, likes: 1 }),
    },
    'action_effects getThread: the effect of the action is not read: liked (4 requests)',
  ],
  [
    'a repeated action that counts twice',
    { countLikes: ({ count }) => count, unlike: (thread, user) => (thread.likes.delete(user), (thread.count -= 1)) },
    'action_effects likeThread: the repeated action counts again: likes (4 requests)',
  ],
  [
    'one action for all users',
    { countLikes: ({ likes }) => Math.min(1, likes.size) },
    'action_effects getThread: the action of a second user does not count: likes (9 requests)',
  ],
  [
    'an action that cannot be undone',
    { unlike: () => undefined },
    'action_effects getThread: its DELETE does not restore liked (6 requests)',
  ],
  [
    'a number that is not restored',
    { countLikes: ({ count, likes }) => Math.max(Math.min(1, count), likes.size) },
    'action_effects getThread: its DELETE does not restore likes (6 requests)',
  ],
])('a forum with %s fails with every seed', async (_name, behaviour, failure) => {
  for (const seed of [1, 2, 3]) expect(await check(behaviour, seed)).toEqual([failure]);
});

test.each<[string, ForumBehaviour]>([
  ['the behaviour of its document', {}],
  [
    'a filter by a part of the text',
    {
      filter: (thread, name, value) =>
        name === 'tag' ? thread.tags.some((tag) => tag.includes(value)) : hasValue(thread, name, value),
    },
  ],
  [
    'a repeated action that is refused',
    {
      like: (thread, user) => {
        if (thread.likes.has(user)) return { status: 409, headers: {}, body: '' };
        addLike(thread, user);
        return undefined;
      },
    },
  ],
  [
    'a filter by a flag',
    {
      filter: (thread, name, value) =>
        name === 'liked' ? String(thread.likes.size > 0) === value : hasValue(thread, name, value),
    },
  ],
  [
    'a filter that is on with any text',
    {
      filter: (thread, name, value) => (name === 'liked' ? thread.likes.size > 0 : hasValue(thread, name, value)),
    },
  ],
  [
    'an action that waits for approval',
    { like: (thread) => void (thread.count += 1), countLikes: ({ count }) => count },
  ],
  ['a number of all actions', { countLikes: ({ count }) => count }],
  ['ids that each parent counts', { nextPost: ({ posts }) => Math.max(0, ...posts.keys()) + 1 }],
])('a forum with %s passes', async (_name, behaviour) => {
  for (const seed of [1, 2, 3]) expect(await check(behaviour, seed)).toEqual([]);
});
