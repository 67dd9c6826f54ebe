import { takeCoverage } from 'node:v8';
import { beginTest, endFile, endTest } from './cleanup.ts';

beforeEach(beginTest);
afterEach(endTest);
afterAll(endFile);

// Jest may kill a worker, and with it the coverage that Node would write at the end.
if (process.env['NODE_V8_COVERAGE'] !== undefined) afterAll(takeCoverage);
