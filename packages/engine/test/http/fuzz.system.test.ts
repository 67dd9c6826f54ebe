import fc from 'fast-check';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { contractOf } from '@contract-first/testing/contract.ts';
import { hostileBytes } from './support/hostile-bytes.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { start } from '@contract-first/testing/service.ts';

const INPUTS = rounds(500, 6_000);
const SEED = 20_261_122;
const TOKEN = 'fuzzing-token';
const SLOW_MS = 250;
const NO_ANSWER_MS = 20_000;
const STATUSES = [200, 204, 400, 401, 404, 405, 408, 413, 415, 417, 431, 501, 505];

const PLANT = `{ type: object, required: [text], properties: {
    text: { type: string, minLength: 1 }, count: { type: integer, maximum: 9 }, id: { type: integer, format: int64 },
    date: { type: string, format: date-time }, url: { type: string, format: uri },
    list: { type: array, uniqueItems: true, items: {} }, object: { type: object, additionalProperties: { type: integer, format: int64 } } } }`;
const FORM = `{ type: object, properties: { text: { type: string }, count: { type: integer },
    list: { type: array, items: { type: string } }, file: { type: string, format: binary }, object: { type: object, properties: { a: {} } } } }`;

function operation(operationId: string, mediaType: string, schema: string): string {
  return `post: { operationId: ${operationId}, requestBody: { required: true, content: { ${mediaType}: { schema: ${schema} } } },
    responses: { '204': { description: Done. } } }`;
}

const DOCUMENT = `
openapi: 3.1.0
info: { title: Fuzzed, version: 1.0.0 }
security: [{ bearer: [] }]
paths:
  /json: { ${operation('json', 'application/json', PLANT)} }
  /form: { ${operation('form', 'application/x-www-form-urlencoded', FORM)} }
  /multipart: { ${operation('multipart', 'multipart/form-data', FORM)} }
  /plain: { get: { operationId: plain, responses: { '204': { description: Done. } }, parameters: [
    { in: query, name: q, schema: { type: string } },
    { in: query, name: ids, schema: { type: array, items: { type: integer, format: int64 } } },
    { in: query, name: deep, style: deepObject, schema: { type: object, properties: { a: { type: integer } } } },
    { in: query, name: json, content: { application/json: { schema: { type: object } } } },
    { in: header, name: X-List, schema: { type: array, uniqueItems: true, items: { type: string } } },
    { in: header, name: X-Number, schema: { type: number } },
    { in: cookie, name: c, schema: { type: string } }] } }
  /x/{id}: { get: { operationId: one, responses: { '204': { description: Done. } }, parameters: [
    { in: path, name: id, required: true, schema: { type: integer } }] } }
  '/three/{a}-{b}-{c}': { get: { operationId: three, responses: { '204': { description: Done. } }, parameters: [
    { in: path, name: a, required: true, schema: { type: string } },
    { in: path, name: b, required: true, schema: { type: string } },
    { in: path, name: c, required: true, schema: { type: string } }] } }
components: { securitySchemes: { bearer: { type: http, scheme: bearer } } }
`;

/** Sends bytes, ends the sending side, and reads until the service closes the connection. */
async function send(port: number, bytes: Buffer): Promise<{ received: string; durationMs: number }> {
  const startedAt = performance.now();
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  socket.on('error', () => undefined); // Resets are allowed after an early response.
  socket.end(bytes);
  socket.setTimeout(NO_ANSWER_MS, () => socket.destroy());
  await once(socket, 'close');
  return { received, durationMs: performance.now() - startedAt };
}

function print(bytes: Buffer): string {
  return `of ${String(bytes.length)} bytes: ${JSON.stringify(bytes.toString('latin1', 0, 2_000))}`;
}

test(`no input ends the process or gets an undocumented response (${String(INPUTS)} inputs)`, async () => {
  const contract = join(temporaryFolder(), 'contract.json');
  writeFileSync(contract, JSON.stringify(await contractOf(DOCUMENT)));
  const service = start('node', [join(import.meta.dirname, 'support/serve-contract.ts'), contract], {
    API_TOKENS: TOKEN,
  });
  await once(service.process.stdout, 'data');
  const port = Number(new URL(service.output()).port);
  const good = Buffer.from(
    `POST /json HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"text":"a"}`,
  );

  const answered = fc.asyncProperty(hostileBytes(TOKEN), async (bytes) => {
    const { received, durationMs } = await send(port, bytes);
    if (durationMs > SLOW_MS) console.warn(`${durationMs.toFixed()} ms, ${print(bytes)}`);
    const { exitCode, signalCode } = service.process;
    if (exitCode !== null || signalCode !== null)
      throw new Error(`the process ended: ${JSON.stringify(await service.outcome)}`);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1]);
    if (!STATUSES.includes(status)) throw new Error(`answered ${JSON.stringify(received.slice(0, 500))}`);
    if (status >= 400 && !bytes.toString('latin1', 0, 5).startsWith('HEAD ')) {
      expect(received).toMatch(/\r\n\r\n\{"status":\d{3},"title":"[^"]+","detail":"[^]+"\}/);
    }
  });
  const { counterexample, errorInstance } = await fc.check(answered, {
    seed: SEED,
    numRuns: INPUTS,
    endOnFailure: true,
  });
  if (counterexample !== null) throw new Error(`input ${print(...counterexample)}`, { cause: errorInstance });
  expect((await send(port, good)).received).toMatch(/^HTTP\/1\.1 204 /);
  expect(service.output().trim().split('\n')).toHaveLength(1); // No error was logged.
}, 600_000);
