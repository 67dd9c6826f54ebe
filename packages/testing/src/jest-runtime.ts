import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const ignore = (): undefined => undefined;
let imports = 0;

// After this event, Node frees all that a worker holds. This took more than ten seconds at times, and Jest killed the worker.
if (process.send !== undefined)
  process.once('exit', () => {
    process.exit();
  });

/**
 * Jest's `runtime`: Node itself loads the tests, as ES modules whose types it strips. Test files and set-up files run each time.
 * The modules that they import run once in a process.
 */
export default class NativeRuntime {
  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  async unstable_importModule(path: string): Promise<void> {
    imports += 1;
    await import(`${pathToFileURL(path).href}?${String(imports)}`);
  }

  requireInternalModule(path: string): unknown {
    // This module keeps the tests of one file.
    if (path.includes('jest-circus')) Reflect.deleteProperty(require.cache, path);
    return require(path) as unknown;
  }

  requireModule(path: string): unknown {
    return require(path) as unknown;
  }

  setGlobalsForRuntime(globals: object): void {
    Object.assign(globalThis, globals);
  }

  // Jest also calls these methods.
  readonly enterTestCode = ignore;
  readonly leaveTestCode = ignore;
  readonly teardown = ignore;
  readonly getSourceMaps = ignore;
  readonly getAllCoverageInfoCopy = ignore;
}
