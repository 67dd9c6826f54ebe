import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { parse } from 'yaml';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { ROOT, runProcess } from '@contract-first/testing/service.ts';
import { VERSION } from '../../command-line/src/terminal/version.ts';
import { answers } from '../../check/test/support/defect-kinds.ts';
import { shallowDocument } from '../../check/test/support/reference-document.ts';
import { startReferenceServer, TOKEN } from '../../check/test/support/reference-server.ts';

// Simulates the GitHub runner: passes inputs to the steps of action.yml, and provides the files and the API that they
// use.

type Action = {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
};
type Step = {
  readonly uses?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
};
type Comment = { readonly id: number; body: string; readonly user: { readonly login: string } };

const PULL_REQUEST = 7;
const GITHUB_TOKEN = 'token-of-the-runner';
const LOGIN = 'github-actions[bot]';
const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as Action;

let folder = '';
let base = '';
let comments: Comment[] = [];
let requests: string[] = [];
/** Whether the runner's token may write comments. */
let mayWrite = true;

beforeEach(() => {
  [folder, comments, requests, mayWrite] = [temporaryFolder(), [], [], true];
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: folder }).toString();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(shallowDocument));
  git('init', '--quiet');
  git('add', 'openapi.json');
  git('commit', '--quiet', '--message', 'first');
  base = git('rev-parse', 'HEAD').trim();
  writeFileSync(
    join(folder, 'event.json'),
    JSON.stringify({ pull_request: { number: PULL_REQUEST, base: { sha: base } } }),
  );
});

/** Simulates GitHub's API for pull request comments. Returns the URL. */
async function startGithub(): Promise<string> {
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: unknown }> => {
    const { method = '', url = '', headers } = request;
    requests.push(`${method} ${url}`);
    if (headers.authorization !== `Bearer ${GITHUB_TOKEN}`) return { status: 401, body: {} };
    if (method === 'GET') {
      const page = Number(new URL(url, 'http://localhost').searchParams.get('page'));
      return { status: 200, body: comments.slice((page - 1) * 100, page * 100) };
    }
    const { body, query } = (await json(request)) as { readonly body: string; readonly query?: string };
    if (query !== undefined) return { status: 200, body: { data: { viewer: { login: LOGIN } } } };
    if (!mayWrite) return { status: 403, body: {} };
    const [, id] = /\/comments\/(\d+)$/.exec(url) ?? [];
    const known = comments.find((comment) => comment.id === Number(id));
    if (known !== undefined) known.body = body;
    else comments.push({ id: comments.length + 1, body, user: { login: LOGIN } });
    return { status: 200, body: {} };
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => response.writeHead(status).end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // It listens on a port.
}

/** Runs the action with inputs. Returns its outcome, the output of its steps and the job summary. */
async function runAction(inputs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const [command, comment] = action.runs.steps.slice(-2);
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') };
  rmSync(files.GITHUB_OUTPUT, { force: true });
  const contents = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  const expressions: Record<string, string> = {
    'github.token': GITHUB_TOKEN,
    'github.event.pull_request.base.sha || github.event.before': base,
  };
  const evaluate = (text: string): string =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_whole, name: string) => {
      const [, input] = /^inputs\.(.*)$/.exec(name) ?? [];
      if (input === undefined) return expressions[name] ?? `unknown expression ${name}`;
      return inputs[input] ?? evaluate(action.inputs[input]?.default ?? '');
    });
  const api = await startGithub();
  const runStep = (step: Step | undefined) => {
    const runner = {
      ...files,
      GITHUB_ACTION_PATH: ROOT,
      GITHUB_API_URL: api,
      GITHUB_REPOSITORY: 'owner/name',
      GITHUB_WORKFLOW: 'ci',
      GITHUB_JOB: 'contract',
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      RUNNER_TEMP: folder,
    };
    const own = Object.fromEntries(Object.entries(step?.env ?? {}).map(([name, text]) => [name, evaluate(text)]));
    return runProcess('bash', ['-e', '-o', 'pipefail', '-c', step?.run ?? ''], { ...own, ...runner, ...env }, folder);
  };
  const { code, stdout, stderr } = await runStep(command);
  const [exitCode = '', commentFile = ''] = ['exit-code', 'comment'].map(
    (name) => new RegExp(`^${name}=(.*)$`, 'm').exec(contents(files.GITHUB_OUTPUT))?.[1] ?? '',
  );
  expressions['steps.run.outputs.comment'] = commentFile;
  expect(comment?.if).toBe("${{ !cancelled() && steps.run.outputs.comment != '' }}");
  const commented = commentFile === '' ? { code: 0, stdout: '', stderr: '' } : await runStep(comment);
  expect([commented.code, commented.stderr]).toEqual([0, '']);
  return { code, stdout: stdout + commented.stdout, stderr, exitCode, summary: contents(files.GITHUB_STEP_SUMMARY) };
}

const DIFF = { command: 'diff', document: 'openapi.json' };

