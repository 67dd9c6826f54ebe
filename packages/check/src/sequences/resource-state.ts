import { findItems } from '@contract-first/model/resources';
import { isSuccess } from '../judgement/statuses.ts';
import { findId, type Listing } from './list-all.ts';
import { responseSchemaOf, type Evidence } from './sequence-step.ts';
import { currentId, readListWhen, sendTo, type Id, type ResourceClient } from './resource-client.ts';
import type { Readable } from './compare-written.ts';

/** The state of a resource, as a read or a list shows it. */
export type ObservedState = Readable & {
  /** The responses that show the state. */
  readonly steps: readonly [Evidence, ...Evidence[]];
  /** Whether the resource exists; `undefined` if unknown. */
  readonly isPresent: boolean | undefined;
};

/**
 * Reads a resource. If no operation reads a single resource, searches the list.
 *
 * @param missing the statuses of reads of unknown ids
 * @param isExpected whether a list shows the expected state
 * @returns `undefined` if there is neither a response nor a complete list
 */
export async function observeState(
  client: ResourceClient,
  id: Id,
  missing: readonly number[],
  isExpected: (listing: Listing) => boolean = () => true,
): Promise<ObservedState | undefined> {
  const { item, run } = client;
  if (item.read !== undefined) {
    const step = await sendTo(client, item.read, id);
    if (step === undefined) return undefined;
    return { steps: [step], isPresent: presenceIn(step, missing), json: step.json, schema: responseSchemaOf(step) };
  }
  const listing = await readListWhen(client, id, isExpected);
  const last = listing?.pages.at(-1);
  if (item.list === undefined || listing === undefined || last === undefined) return undefined;
  const key = findId(listing, currentId(client, id).at(-1));
  return {
    steps: [last, ...listing.pages.slice(0, -1)],
    isPresent: key !== undefined,
    json: key === undefined ? undefined : listing.items.get(key),
    schema: findItems(item.list, responseSchemaOf(last), run.responseSchemas)?.schema,
  };
}

/** Returns whether a response shows that a resource exists; `undefined` if unknown. */
export function presenceIn({ response: { status } }: Evidence, missing: readonly number[]): boolean | undefined {
  if (isSuccess(status)) return true;
  return missing.includes(status) ? false : undefined;
}
