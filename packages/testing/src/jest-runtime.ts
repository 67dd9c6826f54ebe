import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const ignore = (): undefined => undefined;
let imports = 0;

// Exits at this event, before Node frees the memory of the worker: this sometimes took more than ten seconds, after
// which Jest killed the worker.
if (process.send !== undefined)
  process.once('exit', () => {
    process.exit();
  });

/**
 * Jest's `runtime`: Node itself loads the tests as ES modules and strips their types. Test files and set-up files are
 * evaluated each time, their imports once per process.
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
    // Reloaded, since this module stores the tests of a file.
    if (path.includes('jest-circus')) Reflect.deleteProperty(require.cache, path);
    return require(path) as unknown;
  }

  requireModule(path: string): unknown {
    return require(path) as unknown;
  }

  setGlobalsForRuntime(globals: object): void {
    Object.assign(globalThis, globals);
  }

  // Methods that Jest also calls.
  readonly enterTestCode = ignore;
  readonly leaveTestCode = ignore;
  readonly teardown = ignore;
  readonly getSourceMaps = ignore;
  readonly getAllCoverageInfoCopy = ignore;
}
