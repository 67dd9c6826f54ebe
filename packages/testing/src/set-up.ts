import { takeCoverage } from 'node:v8';
import { beginTest, endFile, endTest } from './cleanup.ts';

beforeEach(beginTest);
afterEach(endTest);
afterAll(endFile);

// Writes the coverage explicitly, since Jest may kill a worker before Node writes it at exit.
if (process.env['NODE_V8_COVERAGE'] !== undefined) afterAll(takeCoverage);
