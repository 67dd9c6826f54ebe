import { jest } from '@jest/globals';

// Processes, builds and browsers are slower than the functions of this process.
jest.setTimeout(120_000);
