import { mock } from 'node:test';
import { DiskSpeed } from '../src/sqlite/disk-speed.ts';

const FAST_MS = 0.1;
const SLOW_MS = 5;
const STALLED_MS = 50;

function record(disk: DiskSpeed, ...durations: readonly number[]): void {
  for (const duration of durations) disk.record(duration, 1);
}

function createFastDisk(): DiskSpeed {
  const disk = new DiskSpeed();
  record(disk, ...Array<number>(16).fill(FAST_MS));
  return disk;
}

beforeEach(() => {
  mock.timers.enable({ apis: ['Date'] });
  mock.method(performance, 'now', () => Date.now());
});
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test('a disk is fast after several fast commits', () => {
  const disk = new DiskSpeed();
  expect(disk.isFast()).toBe(false);
  record(disk, FAST_MS);
  expect(disk.isFast()).toBe(false);
  expect(createFastDisk().isFast()).toBe(true);
});

test('a disk stays fast when some commits are slow, and becomes slow when most commits are slow', () => {
  const disk = createFastDisk();
  record(disk, SLOW_MS, FAST_MS, FAST_MS, SLOW_MS, FAST_MS, FAST_MS);
  expect(disk.isFast()).toBe(true);
  record(disk, ...Array<number>(16).fill(SLOW_MS));
  expect(disk.isFast()).toBe(false);
});

test('a disk may take longer for a commit of many changes', () => {
  const disk = createFastDisk();
  for (let commit = 0; commit < 16; commit += 1) disk.record(SLOW_MS, 1_000);
  expect(disk.isFast()).toBe(true);
});

test('a disk counts as slow for a while after a stalled commit, and for longer if the next stall follows soon', () => {
  const disk = createFastDisk();
  const measurePause = (): number => {
    const stalledAt = performance.now();
    record(disk, STALLED_MS, ...Array<number>(16).fill(FAST_MS));
    while (!disk.isFast()) mock.timers.tick(10);
    return performance.now() - stalledAt;
  };
  const first = measurePause();
  const second = measurePause();
  expect(first).toBeGreaterThan(0);
  expect(second).toBeGreaterThan(first);
  mock.timers.tick(3_600_000);
  expect(measurePause()).toBe(first);
});
