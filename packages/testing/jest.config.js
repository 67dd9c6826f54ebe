// Each kind of tests is a project. CONTRIBUTING.md says what the tests of a kind may use.
const options = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/strip-types.js' },
};
const globalSetup = '<rootDir>/test/support/run.ts';

export default {
  testTimeout: 20_000,
  projects: [
    { ...options, displayName: 'unit', testMatch: ['<rootDir>/test/**/*.unit.test.ts'] },
    {
      ...options,
      displayName: 'service',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['\\.(?:unit|system)\\.test\\.ts$'],
      globalSetup,
    },
    {
      ...options,
      displayName: 'system',
      testMatch: ['<rootDir>/test/**/*.system.test.ts'],
      globalSetup,
      setupFilesAfterEnv: ['<rootDir>/test/support/system.ts'],
    },
  ],
};
