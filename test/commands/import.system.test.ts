import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { newStore, plantLine, plantLines, summary } from '../support/import.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { createTestApp, startCreations, post, run, startService } from '../support/plant-store.ts';

const HINT = 'fix the rejected lines in a separate file: lines after a changed line would be stored again\n';

describeStores((createDatabase) => {
  test('import stores every creation of an export, byte for byte and in order, in a new store', async () => {
    const lines = [
      '{"id":9223372036854775807,"name":"old","tag":"tag"}',
      '{"id":-9223372036854775808,"name":"\\u0000\\ud800"}',
      '{"id":9007199254740993,"name":""}',
      '{"id":0,"name":"🌿 é \\" \\\\ \\n \u2028"}',
      '{"id":9223372036854775807,"name":"new"}',
      '{"id":9223372036854775807,"name":"old","tag":"tag"}', // The same plant again is a second creation.
    ];
    const history = lines.map((line) => `${line}\n`).join('');
    const [first, second] = [newStore(await createDatabase()), newStore(await createDatabase())];
    expect(await first.importFile(history)).toEqual({ code: 0, stdout: '', stderr: summary(6, 6, 0, 0) });
    expect(await first.history()).toBe(history);

    const pipe = `set -o pipefail; node scripts/export.ts --history | DATABASE_URL="$TO" node scripts/import.ts`;
    const piped = await run('bash', ['-c', pipe], { ...first.env, TO: second.env.DATABASE_URL });
    expect(piped).toEqual({ code: 0, stdout: '', stderr: summary(6, 6, 0, 0) });
    expect(await second.history()).toBe(history);
  });

  test('import stores nothing twice, and only the new lines of a longer input', async () => {
    const { importFile, history } = newStore(await createDatabase());
    await importFile(plantLines(1, 1_500).trimEnd());
    expect((await importFile(plantLines(1, 1_500))).stderr).toBe(summary(1_500, 0, 1_500, 0));
    expect((await importFile(plantLines(1, 1_600))).stderr).toBe(summary(1_600, 100, 1_500, 0));
    expect(await history()).toBe(plantLines(1, 1_600));
  });

  test('import, after kill -9 at any moment, stores every line exactly once and in order', async () => {
    const { startImport, importFile, has, history } = newStore(await createDatabase());
    const input = plantLines(1, 20_000);
    for (let round = 1; round <= rounds(2, 6); round += 1) {
      const { process, outcome } = startImport();
      process.stdin.on('error', () => undefined); // It is killed before it has read all input.
      process.stdin.write(input);
      await has(round * 1_500);
      process.kill('SIGKILL');
      expect((await outcome).code).toBe(null);
      expect(input.startsWith(await history())).toBe(true);
    }
    const { code, stderr } = await importFile(input);
    expect(stderr).toMatch(/^lines: 20,000 read, [\d,]+ stored, [\d,]+ already there, 0 rejected\n$/);
    expect(code).toBe(0);
    expect(await history()).toBe(input);
  });

  test('import exits 130 at an interrupt, and the next run continues at the reported line', async () => {
    const { startImport, importFile, has, history } = newStore(await createDatabase());
    const { process, outcome } = startImport();
    process.stdin.write(plantLines(1, 1_200));
    await has(1_200);
    process.kill('SIGINT');
    const stopped = 'stopped at line 1201: interrupted; run it again with the same input to continue\n';
    expect(await outcome).toEqual({ code: 130, stdout: '', stderr: stopped + summary(1_200, 1_200, 0, 0) });
    expect((await importFile(plantLines(1, 2_000))).stderr).toBe(summary(2_000, 800, 1_200, 0));
    expect(await history()).toBe(plantLines(1, 2_000));
  });

  test('import stores lines without waiting for further input, and rejects a truncated line', async () => {
    const { startImport, has, history } = newStore(await createDatabase());
    const { process, outcome } = startImport();
    process.stdin.write(plantLine(1));
    await has(1);
    process.stdin.write(plantLine(2).slice(0, 10));
    process.stdin.end();
    const { code, stderr } = await outcome;
    expect(stderr).toMatch(
      /^line 2: the line is not valid JSON: .*\nlines: 2 read, 1 stored, 0 already there, 1 rejected\n/,
    );
    expect(code).toBe(1);
    expect(await history()).toBe(plantLine(1));
  });

  test('import works while a service uses the same store', async () => {
    const { importFile, history, env } = newStore(await createDatabase());
    const load = startCreations(await startService(env), 16);
    await load.acknowledges(100);
    const input = plantLines(1, 5_000);
    expect(await importFile(input)).toEqual({ code: 0, stdout: '', stderr: summary(5_000, 5_000, 0, 0) });
    await load.acknowledges(100);
    await load.stop();
    const kept = (await history()).split(/(?<=\n)/);
    expect(kept.filter((line) => input.includes(line)).join('')).toBe(input);
    expect(kept.length - 5_000).toBe(load.acknowledged.size);
  });
});

