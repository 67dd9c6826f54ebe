import { maxWorkers, service, testTimeout, workerGracefulExitTimeout } from '../../jest.config.js';

export default {
  ...service,
  displayName: 'system',
  testMatch: ['<rootDir>/**/*.system.test.ts'],
  testPathIgnorePatterns: ['/templates/'],
  testTimeout,
  maxWorkers,
  workerGracefulExitTimeout,
};
