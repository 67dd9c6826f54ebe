import { readFileSync } from 'node:fs';
import type { Contract } from '@contract-first/contract';
import { compileContract, formatDiagnostic, type CompiledDocument } from '@contract-first/documents';
import { mountsOf } from '@contract-first/engine/tools';
import { type Corrections, readFileCorrections } from '@contract-first/model/resources';
import { printError, refuse } from '@contract-first/command-line/terminal';
import { CannotCheck } from '@contract-first/model/values';
import { createMock } from './application.ts';
import type { CommandOptions } from './options.ts';

/** A document that a mock serves. */
export type LoadedDocument = { readonly file: string; readonly text: string; readonly compiled: CompiledDocument };

/** Compiles the documents, each below paths of its own. Ends the command if one is rejected, or two share a path. */
export async function loadDocuments({ documents, allowedRefs }: CommandOptions): Promise<readonly LoadedDocument[]> {
  const loaded: LoadedDocument[] = [];
  for (const { file, basePath } of documents) {
    const { compiled, text, diagnostics } = await compileContract(file, allowedRefs);
    for (const diagnostic of diagnostics) printError(formatDiagnostic(diagnostic));
    if (compiled === undefined) refuse(`${file} was rejected`);
    const contract = basePath === undefined ? compiled.contract : servedBelow(compiled.contract, basePath);
    loaded.push({ file, text, compiled: { ...compiled, contract } });
  }
  const places = loaded.flatMap(({ file, compiled: { contract } }) =>
    mountsOf(contract).map((path) => ({ path, file, title: contract.info.title })),
  );
  for (const [path, [one, other]] of Map.groupBy(places, (place) => place.path)) {
    if (one === undefined || other === undefined) continue;
    const name = other.title.toLowerCase().replaceAll(/[^a-z\d]+/g, '-');
    const advice = `name a path, such as /${name}=${other.file}`;
    refuse(`${one.file} and ${other.file} are both served below ${path || '/'}: ${advice}`);
  }
  return loaded;
}

/** Creates the mocks of documents. Ends the command with all mistakes in the corrections and the data. */
export function createMocks(loaded: readonly LoadedDocument[], options: CommandOptions) {
  const { seed, limit, dataPath, configPath, scenarios } = options;
  try {
    const corrections: Corrections = limit === undefined ? new Map() : readFileCorrections(configPath);
    return loaded.map(({ file, text, compiled }) => {
      const memory =
        limit === undefined ? undefined : { limit, dataPath, corrections: ofDocument(corrections, compiled) };
      const texts = { json: text, yaml: readFileSync(file, 'utf8') };
      return createMock(compiled, texts, { seed, memory, env: process.env, scenarios });
    });
  } catch (error) {
    if (error instanceof CannotCheck) return refuse(...error.message.split('\n'));
    throw error;
  }

  /** Returns the corrections of a document: with the first one, also those of no document, so that they are reported. */
  function ofDocument(corrections: Corrections, document: CompiledDocument): Corrections {
    const isIn = ({ document: { paths = {} } }: CompiledDocument, path: string): boolean => Object.hasOwn(paths, path);
    const [first] = loaded;
    const isOwn = (path: string): boolean =>
      isIn(document, path) || (document === first?.compiled && !loaded.some(({ compiled }) => isIn(compiled, path)));
    return new Map([...corrections].filter(([path]) => isOwn(path)));
  }
}

/** Returns a contract below a path in place of those of its servers. */
function servedBelow(contract: Contract, basePath: string): Contract {
  const served = { basePaths: [basePath], templatedBasePaths: [] };
  const operations = Object.entries(contract.operations).map(([id, operation]) => [id, { ...operation, ...served }]);
  return { ...contract, ...served, operations: Object.fromEntries(operations) as Contract['operations'] };
}