test('import accepts spaces, CRLF, blank lines, other properties, and a last line without a line feed', async () => {
  const { importFile, history } = newStore(temporaryDatabase());
  const input = '\n{ "name": "a", "id": 1e2, "access_token": "x" }\r\n\r\n \t\n{"id":2.0,"tag":"b","name":"b"}';
  expect(await importFile(input)).toEqual({ code: 0, stdout: '', stderr: summary(2, 2, 0, 0) });
  expect(await history()).toBe('{"id":100,"name":"a"}\n{"id":2,"name":"b","tag":"b"}\n');
});

test("import stores valid lines, reports each invalid line with the service's message, and exits 1", async () => {
  const bad = [
    '{"id":"1","name":"x"}',
    '{"id":9223372036854775808,"name":"x"}',
    '{"id":1.5,"name":"x"}',
    '{"id":1}',
    '{"id":1,"name":null}',
    '[]',
    '5',
    '{"id":1,"name":"x"',
    '{"id":1,"name":"x"} {}',
    '\ufeff{"id":1,"name":"x"}',
    `{"id":1,"name":"x","deep":${'['.repeat(600)}${']'.repeat(600)}}`,
    Buffer.from([0x7b, 0xff, 0x7d]),
  ];
  const { importFile, history } = newStore(temporaryDatabase());
  const input = Buffer.concat(bad.flatMap((line, index) => [Buffer.from(line), Buffer.from(`\n${plantLine(index)}`)]));
  const { code, stderr } = await importFile(input);

  const { app } = await createTestApp();
  const reasons: string[] = [];
  for (const line of bad) {
    const { status, text } = await post(app, line);
    expect(status).toBe(400);
    reasons.push((JSON.parse(text) as { message: string }).message.replace('the request body', 'the line'));
  }
  const messages = reasons.map((reason, index) => `line ${String(index * 2 + 1)}: ${reason}\n`).join('');
  expect(stderr).toBe(`${messages}${summary(24, 12, 0, 12)}${HINT}`);
  expect(stderr).toContain('line 1: body/id must be integer\n');
  expect(stderr).toContain('line 19: the line must not start with a byte order mark\n');
  expect(code).toBe(1);
  expect(await history()).toBe(plantLines(0, 11));
});

test('import rejects a line that is longer than BODY_LIMIT_BYTES, and continues after it', async () => {
  const { importFile, history } = newStore(temporaryDatabase(), { BODY_LIMIT_BYTES: '1000' });
  const long = `{"id":1,"name":"${'x'.repeat(5_000_000)}"}\n`;
  const { code, stderr } = await importFile(`${plantLine(1)}${long}${plantLine(2)}`);
  expect(stderr).toBe(`line 2: the line must not be larger than 1000 bytes\n${summary(3, 2, 0, 1)}${HINT}`);
  expect(code).toBe(1);
  expect(await history()).toBe(plantLines(1, 2));
});

