import { readdirSync } from 'node:fs';
import { seededOrder } from '@contract-first/testing/jobs/seeded-order.ts';

/**
 * Selects one document per publisher, deterministically by the seed.
 *
 * @param folder contains a file or a folder for each publisher: `example.com.json`, `example.com/things.yaml`
 * @param count the number of publishers
 * @returns paths relative to the folder
 */
export function draw(folder: string, seed: string, count: number): readonly string[] {
  const shuffled = seededOrder(seed);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => DOCUMENT.test(file));
  const publishers = Map.groupBy(files, (file) => (file.split('/')[0] ?? '').replace(DOCUMENT, ''));
  const drawn = [...publishers.keys()].sort(shuffled).slice(0, count);
  return drawn.flatMap((publisher) => publishers.get(publisher)?.sort(shuffled)[0] ?? []);
}

const DOCUMENT = /\.(?:json|yaml|yml)$/;
