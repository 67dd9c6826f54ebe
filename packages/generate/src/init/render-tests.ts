import { failureStatusOf } from '@contract-first/contract';
import { dereference, listOperations as listObjects, type Document } from '@contract-first/documents';
import { type ApiOperation, readOperations } from '@contract-first/model/operations';
import { createArbitraries, createOracle, readSchemas } from '@contract-first/model/values';
import { createValidInputs, systematicCases } from '@contract-first/model/cases';
import type { WireRequest } from '@contract-first/model/requests';
import { indent, quoteString, renderArray, renderObject } from '@contract-first/model/scaffolds';

// A fixed seed, so that the requests depend only on the document.
const SEED = 1;
/** The token that the template's test service accepts. */
const TOKEN = 'test-token';
// Enough to find each kind of request; a large schema has thousands of cases.
const MAX_CASES = 200;

/** The requests for the tests of an operation. */
type Requests = {
  readonly valid?: WireRequest | undefined;
  readonly invalid?: WireRequest | undefined;
  readonly mistyped?: WireRequest | undefined;
  readonly anonymous?: WireRequest | undefined;
};

/**
 * Renders tests of the documented statuses, in one file for each tag or, without tags, for each first path segment.
 *
 * @param document the normalized document, in which every operation has an operationId
 * @returns the texts of the files by name
 */
export function renderTests(document: Document): Readonly<Record<string, string>> {
  const requestSchemas = readSchemas(document, 'request');
  const oracle = createOracle(requestSchemas);
  const arbitraries = createArbitraries(requestSchemas, oracle);
  const operations = new Map(
    readOperations(requestSchemas, readSchemas(document, 'response')).map((operation) => [
      operation.operationId,
      operation,
    ]),
  );
  const groups = Map.groupBy(listObjects(document), ({ path, object }) => toFileName(object.tags?.[0] ?? path));
  return Object.fromEntries(
    [...groups].flatMap(([group, members]) => {
      const blocks = members.flatMap(({ method, path, object }) => {
        const operation = operations.get(object.operationId);
        if (operation === undefined) return [];
        const requests = findRequests(operation);
        const tests = Object.entries(object.responses ?? {}).flatMap(([status, node]) => {
          const { description = '' } = dereference(document, node);
          return renderTest(operation, status, description, requests);
        });
        return tests.length === 0 ? [] : renderOperation(`${method.toUpperCase()} ${path}`, tests, requests);
      });
      return blocks.length === 0 ? [] : [[`${group}.test.ts`, `${header(blocks)}\n${blocks.join('\n')}`] as const];
    }),
  );

  function findRequests(operation: ApiOperation): Requests {
    const plain = [...createValidInputs(operation, arbitraries, oracle).plainInputs(SEED).values()].flat();
    const options = { requestOracle: oracle, arbitraries, tokens: () => TOKEN, seed: SEED };
    const cases = [...systematicCases(operation, plain, options).take(MAX_CASES)];
    const isMistyped = (description: string): boolean => description.startsWith('sent as ');
    return {
      valid: cases.find(({ kind }) => kind === 'positive')?.request,
      invalid: cases.find(({ kind, description }) => kind === 'negative' && !isMistyped(description))?.request,
      mistyped: cases.find(({ description }) => isMistyped(description))?.request,
      anonymous: cases.find(({ kind }) => kind === 'no authentication')?.request,
    };
  }
}

function header(blocks: readonly string[]): string {
  const text = blocks.join('');
  const isUsed = (name: string): boolean => new RegExp(`^ *(?:await )?${name}\\b`, 'm').test(text);
  const names = ['describe', 'test'].filter(isUsed).join(', ');
  const usesService = text.includes('service().send');
  const support = [
    ...(usesService ? ['startTestService'] : []),
    ...(text.includes('TestRequest') ? ['type TestRequest'] : []),
  ];
  const imports = support.length === 0 ? '' : `import { ${support.join(', ')} } from './support/service.ts';\n`;
  const hint = isUsed('test.skip') ? '// Remove .skip from the tests of a handler when it is written.\n' : '';
  const service = usesService ? '\nconst service = startTestService();\n' : '';
  return `import { ${names} } from '@jest/globals';\n${imports}${hint === '' ? '' : `\n${hint}`}${service}`;
}

