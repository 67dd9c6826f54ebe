import type { Contract } from '../../src/engine/contract/contract.ts';
import type { ContractDocument } from '../../src/engine/contract/slice-document.ts';
import { removeContradictions } from './contradictions.ts';
import { completeDiscriminators } from './discriminators.ts';
import type { Document } from './document.ts';
import type { FailureBody } from './failures.ts';
import { expandInheritance } from './inheritance.ts';
import { removeInvalidDefaults } from './invalid-defaults.ts';
import { loadContract, type LoadedContract, type Problem } from './load.ts';
import { normalizeDocument, removeInt64Conflicts, removeInvalidPatterns } from './normalize.ts';
import { compileOperations } from './operations.ts';
import { findUncallable, removeDuplicateRoutes } from './unreachable.ts';
import {
  findDialects,
  findEmptyValues,
  findEncodings,
  findFailureHeaders,
  findPatternsOfBytes,
  findPublic,
  findUnchecked,
  findUnsupported,
  type Remark,
} from './unsupported.ts';

/** A document with the tables that the engine serves it from. */
export type CompiledDocument = {
  readonly contract: Contract;
  /** The document of the contract. */
  readonly document: Document;
  readonly failureBodies: readonly FailureBody[];
};

/** A compiled document, or its problems. */
export type CompiledContract = Pick<LoadedContract, 'text' | 'problems' | 'placeOf' | 'sources'> & {
  /** `undefined` when the document was rejected. */
  readonly compiled: CompiledDocument | undefined;
};

/** Compiles an OpenAPI document into a contract, deterministically, or returns the problems that prevent it. */
export async function compileContract(path: string): Promise<CompiledContract> {
  const loaded = await loadContract(path, 'validity');
  const { text, problems, placeOf, sources } = loaded;
  const result = (
    compiled: CompiledDocument | undefined,
    severity: Problem['severity'],
    remarks: readonly Remark[],
  ): CompiledContract => {
    const found = remarks.map(({ pointer, message }): Problem => ({ severity, place: placeOf(pointer), message }));
    return { compiled, text, problems: [...problems, ...found], placeOf, sources };
  };
  if (loaded.document === undefined) return result(undefined, 'error', []);
  const document = normalizeDocument(loaded.document);

  const unsupported = findUnsupported(document);
  if (unsupported.length > 0) return result(undefined, 'error', unsupported);
  const warnings = [
    ...findPublic(document),
    ...findUncallable(loaded.document),
    ...removeDuplicateRoutes(document),
    ...removeContradictions(document),
    ...findDialects(loaded.document),
    ...findFailureHeaders(document),
    ...findUnchecked(document),
    ...findEncodings(document),
    ...findEmptyValues(document),
    ...findPatternsOfBytes(document),
    ...expandInheritance(document),
    ...completeDiscriminators(document),
    ...removeInt64Conflicts(document),
    ...removeInvalidPatterns(document),
    ...removeInvalidDefaults(document),
  ];
  const { compiled, failureBodies } = compileOperations(document);
  const contract = { ...compiled, document: document as unknown as ContractDocument }; // The linter has checked it.
  return result({ contract, document, failureBodies }, 'warn', warnings);
}
