import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import type { ContractDocument } from '../../src/contract/slice.ts';
import {
  createValidator,
  InvalidRequest,
  type OperationValidator,
  type RequestParts,
} from '../../src/contract/validator.ts';
import { hasErrors, loadContract, type Problem } from './load.ts';
import { escapePointer } from './reference.ts';
import { takeInventory, type Inventory } from './operations.ts';

/** What the generator makes of a document. */
export type RenderedContract = {
  /** The files of generated/ by name; `undefined` when the document was refused. */
  readonly files: Readonly<Record<string, string>> | undefined;
  readonly operationIds: readonly string[];
  readonly problems: readonly Problem[];
  /** The files that the document is made of: absolute paths. */
  readonly sources: readonly string[];
};

const BANNER = '// Generated from openapi.yaml by `npm run generate`. Do not edit.\n';

/** Turns an OpenAPI document into the text of the generated files, or says why not. The same input, the same output. */
export async function renderContract(path: string): Promise<RenderedContract> {
  const { document, problems, placeOf, sources } = await loadContract(path, 'validity');
  const refuse = (reasons: readonly Problem[]): RenderedContract => ({
    files: undefined,
    operationIds: [],
    problems: reasons,
    sources,
  });
  if (document === undefined) return refuse(problems);

  const { inventory, unsupported } = takeInventory(document);
  const refused = [...problems, ...unsupported.map(({ pointer, message }) => asError(placeOf(pointer), message))];
  if (hasErrors(refused)) return refuse(refused);

  const uncompiled = tryValidators(document as unknown as ContractDocument, inventory).map(({ pointer, message }) =>
    asError(placeOf(pointer), message),
  );
  if (uncompiled.length > 0) return refuse([...refused, ...uncompiled]);

  const files = {
    'types.ts': BANNER + (await renderTypes(document as unknown as OpenAPI3)),
    'operations.ts': BANNER + renderOperations(inventory),
    'document.json': JSON.stringify(document, null, 2) + '\n',
  };
  return { files, operationIds: Object.keys(inventory.operations), problems, sources };
}

function asError(place: string, message: string): Problem {
  return { severity: 'error', place, message };
}

/** The validator compiles a schema when the first request for it comes, and only then says what is wrong with it. */
function tryValidators(document: ContractDocument, { operations }: Inventory) {
  return Object.values(operations).flatMap((operation) => {
    const { path, method, requestBody } = operation;
    try {
      const validator = createValidator(document, operation);
      for (const mediaType of Object.keys(requestBody?.content ?? {})) {
        tryRequest(validator, { target: path, headers: {}, query: {}, mediaType, body: undefined });
      }
      return [];
    } catch (error) {
      const pointer = `#/paths/${escapePointer(path)}/${method.toLowerCase()}`;
      return [{ pointer, message: `cannot be validated: ${(error as Error).message}` }];
    }
  });
}

function tryRequest(validator: OperationValidator, parts: RequestParts): void {
  try {
    validator.request(parts);
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
  }
}

async function renderTypes(document: OpenAPI3): Promise<string> {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const nullType = ts.factory.createLiteralTypeNode(ts.factory.createNull());
  const nodes = await openapiTS(document, {
    silent: true,
    transform({ type, format }) {
      const types = [type].flat();
      if (format !== 'int64' || !types.includes('integer')) return undefined;
      return types.includes('null') ? ts.factory.createUnionTypeNode([bigint, nullType]) : bigint;
    },
  });
  return astToString(nodes);
}

function renderOperations({ operations, securitySchemes, int64Shapes }: Inventory): string {
  return [
    exported('operations', operations),
    exported('securitySchemes', securitySchemes),
    exported('int64Shapes', int64Shapes),
  ].join('\n');
}

function exported(name: string, value: unknown): string {
  return `export const ${name} = ${JSON.stringify(value, null, 2)} as const;\n`;
}
