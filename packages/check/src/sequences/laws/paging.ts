import { stringifyJson } from '@contract-first/contract';
import { findPaging } from '@contract-first/model/resources';
import { defectOf, type Defect } from '../../judgement/defect.ts';
import type { Listing } from '../list-all.ts';
import { readList, SEED_OFFSET, type Id, type ResourceClient } from '../resource-client.ts';

const LEAST_ITEMS = 4;
const LEAST_SIZE = 2;
const MOST_PAGES = 20;

/**
 * Reads a list with small pages between two reads with large pages. If the two reads with large pages are equal,
 * expects the same items in the same order from the small pages, and each item on one page.
 */
export async function checkPaging(client: ResourceClient, parent: Id): Promise<void> {
  const { item, judge, instances, run } = client;
  const { limitBy, offsetBy, pageBy, cursorBy } = item.list === undefined ? {} : findPaging(item.list);
  if (limitBy === undefined || (offsetBy ?? pageBy ?? cursorBy) === undefined) return;
  const id = [...parent, null]; // The last value is not part of the list's path.
  const few = await readList(client, id);
  for (let count = few?.items.size ?? LEAST_ITEMS; count < LEAST_ITEMS; count += 1)
    await instances.create(item, judge.send, SEED_OFFSET.listed + count, parent);
  const before = await readList(client, id);
  const [largest] = before?.pageIds ?? [];
  if (before === undefined || largest === undefined || before.fault !== undefined) return;
  const least = Math.max(LEAST_SIZE, Math.ceil(before.items.size / MOST_PAGES));
  const sizes = Array.from({ length: largest.length }, (_, index) => index + 1);
  const size = sizes.find(
    (value) => value >= least && value < before.items.size && run.requestOracle.allows(limitBy.schema, value),
  );
  if (size === undefined) return;
  const small = await readList(client, id, size);
  const after = await readList(client, id);
  const last = small?.pages.at(-1);
  if (small === undefined || last === undefined || after === undefined) return;
  if (idsOf(before).join() !== idsOf(after).join()) return; // The order is random, or another client has changed the list.
  const defect = small.fault ?? faultOf(idsOf(before), small, `with ${limitBy.name}=${String(size)}`);
  judge.expect('list_contains_created', last, defect, small.pages);
}

function faultOf(expected: readonly string[], listing: Listing, subject: string): Defect | undefined {
  const ids = idsOf(listing);
  const countOf = (all: readonly string[], id: string): number => all.filter((one) => one === id).length;
  const repeated = ids.find((id) => countOf(ids, id) > Math.max(1, countOf(expected, id)));
  if (repeated !== undefined)
    return defectOf(`${subject}, two pages have the item ${stringifyJson(repeated)}`, 'two pages have the same item');
  const absent = expected.find((id) => !listing.items.has(id));
  if (absent !== undefined) {
    return defectOf(
      `${subject}, the pages lack ${stringifyJson(absent)}, which larger pages have`,
      'small pages lack an item that large pages have',
    );
  }
  const isSorted = ids.filter((id) => expected.includes(id)).join() === expected.join();
  if (isSorted) return undefined;
  return defectOf(
    `${subject}, the order of the items differs from the order with larger pages`,
    'the order of the items depends on the page size',
  );
}

/** Returns the ids on all pages. Servers may repeat the first page as page 0, and the last page beyond the end. */
function idsOf({ pageIds }: Listing): readonly string[] {
  return pageIds.filter((page, index) => page.join() !== pageIds[index - 1]?.join()).flat();
}
