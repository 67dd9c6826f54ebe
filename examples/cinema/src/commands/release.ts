import { runCommand } from '@contract-first/engine/run';

// `node src/commands/release.ts` releases expired bookings, like the service; with HOLD_SECONDS=0, all unpaid bookings.
await runCommand(
  () => import('../service.ts'),
  async ({ release }) => {
    console.log(`bookings released: ${String(await release())}`);
  },
);
