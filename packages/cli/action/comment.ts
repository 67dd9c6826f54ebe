import { readFileSync, rmSync } from 'node:fs';
import { escapeMarkdown, formatWorkflowCommand } from '@contract-first/command-line/reports';

// The second step of action.yml: writes the pull request comment with the token.

/** The comment that the first step writes to the file `COMMENT_FILE`. */
export type CommentFile = { readonly title: string; readonly markdown: string };

type Comment = { readonly id: number; readonly body?: string; readonly user?: { readonly login: string } | null };
type Viewer = { readonly data: { readonly viewer: { readonly login: string } } };
type Event = { readonly pull_request?: { readonly number: number } };

const PAGE = 100;
// GitHub rejects longer comments.
const MAX_CHARS = 65_000;

const { COMMENT_FILE: file = '', INPUT_TOKEN: inputToken = '' } = process.env;
const { title, markdown } = JSON.parse(readFileSync(file, 'utf8')) as CommentFile; // Written by the first step.
rmSync(file);
const problem = await publishComment(title, markdown, process.env, inputToken.trim());
if (problem !== undefined)
  process.stdout.write(
    formatWorkflowCommand('warning', { title: 'contract-first' }, `the comment was not written: ${problem}`),
  );

/**
 * Writes a comment on the pull request of a workflow, or updates the comment of an earlier run with the same title.
 * Does nothing without a pull request.
 *
 * @returns the reason if the comment could not be written, such as on a pull request from a fork, whose token is
 *   read-only
 */
async function publishComment(
  title: string,
  markdown: string,
  env: NodeJS.ProcessEnv,
  token: string,
): Promise<string | undefined> {
  const { GITHUB_EVENT_PATH: path, GITHUB_API_URL: api = '', GITHUB_REPOSITORY: repository = '' } = env;
  const event = path === undefined ? {} : (JSON.parse(readFileSync(path, 'utf8')) as Event); // Written by GitHub.
  if (event.pull_request === undefined) return undefined;
  const issues = `${api}/repos/${repository}/issues`;
  const comments = `${issues}/${String(event.pull_request.number)}/comments`;
  const { GITHUB_WORKFLOW: workflow = '', GITHUB_JOB: job = '' } = env;
  const marker = `<!-- contract-first ${[workflow, job, title].join(' ').replaceAll(/[<>\s]+/g, ' ')} -->`;
  const cut = markdown.length > MAX_CHARS ? `${markdown.slice(0, MAX_CHARS)}…\n` : markdown;
  try {
    const earlier = await findComment();
    const body = `${marker}\n### ${escapeMarkdown(title)}\n\n${cut}`;
    if (earlier === undefined) await send('POST', comments, { body });
    else await send('PATCH', `${issues}/comments/${String(earlier.id)}`, { body });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }

  async function findComment(): Promise<Comment | undefined> {
    const login = await readLogin();
    for (let page = 1; ; page += 1) {
      const query = `per_page=${String(PAGE)}&page=${String(page)}`;
      const found = (await send('GET', `${comments}?${query}`)) as readonly Comment[]; // As GitHub documents.
      // Checks the author, since other users can copy the marker.
      const own = found.find(({ body, user }) => body?.startsWith(marker) && user?.login === login);
      if (own !== undefined || found.length < PAGE) return own;
    }
  }

  /** Returns the login of the token by GraphQL, since the REST API does not return it for workflow tokens. */
  async function readLogin(): Promise<string> {
    const { GITHUB_GRAPHQL_URL: graphql = `${api}/graphql` } = env;
    const { data } = (await send('POST', graphql, { query: '{ viewer { login } }' })) as Viewer; // As GitHub documents.
    return data.viewer.login;
  }

  async function send(method: string, url: string, body?: object): Promise<unknown> {
    const response = await fetch(url, {
      method,
      headers: { Accept: 'application/vnd.github+json', Authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${new URL(url).pathname} was answered ${String(response.status)}`);
    return response.json();
  }
}
