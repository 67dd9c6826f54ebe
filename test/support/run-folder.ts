import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Jest's globalSetup: creates a folder that the test files of a run share, and lets them share compiled code. */
export default function setUp(): void {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-run-'));
  chmodSync(folder, 0o755); // The user of the PostgreSQL servers reads the folder.
  process.env['TEST_RUN_FOLDER'] = folder;
  // Without compiled code, each thread that a test starts first loads the parser that removes the types.
  process.env['NODE_COMPILE_CACHE'] = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
}
