import { readFileSync } from 'node:fs';
import pino from 'pino';
import type { Contract } from '@contract-first/contract';
import { readConfig } from '../../../src/process/config.ts';
import { startService } from '../../../src/create-service.ts';

// Serves a generated contract in a separate process: `node serve-contract.ts <contract.json>`. Every operation responds
// with 204. Prints the address.
const contract = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Contract; // Written by the generator.
const read = await readConfig({ ...process.env, PORT: '0' }, undefined);
if ('problems' in read) throw new Error(read.problems.join('\n'));
const done = () => Promise.resolve({ status: 204 });
const handlers = Object.fromEntries(Object.keys(contract.operations).map((operationId) => [operationId, done]));
const nothing = () => Promise.resolve();
const open = () => Promise.resolve({ handlers, checkers: {}, check: nothing, close: nothing });
const served = { application: { contract, failures: {}, open }, config: read.config };
const { url } = await startService([served], read.config, pino({ level: 'error' }));
console.log(url);
