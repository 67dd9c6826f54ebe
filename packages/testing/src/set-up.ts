import { takeCoverage } from 'node:v8';
import { beginTest, endFile, endTest } from './cleanup.ts';

// Node's default. With Jest's value of 100, errors that tests expect take longer to create.
Error.stackTraceLimit = 10;

beforeEach(beginTest);
afterEach(endTest);
afterAll(endFile);

// Writes the coverage explicitly, since Jest may kill a worker before Node writes it at exit.
if (process.env['NODE_V8_COVERAGE'] !== undefined) afterAll(takeCoverage);