/** Makes a breaking change to the document. */
function breakDocument(): void {
  const text = JSON.stringify(shallowDocument).replace('"/notes"', '"/memos"');
  writeFileSync(join(folder, 'openapi.json'), text);
}

test('the action diff annotates, summarizes and comments on the changes since the base of the pull request', async () => {
  breakDocument();
  const { code, stdout, exitCode, summary } = await runAction(DIFF);
  expect({ code, exitCode }).toEqual({ code: 1, exitCode: '1' });
  expect(stdout).toMatch(
    /^::error file=openapi\.json,line=1,col=\d+,title=api-path-removed-without-deprecation::POST \/notes: /m,
  );
  expect(summary).toMatch(/^\*\*1 error, .*\*\*$/m);
  expect(comments.map(({ body }) => body)).toEqual([
    `<!-- contract-first ci contract diff openapi.json -->\n### diff openapi.json\n\n${summary.slice(0, -1)}`,
  ]);
});

test('the action diff compares the first push of a branch with the commit before its last one', async () => {
  breakDocument();
  const git = [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@example.org',
    'commit',
    '--quiet',
    '--all',
    '--message',
    'second',
  ];
  execFileSync('git', git, { cwd: folder });
  writeFileSync(join(folder, 'event.json'), '{}');
  base = '0'.repeat(40);
  expect(await runAction(DIFF)).toMatchObject({ code: 1, summary: expect.stringContaining('**1 error') });
  expect(comments).toEqual([]);
});

test('the action diff updates its own comment among pages of comments, despite copies of its marker', async () => {
  comments = Array.from({ length: 150 }, (_, index) => ({
    id: index + 1,
    body: '<!-- contract-first ci contract diff openapi.json -->',
    user: { login: 'somebody-else' },
  }));
  breakDocument();
  await runAction(DIFF);
  expect(comments).toHaveLength(151);
  expect(comments[150]?.body).toContain('**1 error');
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(shallowDocument));
  const { code, stdout } = await runAction(DIFF);
  expect({ code, errors: stdout.includes('::error') }).toEqual({ code: 0, errors: false });
  expect(comments).toHaveLength(151);
  expect(comments[150]?.body).toContain('**0 errors, 0 warnings, 0 notes**');
});

test('the action check annotates, summarizes and comments on failures of a service, and hides its token', async () => {
  const url = await startReferenceServer(answers(200, () => true));
  const inputs = { command: 'check', document: 'openapi.json', url, arguments: '--runs\n5\n--seed=1\n--budget=300' };
  const { code, stdout, stderr, exitCode, summary } = await runAction(inputs, { CONTRACT_TOKEN: TOKEN });
  expect({ code, exitCode }).toEqual({ code: 1, exitCode: '1' });
  expect(stdout).toMatch(/^::error file=openapi\.json,line=1,title=response_schema_conformance::\w+: /m);
  expect(summary).toMatch(
    /^\*\*checked: \d+ operations, \d+ requests, \d+ failures .*\(seed 1\)\*\*\n\n\| Operation +\| Check /,
  );
  expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining(summary.slice(0, -1))]);
  expect(stdout + stderr + summary).not.toContain(TOKEN);
});

test('the action comments if the command cannot run', async () => {
  writeFileSync(join(folder, 'openapi.json'), '{');
  const { code, exitCode, stdout, summary } = await runAction(DIFF);
  expect({ code, exitCode }).toEqual({ code: 2, exitCode: '2' });
  expect(stdout).toContain('::error title=contract-first::contract-first diff openapi.json was not possible: ');
  expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining(summary.slice(0, -1))]);
});

test('the action installs its commands from its own lock file', async () => {
  const copy = temporaryFolder();
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'packages'])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: (path) => !path.includes('/test/') });
  const install = action.runs.steps.find((step) => step.run?.startsWith('npm ci'))?.run ?? '';
  expect(await runProcess('bash', ['-e', '-c', `${install} --prefer-offline`], {}, copy)).toMatchObject({ code: 0 });
  const { stdout } = await runProcess('node', ['packages/cli/bin.js', '--version'], {}, copy);
  expect(stdout).toBe(`${VERSION}\n`);
}, 240_000);

test('the action withholds its token from processes that run code of the checkout, and their parents', async () => {
  const code = `import { readFileSync } from 'node:fs';
    const all = ['self', process.ppid].map((pid) => readFileSync(\`/proc/\${pid}/environ\`, 'utf8'));
    export default { setUp: () => { throw all.join().includes('${GITHUB_TOKEN}') ? 'it has the token' : 'it is safe'; } };`;
  writeFileSync(join(folder, 'hooks.mjs'), code);
  const url = await startReferenceServer();
  const inputs = { command: 'check', document: 'openapi.json', url, arguments: '--hooks\nhooks.mjs' };
  const { stderr } = await runAction(inputs, { CONTRACT_TOKEN: TOKEN });
  expect(stderr).toContain('the hook setUp failed: it is safe');
});

