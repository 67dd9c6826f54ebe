import type { Contract } from '@contract-first/contract';
import { findCombinations, findManyPaths, removeCircularParts } from './check/combinations.ts';
import { removeContradictions } from './check/contradictions.ts';
import { removeInvalidDefaults } from './check/invalid-defaults.ts';
import {
  findDialects,
  findEmptyValues,
  findEncodings,
  findFailureHeaders,
  findInvalid,
  findPatternsOfBytes,
  findPublic,
  findUnchecked,
  findUnservable,
} from './check/unsupported.ts';
import { type Declared, NOTHING_DECLARED } from './document/declared.ts';
import type { Document } from './document/document.ts';
import { completeDiscriminators } from './normalize/discriminators.ts';
import { expandInheritance } from './normalize/inheritance.ts';
import { normalizeDocument, removeInt64Conflicts, removeInvalidPatterns } from './normalize/normalize.ts';
import type { FailureBody } from './operations/failures.ts';
import { markDecodedFormats } from './operations/operation-formats.ts';
import { compileOperations } from './operations/operations.ts';
import { type Diagnostic, type PlacedDiagnostic, placeDiagnostics } from './read/diagnostic.ts';
import { type AllowedRefs, NO_OUTSIDE, type ReadText } from './read/files.ts';
import { loadContract, type LoadedContract } from './read/load.ts';
import { findUncallable, removeDuplicateRoutes } from './read/unreachable.ts';

/** A document with the tables that the engine serves it from. */
export type CompiledDocument = {
  readonly contract: Contract;
  /** The document that the contract was compiled from. */
  readonly document: Document;
  readonly failureBodies: readonly FailureBody[];
};

/** A compiled document, or its diagnostics. */
type CompiledContract = Pick<LoadedContract, 'text' | 'diagnostics' | 'placeOf' | 'sources'> & {
  /** `undefined` when the document was rejected. */
  readonly compiled: CompiledDocument | undefined;
};

/** A document without the parts that contradict others, or its diagnostics. */
type PreparedDocument = Omit<LoadedContract, 'document' | 'locate'> & {
  /** `undefined` when the document was rejected. */
  readonly document: Document | undefined;
};

/**
 * Compiles an OpenAPI document into a contract, deterministically, or returns the diagnostics that prevent it.
 *
 * @param declared by the application
 */
export async function compileContract(
  path: string,
  allowed?: AllowedRefs,
  declared: Declared = NOTHING_DECLARED,
): Promise<CompiledContract> {
  const { document, ...prepared } = await prepareDocument(path, allowed, {
    findErrors: findUnservable,
    codecs: declared.codecs,
  });
  if (document === undefined) return { ...prepared, compiled: undefined };
  const warnings = markDecodedFormats(document, declared);
  const { compiled, failureBodies, errors } = compileOperations(document, declared);
  const diagnostics = [
    ...prepared.diagnostics,
    ...placeDiagnostics('warn', warnings, prepared.placeOf),
    ...placeDiagnostics('error', errors, prepared.placeOf),
  ];
  const isRejected = errors.length > 0;
  return {
    ...prepared,
    diagnostics,
    compiled: isRejected ? undefined : { contract: compiled, document, failureBodies },
  };
}

/** How a document is prepared. */
type Preparation = {
  /** Finds reasons to reject a valid document; by default, there is none. */
  readonly findErrors?: (document: Document) => readonly Diagnostic[];
  /** The media types that the application has codecs for. */
  readonly codecs?: readonly string[];
  /** Reads the document and the files that it refers to from another source than the file system. */
  readonly read?: ReadText;
  /** The folder, or the URL of the folder, with all of them; by default, that of the document. */
  readonly folder?: string;
};

/**
 * Reads an OpenAPI document, and removes its unused parts.
 *
 * @param allowed the files outside of its folder that it may refer to
 */
export async function prepareDocument(
  path: string,
  allowed: AllowedRefs = NO_OUTSIDE,
  { findErrors = () => [], codecs = [], read, folder }: Preparation = {},
): Promise<PreparedDocument> {
  const loaded = await loadContract(path, 'validity', read, { folder, allowed });
  const { text, diagnostics, placeOf, sources } = loaded;
  const result = (
    document: Document | undefined,
    severity: PlacedDiagnostic['severity'],
    found: readonly Diagnostic[],
  ): PreparedDocument => {
    return {
      document,
      text,
      diagnostics: [...diagnostics, ...placeDiagnostics(severity, found, placeOf)],
      placeOf,
      sources,
    };
  };
  if (loaded.document === undefined) return result(undefined, 'error', []);
  const document = normalizeDocument(loaded.document);

  const errors = [
    ...findInvalid(document),
    ...findCombinations(document),
    ...findManyPaths(document),
    ...findErrors(document),
  ];
  if (errors.length > 0) return result(undefined, 'error', errors);
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
    ...findPatternsOfBytes(document, codecs),
    ...expandInheritance(document),
    ...completeDiscriminators(document),
    ...removeCircularParts(document),
    ...removeInt64Conflicts(document),
    ...removeInvalidPatterns(document),
    ...removeInvalidDefaults(document),
  ];
  return result(document, 'warn', warnings);
}
