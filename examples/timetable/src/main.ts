import { run } from '@contract-first/engine/run';

// A function loads the application, so that .env is read before its modules.
await run(() => import('./service.ts'));
