import { createConfig } from '@redocly/openapi-core';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import type { ContractDocument } from '../../src/engine/contract/slice.ts';
import { findResponse, type Operation } from '../../src/engine/contract/operation.ts';
import { InvalidResponse, createValidator, type OperationValidator } from '../../src/engine/contract/validator.ts';
import { errorBody } from '../../src/engine/http/failure.ts';
import { createRouter } from '../../src/engine/http/router.ts';
import { markInheritedNames, unmark } from './inherited-names.ts';
import { loadContract, type OpenApiDocument, type Problem } from './load.ts';
import { escapePointer } from './reference.ts';
import { compileOperations, type Inventory } from './operations.ts';
import { findUnsupported, type Unsupported } from './unsupported.ts';

/** What the generator makes of a document. */
export type RenderedContract = {
  /** The files of generated/ by name; `undefined` when the document was refused. */
  readonly files: Readonly<Record<string, string>> | undefined;
  readonly operationIds: readonly string[];
  readonly problems: readonly Problem[];
  /** The files that the document is made of: absolute paths. */
  readonly sources: readonly string[];
};

const NOTICE = 'Generated from openapi.yaml by `npm run generate`. Do not edit.';

/** Turns an OpenAPI document into the text of the generated files, or says why not. The same input, the same output. */
export async function renderContract(path: string): Promise<RenderedContract> {
  const { document, problems, placeOf, sources } = await loadContract(path, 'validity');
  const refuse = (found: readonly Unsupported[]): RenderedContract => ({
    files: undefined,
    operationIds: [],
    problems: [...problems, ...found.map(({ pointer, message }) => asError(placeOf(pointer), message))],
    sources,
  });
  if (document === undefined) return refuse([]);

  const unsupported = findUnsupported(document);
  if (unsupported.length > 0) return refuse(unsupported);
  const inventory = compileOperations(document);
  const invalid = [...tryRouter(inventory), ...tryValidators(document as unknown as ContractDocument, inventory)];
  if (invalid.length > 0) return refuse(invalid);

  const files = {
    'types.ts': `// ${NOTICE}\n${await renderTypes(document)}\n${renderOperationId(inventory)}`,
    'contract.json': `${JSON.stringify({ $comment: NOTICE, ...inventory, document }, null, 2)}\n`,
  };
  return { files, operationIds: Object.keys(inventory.operations), problems, sources };
}

function asError(place: string, message: string): Problem {
  return { severity: 'error', place, message };
}

/** Makes the router: what it cannot tell apart must not come out at the start. */
function tryRouter(inventory: Inventory): Unsupported[] {
  try {
    createRouter(inventory);
    return [];
  } catch (error) {
    return [{ pointer: '#/paths', message: `cannot be routed: ${(error as Error).message}` }];
  }
}

/** Compiles every schema: what is wrong with one must not come out with the first request for it. */
function tryValidators(document: ContractDocument, { operations }: Inventory): Unsupported[] {
  return Object.values(operations).flatMap((operation) => {
    const pointer = `#/paths/${escapePointer(operation.path)}/${operation.method.toLowerCase()}`;
    try {
      return tryFailures(pointer, operation, createValidator(document, operation));
    } catch (error) {
      return [{ pointer, message: `cannot be validated: ${(error as Error).message}` }];
    }
  });
}

/** Where the document has an answer for a failure of the service itself, it must be the one that the service sends. */
function tryFailures(pointer: string, operation: Operation, validator: OperationValidator): Unsupported[] {
  const statuses = [
    400,
    500,
    501,
    ...(operation.security.length > 0 ? [401] : []),
    ...(operation.requestBody ? [413, 415] : []),
  ];
  const byKey = new Map(
    statuses.flatMap((status) => {
      const found = findResponse(operation, status);
      return found === undefined ? [] : [[found[0], { status, plan: found[1] }] as const];
    }),
  );
  return [...byKey].flatMap(([key, { status, plan }]) => {
    try {
      if (!plan.mediaTypes.includes('application/json')) throw new InvalidResponse('another media type');
      validator.response(status, 'application/json', errorBody(status, ''));
      return [];
    } catch {
      const message =
        'the service answers its own failures as application/json with { error, message }; allow that here';
      return [{ pointer: `${pointer}/responses/${key}`, message }];
    }
  });
}

/** What a schema says of strings, whichever its type. */
type StringKeywords = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly contentEncoding?: string;
  /** Of OpenAPI 3.0. */
  readonly nullable?: boolean;
};

/** openapi-typescript's `operations` has those of webhooks and callbacks too; this has the ones that are served. */
function renderOperationId({ operations }: Inventory): string {
  const names = Object.keys(operations).map((operationId) => `\n  | '${operationId}'`);
  return `/** The operations that the service has. */\nexport type OperationId =${names.join('') || ' never'};\n`;
}

async function renderTypes(document: OpenApiDocument): Promise<string> {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const blob = ts.factory.createTypeReferenceNode('Blob');
  const nullable = ts.factory.createLiteralTypeNode(ts.factory.createNull());
  // A copy also because openapi-typescript writes discriminators into the document that it reads.
  const nodes = await openapiTS(withParameterSchemas(markInheritedNames(document)) as OpenAPI3, {
    silent: true,
    redocly: await createConfig({}), // The document has been judged already.
    transform(schema) {
      const { type, format, contentMediaType, contentEncoding, nullable: isNullable } = schema as StringKeywords;
      const types = [type, isNullable === true ? 'null' : []].flat();
      const isInt64 = format === 'int64' && types.includes('integer');
      const isBinary = format === 'binary' && types.includes('string');
      const isBytes = contentMediaType !== undefined && contentEncoding === undefined && type === undefined;
      if (!isInt64 && !isBinary && !isBytes) return undefined;
      const node = isInt64 ? bigint : blob;
      return types.includes('null') ? ts.factory.createUnionTypeNode([node, nullable]) : node;
    },
  });
  return unmark(astToString(nodes));
}

/** A copy in which parameters have the schema of their content, which openapi-typescript takes for a string. */
function withParameterSchemas(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(withParameterSchemas);
  const { in: place, name, content, ...rest } = node as Readonly<Record<string, unknown>>;
  if (typeof place === 'string' && typeof name === 'string' && typeof content === 'object' && content !== null) {
    const { schema } = Object.values(content)[0] as { readonly schema?: unknown };
    return { ...rest, in: place, name, schema };
  }
  return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, withParameterSchemas(member)]));
}
