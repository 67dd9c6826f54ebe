import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import original from '@contract-first/testing/fixture/generated/openapi.json' with { type: 'json' };
import { contract } from '@contract-first/testing/fixture/src/guests/contract.ts';
import { compileOperations } from '../../documents/src/operations/operations.ts';

/** A contract in files for the service and its peers. */
export type WrittenContract = {
  /** Environment variables with paths: the service reads CONTRACT, a generated contract.json; peers read DOCUMENT. */
  readonly env: { readonly CONTRACT: string; readonly DOCUMENT: string };
  /** The path of the last operation. */
  readonly path: string;
};

/** Writes a contract with copies of createGuest under different paths and operationIds. */
export function writeContract(folder: string, operations: number): WrittenContract {
  const { createGuest: first } = contract.operations;
  if (first === undefined) throw new Error('the contract has no createGuest');
  const operation = original.paths['/guests'].post;
  const copies = Array.from({ length: operations }, (_, index): [string, unknown] => {
    const suffix = index === 0 ? '' : String(index + 1);
    const post = { ...operation, operationId: first.operationId + suffix };
    return [first.path + suffix, { post }];
  });
  const document = { ...original, paths: Object.fromEntries(copies) };
  const contractFolder = join(folder, String(operations));
  mkdirSync(contractFolder, { recursive: true });
  const env = { CONTRACT: join(contractFolder, 'contract.json'), DOCUMENT: join(contractFolder, 'document.json') };
  writeFileSync(env.DOCUMENT, JSON.stringify(document));
  writeFileSync(env.CONTRACT, JSON.stringify({ ...compileOperations(document).compiled, document }));
  return { env, path: copies.at(-1)?.[0] ?? '' };
}
