import type * as jest from '@jest/globals';

// Used instead of @types/jest, which has `any` in many places.
declare global {
  const afterAll: typeof jest.afterAll;
  const afterEach: typeof jest.afterEach;
  const beforeAll: typeof jest.beforeAll;
  const beforeEach: typeof jest.beforeEach;
  const describe: typeof jest.describe;
  const expect: typeof jest.expect;
  const test: typeof jest.test;
}