function renderOperation(title: string, tests: readonly string[], { valid }: Requests): string {
  const constant = valid === undefined ? '' : `const valid: TestRequest = ${renderObject(membersOf(valid))};\n\n`;
  const isUsed = tests.some((text) => /\.send\((?:valid|\{\s*\.\.\.valid\b)/.test(text));
  return `describe(${quoteString(title)}, () => {\n${indent((isUsed ? constant : '') + tests.join('\n'))}});\n`;
}

const DATA = '// Store the resource first, with service().opened or a request.';

/** Renders the test of a status. Skips 5xx and `default`, which no request can cause intentionally. */
function renderTest(operation: ApiOperation, status: string, description: string, requests: Requests): string[] {
  if (!/^[1-4]\d\d$/.test(status)) return [];
  const request = requestFor(operation, status, requests);
  const title = `${status}: ${description.trim().split('\n')[0]?.slice(0, 80) ?? ''}`;
  if (request === undefined) return [`test.todo(${quoteString(title)});\n`];
  const sent = request === requests.valid ? 'valid' : literalOf(request, requests.valid);
  const needsData = request === requests.valid && operation.template.includes('{');
  const expectation = `await service().send(${sent}, ${status});`;
  const body = indent(needsData ? `${DATA}\n${expectation}` : expectation);
  // The handler is not written yet.
  const declare = request === requests.valid ? 'test.skip' : 'test';
  return [`${declare}(${quoteString(title)}, async () => {\n${body}\n});\n`];
}

function requestFor({ responses }: ApiOperation, status: string, requests: Requests): WireRequest | undefined {
  const success = Object.keys(responses).find((key) => /^2\d\d$/.test(key));
  const byStatus: Readonly<Record<string, WireRequest | undefined>> = {
    ...(success !== undefined && { [success]: requests.valid }),
    [failureStatusOf({ responses }, 415)]: requests.mistyped,
    [failureStatusOf({ responses }, 401)]: requests.anonymous,
    [failureStatusOf({ responses }, 400)]: requests.invalid,
  };
  return byStatus[status];
}

/** Renders a request, as a copy of the valid request with different members if possible. */
function literalOf(request: WireRequest, valid: WireRequest | undefined): string {
  const own = membersOf(request);
  if (valid === undefined) return renderObject(own);
  const shared = membersOf(valid);
  const removed = request.body === undefined && valid.body !== undefined ? ["body: ''"] : [];
  return renderObject(['...valid', ...own.filter((member) => !shared.includes(member)), ...removed]);
}

function membersOf({ method, target, headers, body }: WireRequest): readonly string[] {
  const pairs = headers.map(([name, value]) => renderArray([quoteString(name), quoteString(value)]));
  const text = body?.toString() ?? '';
  const isText = body !== undefined && Buffer.from(text).equals(body);
  const bytes = isText ? quoteString(text) : `Buffer.from('${body?.toString('base64') ?? ''}', 'base64')`;
  return [
    `method: ${quoteString(method)}`,
    `target: ${quoteString(target)}`,
    `headers: ${renderArray(pairs)}`,
    ...(body === undefined ? [] : [`body: ${bytes}`]),
  ];
}

/** Converts a tag, or the first segment of a path, to a file name. */
function toFileName(text: string): string {
  const segment = text.startsWith('/') ? (text.split('/').find((part) => part !== '') ?? '') : text;
  return (
    segment
      .match(/[A-Za-z0-9]+/g)
      ?.join('-')
      .toLowerCase() ?? 'operations'
  );
}