test.each(['hooks: hooks.mjs', 'token-command: touch ran'])(
  'the action refuses to run code that a file of the checkout names: %s',
  async (option) => {
    writeFileSync(join(folder, 'hooks.mjs'), "import { writeFileSync } from 'node:fs'; writeFileSync('ran', '');");
    for (const [file, more] of [
      ['.contract.yaml', ''],
      ['other.yaml', '--config=other.yaml'],
    ] as const) {
      writeFileSync(join(folder, file), `${option}\n`);
      const inputs = { command: 'check', document: 'openapi.json', url: 'http://127.0.0.1:9', arguments: more };
      const { code, stdout } = await runAction(inputs);
      expect({ code, stdout }).toEqual({
        code: 2,
        stdout: `::error title=contract-first::${file}:1:1 ${option.replace(/:.*/, '')} is not run, since a pull request can change it: name it in the input arguments\n`,
      });
    }
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  },
);

test.each([
  [
    'document',
    { command: 'check', document: '--hooks=hooks.mjs', url: 'http://127.0.0.1:9', arguments: 'openapi.json' },
  ],
  ['base', { command: 'diff', document: 'openapi.json', base: '--config=other.yaml' }],
])('the action accepts no option as its input %s', async (name, inputs) => {
  writeFileSync(join(folder, 'hooks.mjs'), "import { writeFileSync } from 'node:fs'; writeFileSync('ran', '');");
  const { code, stdout } = await runAction(inputs);
  expect({ code, stdout }).toEqual({
    code: 2,
    stdout: `::error title=contract-first::the input ${name} must not begin with "-"\n`,
  });
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

test('the action does not show the password of its input url in the comment', async () => {
  const url = 'http://user:s3cret-1@127.0.0.1:9/v1?key=s3cret-2';
  await runAction({ command: 'check', document: 'openapi.json', url });
  expect(comments.map(({ body }) => body)).toEqual([
    expect.stringContaining('### check openapi.json http://127.0.0.1:9/v1\n'),
  ]);
  expect(JSON.stringify(comments)).not.toContain('s3cret');
});

test.each([
  ['command', { command: 'mock\n::error::owned' }],
  ['document', { command: 'diff', document: 'a\n::error::owned' }],
  ['url', { command: 'check', url: 'http://127.0.0.1:9/\n::error::owned' }],
  ['arguments', { command: 'diff', document: 'openapi.json', arguments: '--none\r::error::owned' }],
])('no line feed in the input %s writes a command to the runner', async (_name, inputs) => {
  const { code, stdout } = await runAction(inputs);
  expect(code).toBe(2);
  const [, pause = ' '] = /^::stop-commands::(\S+)\n/.exec(stdout) ?? [];
  const heard = stdout.slice(stdout.lastIndexOf(`::${pause}::`));
  expect(heard.split(/[\r\n]+/).filter((line) => /^\s*::error::/.test(line))).toEqual([]);
  for (const { body } of comments) expect(body).not.toMatch(/^::/m);
});

test('the action does not pass workflow commands in the output of a service to the runner', async () => {
  breakDocument();
  const { stdout } = await runAction(DIFF);
  const [, token = ''] = /^::stop-commands::(\S+)\n/.exec(stdout) ?? [];
  const [ofCommand = ''] = stdout.split(`::${token}::\n`);
  expect(token).toMatch(/^[\w-]{36}$/);
  expect(ofCommand).toContain('ERR ');
  expect(ofCommand).not.toContain('::error');
});

test('the action warns if its token may not comment, and exits with the code of its command', async () => {
  breakDocument();
  mayWrite = false;
  const { code, stdout } = await runAction(DIFF);
  expect(code).toBe(1);
  expect(stdout).toContain(
    '::warning title=contract-first::the comment was not written: POST /repos/owner/name/issues/7/comments was answered 403\n',
  );
});

test('the action writes no comment if disabled, or outside a pull request', async () => {
  breakDocument();
  expect(await runAction({ ...DIFF, comment: 'false' })).toMatchObject({ code: 1 });
  writeFileSync(join(folder, 'event.json'), '{}');
  expect(await runAction(DIFF)).toMatchObject({ code: 1 });
  expect(requests).toEqual([]);
});

test.each([
  ['another command', { command: 'mock' }, 'the input command must be check or diff, not "mock"'],
  ['check without a url', { command: 'check' }, 'the input url is missing: name the running service'],
  ['diff without a base', { command: 'diff', base: '' }, 'the input base is missing: name the commit'],
])('the action refuses %s with code 2 and an annotation', async (_name, inputs, message) => {
  const { code, stdout } = await runAction(inputs);
  expect({ code, stdout }).toEqual({
    code: 2,
    stdout: expect.stringContaining(`::error title=contract-first::${message}`),
  });
});

test('the action pins other actions to commits, and passes every input to its command', () => {
  for (const { uses } of action.runs.steps) if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/);
  const used = JSON.stringify(action.runs.steps).matchAll(/inputs\.(\w+)/g);
  expect([...used].map(([, name]) => name).sort()).toEqual(Object.keys(action.inputs).sort());
});
