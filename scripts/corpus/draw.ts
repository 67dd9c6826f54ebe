import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';

/**
 * Draws one document of each publisher, the same ones for the same seed.
 *
 * @param folder has a file or a folder of files for each publisher: `example.com.json`, `example.com/things.yaml`
 * @param count the number of publishers
 * @returns paths below the folder
 */
export function draw(folder: string, seed: string, count: number): readonly string[] {
  const rank = (text: string): string => createHash('sha256').update(`${seed}\n${text}`).digest('hex');
  const byRank = (a: string, b: string): number => (rank(a) < rank(b) ? -1 : 1);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => DOCUMENT.test(file));
  const publishers = Map.groupBy(files, (file) => (file.split('/')[0] ?? '').replace(DOCUMENT, ''));
  const drawn = [...publishers.keys()].sort(byRank).slice(0, count);
  return drawn.flatMap((publisher) => publishers.get(publisher)?.sort(byRank)[0] ?? []);
}

const DOCUMENT = /\.(?:json|yaml|yml)$/;
