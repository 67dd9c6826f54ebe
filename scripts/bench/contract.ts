import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contract } from '../../src/plants/contract.ts';
import { compileOperations } from '../contract/operations.ts';

/** A contract in files, for the service and for its peers. */
export type WrittenContract = {
  /** Where servers find it: the service takes what is generated from the document, the peers the document itself. */
  readonly env: { readonly CONTRACT: string; readonly DOCUMENT: string };
  /** The path of its last operation. */
  readonly path: string;
};

/** Writes the contract with createPlant so many times, each under a path and an operationId of its own. */
export function writeContract(folder: string, operations: number): WrittenContract {
  const { createPlant: first } = contract.operations;
  if (first === undefined) throw new Error('the contract has no createPlant');
  const { paths = {}, ...rest } = contract.document;
  const operation = paths[first.path]?.[first.method.toLowerCase()] as object; // The inventory was taken from it.
  const copies = Array.from({ length: operations }, (_, index): [string, unknown] => {
    const suffix = index === 0 ? '' : String(index + 1);
    const post = { ...operation, operationId: first.operationId + suffix };
    return [first.path + suffix, { post }];
  });
  const document = { ...rest, paths: Object.fromEntries(copies) };
  const made = join(folder, String(operations));
  mkdirSync(made, { recursive: true });
  const env = { CONTRACT: join(made, 'contract.json'), DOCUMENT: join(made, 'document.json') };
  writeFileSync(env.DOCUMENT, JSON.stringify(document));
  writeFileSync(env.CONTRACT, JSON.stringify({ ...compileOperations(document), document }));
  return { env, path: copies.at(-1)?.[0] ?? '' };
}
