import { runCommand } from '@contract-first/engine/run';

// `node src/commands/release.ts` releases what the service would release, and with HOLD_SECONDS=0 all that is not paid.
await runCommand(
  () => import('../service.ts'),
  async ({ release }) => console.log(`bookings released: ${String(await release())}`),
);