test('import reports the lines that the database rejected, and stores all other lines', async () => {
  const { importFile, history, path } = newStore(temporaryDatabase());
  await importFile(plantLine(1));
  const database = new DatabaseSync(path);
  database.exec("CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN NEW.id = 13 BEGIN SELECT RAISE(ABORT, 'no'); END");
  database.close();
  const { code, stderr } = await importFile(plantLines(1, 2_000));
  expect(stderr).toMatch(
    /^line 13: rejected by the database: .*\nlines: 2,000 read, 1,998 stored, 1 already there, 1 /,
  );
  expect(code).toBe(1);
  expect(await history()).toBe(plantLines(1, 2_000).replace(plantLine(13), ''));
});

test('import stores nothing from an empty file or an empty standard input', async () => {
  const { importFile, history, env } = newStore(temporaryDatabase());
  expect(await importFile('')).toEqual({ code: 0, stdout: '', stderr: summary(0, 0, 0, 0) });
  for (const input of ['< /dev/null', '- < /dev/null', '<&-']) {
    const outcome = await run('bash', ['-c', `node scripts/import.ts ${input}`], env);
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: summary(0, 0, 0, 0) });
  }
  expect(await history()).toBe('');
});

test.each([
  ['the file does not exist', ['missing.ndjson'], 'cannot read missing.ndjson: the file does not exist\n'],
  ['it is a directory', ['src'], 'cannot read src: it is a directory\n'],
  ['there are two', ['a', 'b'], 'name one file to import, or none for standard input\n'],
  ['it is an option', ['--force'], 'name one file to import, or none for standard input\n'],
])('import exits 1 with one line, and creates no store, when the input is invalid: %s', async (_name, args, stderr) => {
  const { env, path } = newStore(temporaryDatabase());
  expect(await run('node', ['scripts/import.ts', ...args], env)).toEqual({ code: 1, stdout: '', stderr });
  expect(existsSync(path)).toBe(false);
});

test('import exits 1 with one line when the store is a file of another kind', async () => {
  const { write, env } = newStore(temporaryDatabase());
  const file = write('not a database '.repeat(100));
  const outcome = await run('node', ['scripts/import.ts', file], { ...env, DATABASE_URL: `sqlite:${file}` });
  expect(outcome).toEqual({ code: 1, stdout: '', stderr: `the database ${file} is not a SQLite database\n` });
});

test('import shows its progress on a terminal, and erases it at the end', async () => {
  const { write, env } = newStore(temporaryDatabase());
  const file = write(plantLines(1, 30_000));
  const command = `stty cols 60; node scripts/import.ts ${file}`;
  const { code, stdout } = await run('script', ['-qec', command, '/dev/null'], env);
  const drawn = stdout.split('\x1b[K').filter((text) => text.includes(' lines  '));
  expect(drawn.length).toBeGreaterThan(0);
  for (const text of drawn) {
    expect(text).toMatch(/^\r *\d+ % {2}[\d,]+ lines {2}[\d,]+\/s {2}\d:\d\d left {2}[#.]*$/);
    expect(text.length).toBeLessThanOrEqual(60);
  }
  expect(stdout.endsWith(`\r\x1b[K${summary(30_000, 30_000, 0, 0).replace('\n', '\r\n')}`)).toBe(true);
  expect(code).toBe(0);
});

test('import treats all lines after a changed line as new', async () => {
  const { importFile } = newStore(temporaryDatabase());
  await importFile(plantLines(1, 10));
  const changed = plantLines(1, 10).replace('plant 4', 'plant four');
  expect((await importFile(changed)).stderr).toBe(summary(10, 7, 3, 0));
});

test('import stores only the line that was too long, after the limit was raised', async () => {
  const { importFile, history, env } = newStore(temporaryDatabase(), { BODY_LIMIT_BYTES: '1000' });
  const input = `${plantLine(1)}{"id":2,"name":"${'x'.repeat(400_000)}"}\n${plantLine(3)}`;
  expect((await importFile(input)).code).toBe(1);
  const { importFile: importAgain } = newStore(env.DATABASE_URL, { BODY_LIMIT_BYTES: '500000' });
  expect(await importAgain(input)).toEqual({ code: 0, stdout: '', stderr: summary(3, 1, 2, 0) });
  expect((await history()).length).toBe(input.length);
});
