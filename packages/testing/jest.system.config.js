import { maxWorkers, service, workerGracefulExitTimeout } from '../../jest.config.js';

export default {
  ...service,
  displayName: 'system',
  testMatch: ['<rootDir>/**/*.system.test.ts'],
  testPathIgnorePatterns: ['/templates/'],
  // Processes, builds and browsers are slower than the functions of this process.
  testTimeout: 120_000,
  maxWorkers,
  workerGracefulExitTimeout,
};
