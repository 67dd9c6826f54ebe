import { createContext, type Context } from 'node:vm';

const context = createContext();
const ignore = (): Promise<void> => Promise.resolve();

/** Jest's `testEnvironment`: runs tests in the global scope of the process. Jest requires a context, which is empty. */
export default class ProcessEnvironment {
  readonly global = {};
  readonly setup = ignore;
  readonly teardown = ignore;

  getVmContext(): Context {
    return context;
  }
}
