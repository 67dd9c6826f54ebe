import { readFileSync } from 'node:fs';
import pino from 'pino';
import { createApp } from '../../src/engine/http/app.ts';
import { createTokenVerifier } from '../../src/engine/auth/token-verifier.ts';
import { hashToken } from '../../src/engine/auth/tokens.ts';
import { readConfig } from '../../src/engine/process/config.ts';
import type { Contract } from '../../src/engine/contract/contract.ts';
import { createLoadShedding } from '../../src/engine/http/load-shedding.ts';
import { startServer } from '../../src/engine/server/server.ts';

// Serves a generated contract as a process of its own: `node serve-contract.ts <contract.json> <token>`. Every operation
// is answered 204. Prints its address.
const [, , path = '', token = ''] = process.argv;
const contract = JSON.parse(readFileSync(path, 'utf8')) as Contract; // Written by the generator.
const read = await readConfig({});
if ('problems' in read) throw new Error(read.problems.join('\n'));
const log = pino({ level: 'error' });
const done = () => Promise.resolve({ status: 204 });
const observer = { answered: () => undefined, refused: () => undefined };
const app = createApp({
  ...read.config,
  contract,
  handlers: Object.fromEntries(Object.keys(contract.operations).map((operationId) => [operationId, done])),
  tokenVerifier: createTokenVerifier(
    { tokens: [hashToken('fuzzer', token)], tokensFile: undefined, jwt: undefined },
    log,
  ),
  loadShedding: createLoadShedding(read.config.loadShedding, log),
  observer,
  log,
});
const { url } = await startServer(app, { host: '127.0.0.1', port: 0, limits: read.config.server, observer });
console.log(url);
