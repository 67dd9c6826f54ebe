import { createContext, type Context } from 'node:vm';

const context = createContext();
const ignore = (): Promise<void> => Promise.resolve();

/** Jest's `testEnvironment`: tests run in the global scope of the process. The context is an empty one that Jest requires. */
export default class ProcessEnvironment {
  readonly global = {};
  readonly setup = ignore;
  readonly teardown = ignore;

  getVmContext(): Context {
    return context;
  }
}
