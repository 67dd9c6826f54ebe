import { availableParallelism } from 'node:os';

// CONTRIBUTING.md says what the tests of a kind may use. packages/testing has the configuration of system tests.
export const unit = {
  displayName: 'unit',
  rootDir: import.meta.dirname,
  testMatch: ['<rootDir>/**/*.unit.test.ts'],
  // Templates are tested as projects.
  testPathIgnorePatterns: ['/templates/'],
  // Node itself loads the files.
  runtime: '<rootDir>/packages/testing/src/jest-runtime.ts',
  testEnvironment: '<rootDir>/packages/testing/src/jest-environment.ts',
  transform: {},
  setupFilesAfterEnv: ['<rootDir>/packages/testing/src/set-up.ts'],
};

export const service = {
  ...unit,
  displayName: 'service',
  testMatch: ['<rootDir>/**/*.test.ts'],
  testPathIgnorePatterns: ['/templates/', '\\.(?:unit|system)\\.test\\.ts$'],
  globalSetup: '<rootDir>/packages/testing/src/run.ts',
};

// Tests of processes wait about as long as they compute. All share the connections of one PostgreSQL server.
export const maxWorkers = Math.min(2 * availableParallelism(), 8);

// A worker has up to 1 GB to free at its end.
export const workerGracefulExitTimeout = 10_000;

// A busy machine may need ten times as long as an idle one.
export const testTimeout = 300_000;

export default { testTimeout, maxWorkers, workerGracefulExitTimeout, projects: [unit, service] };
