import { createConfig } from '@redocly/openapi-core';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import type { ContractDocument } from '../../src/engine/contract/slice-document.ts';
import { findResponse, type Operation } from '../../src/engine/contract/operation.ts';
import { InvalidResponse, createValidator, type OperationValidator } from '../../src/engine/contract/validator.ts';
import { errorBody } from '../../src/engine/http/failure.ts';
import { createRouter } from '../../src/engine/http/router.ts';
import { markInheritedNames, unmark } from './inherited-names.ts';
import { loadContract, type OpenApiDocument, type Problem } from './load.ts';
import { escapePointer } from './reference.ts';
import { compileOperations, type CompiledOperations } from './operations.ts';
import { findUnsupported, type Unsupported } from './unsupported.ts';

/** The generated files of a document, or its problems. */
export type RenderedContract = {
  /** The text of the files in generated/ by name; `undefined` when the document was rejected. */
  readonly files: Readonly<Record<string, string>> | undefined;
  readonly operationIds: readonly string[];
  readonly problems: readonly Problem[];
  /** The absolute paths of the files that the document consists of. */
  readonly sources: readonly string[];
};

const NOTICE = 'Generated from openapi.yaml by `npm run generate`. Do not edit.';

/** Renders the generated files of an OpenAPI document, deterministically, or returns the problems that prevent it. */
export async function renderContract(path: string): Promise<RenderedContract> {
  const { document, problems, placeOf, sources } = await loadContract(path, 'validity');
  const reject = (found: readonly Unsupported[]): RenderedContract => ({
    files: undefined,
    operationIds: [],
    problems: [...problems, ...found.map(({ pointer, message }) => asError(placeOf(pointer), message))],
    sources,
  });
  if (document === undefined) return reject([]);

  const unsupported = findUnsupported(document);
  if (unsupported.length > 0) return reject(unsupported);
  const compiled = compileOperations(document);
  const invalid = [...tryRouter(compiled), ...tryValidators(document as unknown as ContractDocument, compiled)];
  if (invalid.length > 0) return reject(invalid);

  const files = {
    'types.ts': `// ${NOTICE}\n${await renderTypes(document)}\n${renderOperationId(compiled)}`,
    'contract.json': `${JSON.stringify({ $comment: NOTICE, ...compiled, document }, null, 2)}\n`,
  };
  return { files, operationIds: Object.keys(compiled.operations), problems, sources };
}

function asError(place: string, message: string): Problem {
  return { severity: 'error', place, message };
}

/** Creates the router, so that ambiguous paths are reported now instead of at startup. */
function tryRouter(compiled: CompiledOperations): Unsupported[] {
  try {
    createRouter(compiled);
    return [];
  } catch (error) {
    return [{ pointer: '#/paths', message: `cannot be routed: ${(error as Error).message}` }];
  }
}

/** Compiles every schema, so that problems are reported now instead of with the first request. */
function tryValidators(document: ContractDocument, { operations }: CompiledOperations): Unsupported[] {
  return Object.values(operations).flatMap((operation) => {
    const pointer = `#/paths/${escapePointer(operation.path)}/${operation.method.toLowerCase()}`;
    try {
      return tryFailures(pointer, operation, createValidator(document, operation));
    } catch (error) {
      return [{ pointer, message: `cannot be validated: ${(error as Error).message}` }];
    }
  });
}

/** Checks that documented responses for failures of the service itself allow the body that it sends. */
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
      const message = 'the service sends its own failures as application/json with { error, message }; allow that here';
      return [{ pointer: `${pointer}/responses/${key}`, message }];
    }
  });
}

/** The keywords of a schema that decide how strings are typed. */
type StringKeywords = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly contentEncoding?: string;
  /** Of OpenAPI 3.0. */
  readonly nullable?: boolean;
};

/** Renders the union of served operations; `operations` of openapi-typescript also has webhooks and callbacks. */
function renderOperationId({ operations }: CompiledOperations): string {
  const names = Object.keys(operations).map((operationId) => `\n  | '${operationId}'`);
  return `/** The operations that the service has. */\nexport type OperationId =${names.join('') || ' never'};\n`;
}

async function renderTypes(document: OpenApiDocument): Promise<string> {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const blob = ts.factory.createTypeReferenceNode('Blob');
  const nullable = ts.factory.createLiteralTypeNode(ts.factory.createNull());
  // withParameterSchemas copies, which matters: openapi-typescript writes discriminators into its input.
  const nodes = await openapiTS(withParameterSchemas(markInheritedNames(document)) as OpenAPI3, {
    silent: true,
    redocly: await createConfig({}), // The document has been linted already.
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

/** Copies a document and replaces `content` of parameters by its schema; openapi-typescript types it as a string. */
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
