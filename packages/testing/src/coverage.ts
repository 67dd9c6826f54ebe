import { afterAll } from '@jest/globals';
import { takeCoverage } from 'node:v8';

// Jest kills a worker that does not end at once, and with it the coverage that Node would write at the end.
if (process.env['NODE_V8_COVERAGE'] !== undefined) afterAll(takeCoverage);
