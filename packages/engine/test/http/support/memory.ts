import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '@contract-first/testing/service.ts';

const SAMPLES = 10;
const REPORT = `process.on('SIGUSR2',()=>{gc();const m=process.memoryUsage();console.log('USED',m.heapUsed+m.external,'.')})`;

/** The command and options of Node with which a service reports its memory to `usedBytes`. */
export const NODE_WITH_MEMORY_REPORT: readonly string[] = [
  ...['node', '--expose-gc', '--import'],
  `data:text/javascript,${encodeURIComponent(REPORT)}`,
];

/**
 * Returns the memory in use after garbage collection: the minimum of several samples, since external memory fluctuates.
 */
export async function usedBytes(service: ServiceProcess): Promise<number> {
  const reports = (): number[] => [...service.output().matchAll(/USED (\d+) \./g)].map(([, bytes]) => Number(bytes));
  const earlier = reports().length;
  for (let samples = 1; samples <= SAMPLES; samples += 1) {
    service.process.kill('SIGUSR2');
    while (reports().length < earlier + samples) {
      await new Promise((resolve) => service.process.stdout.once('data', resolve));
    }
    await sleep(100);
  }
  return Math.min(...reports().slice(earlier));
}
