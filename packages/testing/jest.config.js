import { availableParallelism } from 'node:os';
import { fileURLToPath, URL } from 'node:url';

const rootDir = fileURLToPath(new URL('../..', import.meta.url));
const TEMPLATES = ['/templates/'];

// Each kind of tests is a project. CONTRIBUTING.md says what the tests of a kind may use.
const options = {
  rootDir,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  // Templates are tested as projects.
  testPathIgnorePatterns: TEMPLATES,
  transform: { '\\.ts$': '<rootDir>/packages/testing/strip-types.js' },
  setupFilesAfterEnv: ['<rootDir>/packages/testing/src/coverage.ts'],
};
const globalSetup = '<rootDir>/packages/testing/src/run.ts';

export default {
  rootDir,
  testTimeout: 20_000,
  // Tests of processes wait about as long as they compute. All share the connections of one PostgreSQL server.
  maxWorkers: Math.min(2 * availableParallelism(), 8),
  testSequencer: '<rootDir>/packages/testing/slowest-first.js',
  projects: [
    { ...options, displayName: 'unit', testMatch: ['<rootDir>/**/*.unit.test.ts'] },
    {
      ...options,
      displayName: 'service',
      testMatch: ['<rootDir>/**/*.test.ts'],
      testPathIgnorePatterns: [...TEMPLATES, '\\.(?:unit|system)\\.test\\.ts$'],
      globalSetup,
    },
    {
      ...options,
      displayName: 'system',
      testMatch: ['<rootDir>/**/*.system.test.ts'],
      globalSetup,
      setupFilesAfterEnv: [...options.setupFilesAfterEnv, '<rootDir>/packages/testing/src/system.ts'],
    },
  ],
};
