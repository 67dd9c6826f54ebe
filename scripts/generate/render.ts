import { createConfig } from '@redocly/openapi-core';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { findUncheckedSchemes } from '../../src/engine/auth/authenticator.ts';
import { kindOf } from '../../src/engine/contract/media-type.ts';
import type { ContractDocument } from '../../src/engine/contract/slice-document.ts';
import { createValidator } from '../../src/engine/contract/validator.ts';
import { createRouter } from '../../src/engine/http/router.ts';
import { completeDiscriminators, constrainAlternatives } from '../openapi/discriminators.ts';
import type { Content } from '../openapi/document.ts';
import type { FailureBody } from '../openapi/failures.ts';
import { markInheritedNames, unmark } from '../openapi/inherited-names.ts';
import { expandInheritance } from '../openapi/inheritance.ts';
import { loadContract, type Problem } from '../openapi/load.ts';
import { normalizeDocument, removeInt64Conflicts, removeInvalidPatterns } from '../openapi/normalize.ts';
import { compileOperations, type CompiledOperations } from '../openapi/operations.ts';
import { escapePointer, type OpenApiDocument } from '../openapi/reference.ts';
import type { Gaps } from './scaffold.ts';
import {
  findDialects,
  findEmptyValues,
  findEncodings,
  findPatternsOfBytes,
  findPublic,
  findUnsupported,
  type Remark,
} from '../openapi/unsupported.ts';
import { walkDocument } from '../openapi/walk.ts';

/** The generated files of a document, or its problems. */
export type RenderedContract = {
  /** The text of the files in generated/ by name; `undefined` when the document was rejected. */
  readonly files: Readonly<Record<string, string>> | undefined;
  /** The parts that the application completes; `undefined` when the document was rejected. */
  readonly gaps: Gaps | undefined;
  readonly operationIds: readonly string[];
  readonly problems: readonly Problem[];
  /** The absolute paths of the files that the document consists of. */
  readonly sources: readonly string[];
};

const NOTICE = 'Generated from openapi.yaml by `npm run generate`. Do not edit.';

/** Renders the generated files of an OpenAPI document, deterministically, or returns the problems that prevent it. */
export async function renderContract(path: string): Promise<RenderedContract> {
  const loaded = await loadContract(path, 'validity');
  const { problems, placeOf, sources } = loaded;
  const report =
    (severity: Problem['severity']) =>
    ({ pointer, message }: Remark): Problem => ({ severity, place: placeOf(pointer), message });
  const reject = (found: readonly Remark[]): RenderedContract => ({
    files: undefined,
    gaps: undefined,
    operationIds: [],
    problems: [...problems, ...found.map(report('error'))],
    sources,
  });
  if (loaded.document === undefined) return reject([]);
  const document = normalizeDocument(loaded.document);

  const unsupported = findUnsupported(document);
  if (unsupported.length > 0) return reject(unsupported);
  const warnings = [
    ...findPublic(document),
    ...findDialects(loaded.document),
    ...findEncodings(document),
    ...findEmptyValues(document),
    ...findPatternsOfBytes(document),
    ...expandInheritance(document),
    ...completeDiscriminators(document),
    ...removeInt64Conflicts(document),
    ...removeInvalidPatterns(document),
  ];
  const { compiled, failureBodies } = compileOperations(document);
  const invalid = [...tryRouter(compiled), ...tryValidators(document as unknown as ContractDocument, compiled)];
  if (invalid.length > 0) return reject(invalid);

  const uncheckedSchemes = findUncheckedSchemes(Object.values(compiled.operations), compiled.securitySchemes, {});
  const types = [
    `// ${NOTICE}\n${await renderTypes(document)}`,
    renderOperationId(compiled),
    renderUncheckedSchemes(uncheckedSchemes),
    renderFailures(failureBodies),
  ];
  return {
    files: {
      'types.ts': types.join('\n'),
      'contract.json': `${JSON.stringify({ $comment: NOTICE, ...compiled, document }, null, 2)}\n`,
    },
    gaps: { document, failureBodies, uncheckedSchemes },
    operationIds: Object.keys(compiled.operations),
    problems: [...problems, ...warnings.map(report('warn'))],
    sources,
  };
}

/** Creates the router, so that ambiguous paths are reported now instead of at startup. */
function tryRouter(compiled: CompiledOperations): Remark[] {
  try {
    createRouter(compiled);
    return [];
  } catch (error) {
    return [{ pointer: '#/paths', message: `cannot be routed: ${(error as Error).message}` }];
  }
}

/** Compiles every schema, so that problems are reported now instead of with the first request. */
function tryValidators(document: ContractDocument, { operations }: CompiledOperations): Remark[] {
  return Object.values(operations).flatMap((operation) => {
    const pointer = `#/paths/${escapePointer(operation.path)}/${operation.method.toLowerCase()}`;
    try {
      createValidator(document, operation);
      return [];
    } catch (error) {
      return [{ pointer, message: `cannot be validated: ${(error as Error).message}` }];
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
  const names = Object.keys(operations).map((operationId) => `\n  | ${JSON.stringify(operationId)}`);
  return `/** The operations that the service has. */\nexport type OperationId =${names.join('') || ' never'};\n`;
}

/** Renders the union of security schemes whose credentials the application checks. */
function renderUncheckedSchemes(names: readonly string[]): string {
  const members = names.map((name) => `\n  | ${JSON.stringify(name)}`).join('') || ' never';
  return `/** The security schemes that the application checks. */\nexport type UncheckedScheme =${members};\n`;
}

/** Renders the bodies of the failures that the application renders, by name. */
function renderFailures(bodies: readonly FailureBody[]): string {
  const members = bodies.map(({ name, mediaType, operationId, response }) => {
    const place = ['responses', response, 'content', mediaType].map((key) => `[${JSON.stringify(key)}]`).join('');
    const schema = `operations[${JSON.stringify(operationId)}]${place}`;
    return `  ${JSON.stringify(name)}: { mediaType: ${JSON.stringify(mediaType)}; schema: ${schema} };\n`;
  });
  return `/** The bodies of failures, by the name of their schema. */\nexport interface failures {\n${members.join('')}}\n`;
}

async function renderTypes(document: OpenApiDocument): Promise<string> {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const blob = ts.factory.createTypeReferenceNode('Blob');
  const nullable = ts.factory.createLiteralTypeNode(ts.factory.createNull());
  const nodes = await openapiTS(markInheritedNames(toTypedDocument(document)) as OpenAPI3, {
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

/**
 * Copies a document as openapi-typescript needs it: without extensions, where it would resolve every `$ref`, and with the
 * schema of parameters in place of `content`, which it types as a string. Only JSON is parsed. It would add a discriminator
 * to its schemas wherever they are used.
 */
function toTypedDocument(original: OpenApiDocument): OpenApiDocument {
  const document = structuredClone(original);
  walkDocument(document, ({ kind, node, holder, key }) => {
    for (const name of Object.keys(node)) if (name.startsWith('x-')) Reflect.deleteProperty(node, name);
    if (kind === 'schema') holder[key] = constrainAlternatives(node);
    const { content, ...rest } = node;
    if (kind !== 'parameter' || content === undefined) return;
    const [[mediaType, { schema }] = ['', {}]] = Object.entries(content as Content); // The linter has checked this shape.
    holder[key] = { ...rest, schema: kindOf(mediaType) === 'json' ? schema : { type: 'string' } };
  });
  return document;
}
