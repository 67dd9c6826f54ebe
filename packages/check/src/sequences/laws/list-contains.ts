import { stringifyJson } from '@contract-first/contract';
import type { Json } from '@contract-first/model/values';
import { defectOf } from '../../judgement/defect.ts';
import { isSameResource } from '../identity.ts';
import type { Instance } from '../instances.ts';
import { findId, type Listing, type PageSize } from '../list-all.ts';
import { currentId, readListWhen, type ResourceClient } from '../resource-client.ts';

/** Reads the list and expects the given resources in it. Expects nothing if the list may be incomplete. */
export async function expectListed(
  client: ResourceClient,
  expected: readonly Instance[],
  size: PageSize = 'large',
): Promise<void> {
  const parent = expected[0]?.values.slice(0, -1) ?? [];
  // Resources may have different parents if no response has the id of the parent.
  const beside = expected.filter(({ values }) => isSameResource(values.slice(0, -1), parent));
  const idOf = ({ values }: Instance): Json | undefined => currentId(client, values).at(-1);
  const findAbsent = (listing: Listing): Instance | undefined =>
    beside.find((instance) => findId(listing, idOf(instance)) === undefined);
  const hasAll = (listing: Listing): boolean => findAbsent(listing) === undefined;
  const listing = await readListWhen(client, expected[0]?.values ?? [], hasAll, size);
  const last = listing?.pages.at(-1);
  if (client.item.list !== undefined && listing === undefined && size === 'large')
    client.judge.skip('list_contains_created', 'the list may be incomplete, or its items have no ids');
  if (listing === undefined || last === undefined) return;
  const absent = findAbsent(listing);
  const pages = listing.pages.length > 1 ? ` of ${String(listing.pages.length)} pages` : '';
  const lacking =
    absent &&
    defectOf(`the list${pages} lacks the created ${stringifyJson(idOf(absent))}`, 'the list lacks a created resource');
  client.judge.expect('list_contains_created', last, listing.fault ?? lacking, listing.pages);
}
