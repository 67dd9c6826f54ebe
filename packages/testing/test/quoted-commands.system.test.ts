import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { ROOT, runProcess } from '@contract-first/testing/service.ts';

const MAIN = join(ROOT, 'packages/testing/src/quoted-commands/main.ts');

/** Writes a document with the given lines, in which `~` stands for a fence. Returns its path. */
function write(name: string, lines: readonly string[]): string {
  const document = join(temporaryFolder(), name);
  writeFileSync(document, `${lines.join('\n').replaceAll('~', '```')}\n`);
  return document;
}

/** Runs `npm run quoted-commands -w packages/testing` on a document with the given lines. */
async function execute(...lines: readonly string[]) {
  const document = write('x.md', lines);
  const { code, stdout, stderr } = await runProcess('node', [MAIN, document], {}, ROOT);
  return { code, stdout: stdout.replaceAll(document, 'x.md'), stderr: stderr.replaceAll(document, 'x.md') };
}

test('npm run quoted-commands -w packages/testing runs console and sh, writes files and applies diffs in order, and names the commands it does not run', async () => {
  const outcome = await execute(
    ...['`new.txt`:', '', '~text', 'one', 'two', 'three', '~', ''],
    ...['~diff', '--- a/new.txt', '+++ b/new.txt', '@@ -1,3 +1,3 @@', ' one', '-two', '+2', ' three', '~', ''],
    ...['1. In a list:', '', '   ~console', '   $ cat new.txt', '   one', '   2', '   three', '   ~', ''],
    ...['~console', '$ cat new.txt', '…', '$ cat new.txt', 'on…', '…', 'three', '$ true', '~', ''],
    ...['~sh', 'npm ci', 'podman run it', 'mkdir -p a/b', 'touch a/b/made', '~', ''],
    ...['~console', '$ cd a', '$ cd b', '$ ls', 'made', '~'],
  );
  const ran = ['22 $ cat new.txt', '29 $ cat new.txt', '31 $ cat new.txt', '35 $ true'];
  ran.push('39 $ npm ci   (not run: a step of .ci/run)', '40 $ podman run it   (not run: needs another machine)');
  ran.push('41 $ mkdir -p a/b', '42 $ touch a/b/made', '46 $ cd a', '47 $ cd b', '48 $ ls');
  expect(outcome).toEqual({ code: 0, stdout: ran.map((line) => `x.md:${line}\n`).join(''), stderr: '' });
});

const MISTAKES: readonly (readonly [string, readonly string[], string])[] = [
  ['another line', ['~console', '$ printf "one\\ntwo\\n"', 'one', '2', '~'], 'x.md:4: the output of `printf'],
  [
    'a line more',
    ['~console', '$ echo one', 'one', 'two', '~'],
    'x.md:4: the output of `echo one` differs; quoted: two',
  ],
  ['a line less', ['~console', '$ printf "one\\ntwo\\n"', 'one', '~'], 'x.md:4: the output of'],
  ['output where none is quoted', ['~console', '$ echo one', '~'], 'x.md:3: the output of'],
  ['a failure', ['', '~sh', 'true', 'echo no >&2; exit 3', '~'], 'x.md:4: the exit code is 3; printed:\nno'],
  ['a quoted failure that is none', ['~console', '$ echo FAIL', 'FAIL', '~'], 'x.md:2: the exit code is 0'],
  ['a service that does not start', ['~console', '$ PORT=x npm start', 'Plant store', '~'], 'x.md:3: the output of'],
  ['a diff that does not apply', ['~diff', '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b', '~'], 'x.md:2: Error: '],
  ['a block of another language', ['~toml', 'a = 1', '~'], 'x.md:2: Error: a block of toml'],
  ['code that is in no file', ['~ts', 'let a = 1;', '~'], 'x.md:2: Error: no file contains'],
  ['a console block without a command', ['~console', 'one', '~'], 'x.md:2: Error: a console block starts with'],
  ['a fence without a language', ['~', 'npm test', '~'], 'x.md: a fence has no language or no end'],
  ['a fence without an end', ['~sh', 'npm test'], 'x.md: a fence has no language or no end'],
];

describe('npm run quoted-commands -w packages/testing', () => {
  let printed = '';
  const documentOf = (index: number): string => `${String(index)}.md`;
  beforeAll(async () => {
    const documents = MISTAKES.map(([, lines], index) => write(documentOf(index), lines));
    const { code, stderr } = await runProcess('node', [MAIN, ...documents], {}, ROOT);
    expect(code).toBe(1);
    printed = stderr;
  });

  test.each(MISTAKES.map(([mistake, , message], index) => [mistake, message.replace('x.md', documentOf(index))]))(
    'reports %s',
    (_, message) => {
      expect(printed).toContain(`/${message}`);
    },
  );
});

test('npm run quoted-commands -w packages/testing exits 1 for one document with a mistake among others', async () => {
  const [right, wrong] = [write('right.md', ['~sh', 'true', '~']), write('wrong.md', ['~sh', 'false', '~'])];
  expect(await runProcess('node', [MAIN, wrong, right], {}, ROOT)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('wrong.md:2: '),
  });
});

test('npm run quoted-commands -w packages/testing keeps a service running, and completes a command from earlier output', async () => {
  const outcome = await execute(
    ...['~console', '$ npm start', 'Plant store   http://127.0.0.1:3000', '…', '~', ''],
    ...['~console', '$ curl -X …', '{…', '~'],
  );
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
});
