import type { Contract } from '@contract-first/contract';
import { findCombinations, findManyPaths, removeCircularParts } from './check/combinations.ts';
import { removeContradictions } from './check/contradictions.ts';
import { removeInvalidDefaults } from './check/invalid-defaults.ts';
import {
  findDialects,
  findEncodings,
  findFailureHeaders,
  findIdempotencyFailures,
  findInvalid,
  findPatternsOfBytes,
  findPublic,
  findUnchecked,
  findUncheckedTexts,
  findUnservable,
} from './check/unsupported.ts';
import { type Declared, NOTHING_DECLARED } from './document/codecs.ts';
import type { Document } from './document/document.ts';
import { completeDiscriminators } from './normalize/discriminators.ts';
import { expandInheritance } from './normalize/inheritance.ts';
import { normalizeDocument, removeInt64Conflicts, removeInvalidPatterns } from './normalize/normalize.ts';
import type { FailureBody } from './operations/failures.ts';
import { markDecodedFormats } from './operations/operation-formats.ts';
import { compileOperations } from './operations/operations.ts';
import { type AllowedRefs, NO_OUTSIDE } from './read/allowed-refs.ts';
import { type Diagnostic, type PlacedDiagnostic, placeDiagnostics } from './read/diagnostic.ts';
import type { ReadFileText } from './read/files.ts';
import type { LoadedContract } from './load.ts';
import { loadContract } from './load.ts';
import { findLowerRanges, findUncallable, removeDuplicateRoutes } from './read/unreachable-operations.ts';

/** A document with its contract. */
export type CompiledDocument = {
  readonly contract: Contract;
  /** The source document of the contract. */
  readonly document: Document;
  readonly failureBodies: readonly FailureBody[];
};

/** A compiled document, or its diagnostics. */
type CompiledContract = Pick<LoadedContract, 'source' | 'diagnostics' | 'placeOf' | 'sources'> & {
  /** `undefined` if the document was rejected. */
  readonly compiled: CompiledDocument | undefined;
};

/** A document without the parts that contradict others, or its diagnostics. */
type PreparedDocument = Omit<LoadedContract, 'document' | 'schemaNames'> & {
  /** `undefined` when the document was rejected. */
  readonly document: Document | undefined;
};

/**
 * Compiles an OpenAPI document to a contract, deterministically, or returns the diagnostics of a rejected document.
 *
 * @param declared the codecs and formats of the application
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

/** Options for {@link prepareDocument}. */
type Preparation = {
  /** Returns additional errors for a valid document; none by default. */
  readonly findErrors?: (document: Document) => readonly Diagnostic[];
  /** The media types with codecs. */
  readonly codecs?: readonly string[];
  /** Reads the document and the referenced files from a source other than the file system. */
  readonly read?: ReadFileText;
  /** The path or URL of the folder that contains all files; by default, the folder of the document. */
  readonly folder?: string;
};

/**
 * Reads, checks and normalizes an OpenAPI document.
 *
 * @param allowed the kinds of files outside its folder that the document may refer to
 */
export async function prepareDocument(
  path: string,
  allowed: AllowedRefs = NO_OUTSIDE,
  { findErrors = () => [], codecs = [], read, folder }: Preparation = {},
): Promise<PreparedDocument> {
  const loaded = await loadContract(path, 'validity', read, { folder, allowed });
  const { source, diagnostics, placeOf, locate, sources } = loaded;
  const result = (
    document: Document | undefined,
    severity: PlacedDiagnostic['severity'],
    found: readonly Diagnostic[],
  ): PreparedDocument => {
    return {
      document,
      source,
      diagnostics: [...diagnostics, ...placeDiagnostics(severity, found, placeOf)],
      placeOf,
      locate,
      sources,
    };
  };
  if (loaded.document === undefined) return result(undefined, 'error', []);
  const { document, warnings: renamed, schemaNames: hoisted } = normalizeDocument(loaded.document);
  const schemaNames = new Map([...loaded.schemaNames, ...hoisted]);

  const errors = [
    ...findInvalid(document),
    ...findCombinations(document),
    ...findManyPaths(document),
    ...findErrors(document),
  ];
  if (errors.length > 0) return result(undefined, 'error', errors);
  const warnings = [
    ...renamed,
    ...findPublic(document),
    ...findUncallable(loaded.document),
    ...findLowerRanges(loaded.document),
    ...removeDuplicateRoutes(document),
    ...removeContradictions(document),
    ...findDialects(loaded.document),
    ...findFailureHeaders(document),
    ...findIdempotencyFailures(document),
    ...findUnchecked(document),
    ...findUncheckedTexts(document),
    ...findEncodings(document),
    ...findPatternsOfBytes(document, codecs),
    ...expandInheritance(document, schemaNames),
    ...completeDiscriminators(document, schemaNames),
    ...removeCircularParts(document),
    ...removeInt64Conflicts(document),
    ...removeInvalidPatterns(document),
    ...removeInvalidDefaults(document),
  ];
  return result(document, 'warn', warnings);
}
