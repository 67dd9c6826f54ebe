import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { onStatus, textOf } from './support/defect-kinds.ts';
import { shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN, type Defect } from './support/reference-server.ts';

/** Checks a server with a defect in a temporary folder. Returns the output and the exit code. */
async function check(defect: Defect, args: readonly string[], folder = temporaryFolder()) {
  const url = await startReferenceServer(defect);
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(shallowDocument));
  const required = ['openapi.json', '--url', url, '--token', TOKEN, '--seed', '1', '--runs', '2', '--budget', '300'];
  return runHere(checkCommand, [...required, ...args], folder);
}

const blocksOf = (stdout: string): readonly string[] => [...stdout.matchAll(/^FAILED .*/gm)].map(([line]) => line);

/** Answers undocumented methods with 404 instead of 405. */
const unknownMethods: Defect = onStatus(405, () => ({ status: 404 }));
const failsOn =
  (text: string, status: number): Defect =>
  (request, respond) =>
    textOf(request).includes(text) ? { status, headers: {}, body: '' } : respond(request);

test('one cause in several operations is one failure that lists them; a protocol failure is one line', async () => {
  const { code, stdout } = await check(unknownMethods, ['--operation', '/items*']);
  expect(code).toBe(1);
  expect(blocksOf(stdout)).toEqual([
    'FAILED unsupported_method  findItems and 2 other operations: an undocumented method is rejected without a 405',
  ]);
  expect(stdout).not.toContain('curl');
  expect(stdout).toMatch(/\nchecked: 3 operations, \d+ requests, 1 failure \(seed 1\)\n$/);
});

test('--checks protocol prints the evidence of protocol failures, and runs no other checks', async () => {
  const both: Defect = (request, respond) => failsOn('name', 500)(request, (same) => unknownMethods(same, respond));
  const { stdout } = await check(both, ['--operation', '/items*', '--checks', 'protocol']);
  expect(blocksOf(stdout)).toEqual(['FAILED unsupported_method  findItems']);
  expect(stdout).toMatch(/\n {2}curl .*\n {2}< HTTP 404\n[^]*\n {2}also: putItem, deleteItem\n/);
});

test('failures are listed worst first, and repeated in a summary at the end', async () => {
  const three: Defect = (request, respond) =>
    failsOn('\\ud800', 500)(request, (same) =>
      unknownMethods(same, (last) => ({ ...respond(last), ...onlyId(last, respond) })),
    );
  const onlyId = (request: Parameters<Defect>[0], respond: Parameters<Defect>[1]) => {
    const answer = respond(request);
    return request.method === 'PUT' && answer.status === 200 ? { body: '{}' } : {};
  };
  const { stdout } = await check(three, ['--operation', '/items*']);
  const checks = blocksOf(stdout).map((line) => line.split(/ +/)[1]);
  expect(checks).toEqual(['not_a_server_error', 'response_schema_conformance', 'unsupported_method']);
  const [, summary = ''] = stdout.split('\nworst first:\n');
  expect(summary.split('\n').map((line) => line.trim().split(' ', 1)[0])).toEqual([...checks, 'checked:', '']);
  expect(summary).toContain('  not_a_server_error  putItem: the status is 500 for valid data (a lone surrogate)\n');
});

test('several causes of one check for one operation are several failures', async () => {
  const two: Defect = (request, respond) =>
    failsOn('\\ud800', 500)(request, (same) => failsOn('{"extra"', 500)(same, respond));
  const { stdout } = await check(two, ['--operation', 'putItem']);
  expect(stdout).toContain('the status is 500 for valid data (a lone surrogate)');
  expect(stdout).toContain('the status is 500 for invalid data (malformed JSON)');
});

test('an undocumented status of valid data is one failure', async () => {
  const refuses: Defect = (request, respond) =>
    request.method === 'GET' && respond(request).status === 200
      ? { ...respond(request), status: 418 }
      : respond(request);
  const { stdout } = await check(refuses, ['--operation', 'findItems', '--exclude-checks', 'head_conformance']);
  expect(blocksOf(stdout)).toEqual(['FAILED positive_data_acceptance  findItems']);
});

test('--checks strict requires that rejections of faulty requests are documented', async () => {
  const teapot: Defect = onStatus(400, () => ({ status: 422 }));
  const args = ['--operation', 'findItems', '--exclude-checks', 'status_code_conformance'];
  const { code, stdout } = await check(teapot, args);
  expect([code, stdout]).toEqual([0, expect.stringContaining('responds 422, which the document does not describe')]);
  const strict = await check(teapot, [...args, '--checks', 'strict']);
  expect([strict.code, blocksOf(strict.stdout)]).toEqual([1, ['FAILED documented_rejection  findItems']]);
});

test('the first failure is printed when it is found', async () => {
  const { stderr } = await check(failsOn('name', 500), ['--operation', 'putItem']);
  expect(stderr).toMatch(/^the first failure: \w+ {2}putItem: .*\n$/);
});

test('--baseline accepts its failures, and lists failures that are fixed', async () => {
  const folder = temporaryFolder();
  const args = ['--operation', '/items*', '--baseline', 'known.yaml', '--checks', 'unsupported_method'];
  const written = await check(unknownMethods, [...args, '--update-baseline'], folder);
  expect(written).toMatchObject({ code: 0, stdout: 'known.yaml accepts the failures of this run\n' });
  expect(readFileSync(join(folder, 'known.yaml'), 'utf8')).toContain(
    '- check: unsupported_method\n  cause: an undocumented method is rejected without a 405\n  operations:\n    - deleteItem\n',
  );
  const same = await check(unknownMethods, args, folder);
  expect([same.code, same.stderr]).toEqual([0, '']);
  expect(same.stdout).toMatch(/^known.yaml accepts 3 failures$/m);
  const worse = await check(
    (request, respond) => failsOn('\\ud800', 500)(request, (one) => unknownMethods(one, respond)),
    [...args.slice(0, -1), 'unsupported_method,not_a_server_error'],
    folder,
  );
  expect([worse.code, blocksOf(worse.stdout)]).toEqual([1, ['FAILED not_a_server_error  putItem']]);
  const fixed = await check((request, respond) => respond(request), args, folder);
  expect(fixed.code).toBe(0);
  expect(fixed.stdout).toMatch(
    /^known.yaml: fixed\? unsupported_method {2}putItem: an undocumented method is rejected/m,
  );
});

test.each([
  ['it does not exist', undefined, [], 'the baseline known.yaml does not exist: --update-baseline writes it\n'],
  ['it is no list', 'a: 1', [], 'the baseline known.yaml must be a list of entries with check, cause and operations\n'],
  ['it is no YAML', '[', [], /^the baseline known.yaml cannot be read: /],
])('--baseline: exit 2 before the first request: %s', async (_name, text, args, message) => {
  const folder = temporaryFolder();
  if (text !== undefined) writeFileSync(join(folder, 'known.yaml'), text);
  const { code, stdout, stderr } = await check(
    (request, respond) => respond(request),
    ['--baseline', 'known.yaml', ...args],
    folder,
  );
  expect([code, stdout]).toEqual([2, '']);
  if (typeof message === 'string') expect(stderr).toBe(message);
  else expect(stderr).toMatch(message);
});

test('--update-baseline: exit 2 without the file', async () => {
  const { code, stderr } = await check((request, respond) => respond(request), ['--update-baseline']);
  expect([code, stderr]).toEqual([2, '--update-baseline needs the file: --baseline FILE\n']);
});
