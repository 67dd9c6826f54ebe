import { VERSION } from '@contract-first/command-line/terminal';
import {
  concreteMediaType,
  type Contract,
  escapeControls,
  findSchemes,
  listCodecs,
  MAX_MEMBERS,
  NotImplemented,
  type Operation,
} from '@contract-first/contract';
import {
  type AllowedRefs,
  compileContract,
  type Diagnostic,
  type FailureBody,
  NOTHING_DECLARED,
  operationPointer,
  optional,
  type PlacedDiagnostic,
  placeDiagnostics,
} from '@contract-first/documents';
import { createTrialValidators } from '@contract-first/engine/validators';
import { exampleRequest } from '@contract-first/model/scaffolds';
import { CompilationCache } from './compilation-cache.ts';
import type { DeclaredModules } from './codec-modules.ts';
import type { RequiredParts } from './scaffold.ts';

/** The generated files of a document, or its diagnostics. */
type RenderedContract = {
  /**
   * The texts of the files in generated/ by name; `undefined` if the document was rejected. `types.ts` is absent if
   * openapi-typescript and typescript are not installed.
   */
  readonly files: Readonly<Record<string, string>> | undefined;
  /** The parts that the application implements; `undefined` if the document was rejected. */
  readonly requiredParts: RequiredParts | undefined;
  readonly operationIds: readonly string[];
  /** The codecs for media types that the document lacks or that the engine parses itself. */
  readonly unusedCodecs: readonly string[];
  readonly diagnostics: readonly PlacedDiagnostic[];
  /** The absolute paths of the document's files. */
  readonly sources: readonly string[];
};

const NO_MODULES = { ...NOTHING_DECLARED, formatsModule: undefined };
const NOTICE = `Generated from openapi.yaml by contract-first ${VERSION} (npm run generate). Do not edit.`;

/** Returns the contract-first version in the header of a generated file, if any. */
export function versionOf(text: string): string | undefined {
  return /^.{0,20}Generated from openapi\.yaml by contract-first (\S+) /s.exec(text)?.[1];
}

/**
 * Renders the generated files of an OpenAPI document, deterministically, or returns the diagnostics of a rejected
 * document.
 *
 * @param declared the codecs and formats of the application
 */
export async function renderContract(
  path: string,
  allowed?: AllowedRefs,
  declared: Pick<DeclaredModules, 'codecs' | 'formats' | 'formatsModule'> = NO_MODULES,
): Promise<RenderedContract> {
  const { compiled, source, diagnostics, placeOf, sources } = await compileContract(path, allowed, declared);
  const reject = (found: readonly PlacedDiagnostic[]): RenderedContract => ({
    files: undefined,
    requiredParts: undefined,
    operationIds: [],
    unusedCodecs: [],
    diagnostics: [...diagnostics, ...found],
    sources,
  });
  if (compiled === undefined) return reject([]);
  const { contract, document, failureBodies } = compiled;
  const invalid = tryValidators(contract);
  if (invalid.length > 0) return reject(placeDiagnostics('error', invalid, placeOf));

  const { unchecked: uncheckedSchemes = [] } = findSchemes(contract);
  const printer = await loadPrinter();
  const types = printer && [
    `// ${NOTICE}\n${printer.renderTypes(document, declared.codecs, declared.formatsModule)}`,
    renderOperationId(contract),
    renderUncheckedSchemes(uncheckedSchemes),
    renderFailures(failureBodies),
  ];
  const warnings: Diagnostic[] = [];
  const example = exampleRequest(compiled, ({ path, method }, { message }) => {
    warnings.push({
      pointer: operationPointer(path, method),
      message: `has no example request: a value is ${message}`,
    });
  });
  const served = { $comment: NOTICE, ...contract, ...optional('example', example) };
  return {
    files: {
      ...(types && { 'types.ts': escapeControls(types.join('\n')) }),
      'openapi.json': escapeControls(`${formatJson(source)}\n`),
      'contract.json': escapeControls(`${formatJson(served)}\n`),
    },
    requiredParts: { document, failureBodies, uncheckedSchemes },
    operationIds: Object.keys(contract.operations),
    unusedCodecs: declared.codecs.filter((name) => !listCodecs(contract.operations).has(name)),
    diagnostics: [...diagnostics, ...placeDiagnostics('warn', warnings, placeOf)],
    sources,
  };
}

/** Loads the renderer of types; returns `undefined` if openapi-typescript is not installed. */
async function loadPrinter() {
  try {
    return await import('./types.ts');
  } catch (error) {
    // Yarn's Plug'n'Play has the code without the prefix.
    if ((error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Compiles every schema to report problems now instead of at the first request. */
function tryValidators(contract: Contract): Diagnostic[] {
  const compilationCache = new CompilationCache(contract);
  const operations = Object.values(contract.operations).filter((operation) => !compilationCache.has(operation));
  if (operations.length === 0) return [];
  const validators = createTrialValidators(contract);
  const invalid = new Map<Operation, Diagnostic>();
  for (const operation of operations) {
    try {
      validators.compileSync(operation);
    } catch (error) {
      const pointer = operationPointer(operation.path, operation.method);
      const isLarge = error instanceof NotImplemented;
      const reason = isLarge ? `a schema has too many members; ${MAX_MEMBERS} are possible` : (error as Error).message;
      invalid.set(operation, { pointer, message: `cannot be validated: ${reason}` });
    }
  }
  compilationCache.add(operations.filter((operation) => !invalid.has(operation)));
  return [...invalid.values()];
}

/** Renders the union of served operations; `operations` also contains webhooks. */
function renderOperationId({ operations }: Contract): string {
  const names = Object.keys(operations).map((operationId) => `\n  | ${JSON.stringify(operationId)}`);
  return `/** The operations that the service has. */\nexport type OperationId =${names.join('') || ' never'};\n`;
}

/** Renders the union of security schemes whose credentials the application checks. */
function renderUncheckedSchemes(names: readonly string[]): string {
  const members = names.map((name) => `\n  | ${JSON.stringify(name)}`).join('') || ' never';
  return `/** The security schemes that the application checks. */\nexport type UncheckedScheme =${members};\n`;
}

/** Renders the types of the failure bodies, by name. */
function renderFailures(bodies: readonly FailureBody[]): string {
  const members = bodies.map(({ name, mediaType, hasCodec, operationId, response }) => {
    const place = ['responses', response, 'content', mediaType].map((key) => `[${JSON.stringify(key)}]`).join('');
    const schema = `operations[${JSON.stringify(operationId)}]${place}`;
    const codec = hasCodec ? ' codec: true;' : '';
    return `  ${JSON.stringify(name)}: { mediaType: ${JSON.stringify(concreteMediaType(mediaType))};${codec} schema: ${schema} };\n`;
  });
  return `/** The bodies of failures, by the name of their schema. */\nexport interface failures {\n${members.join('')}}\n`;
}

const MAX_COLUMNS = 120;

/** Serializes a value as JSON. Writes objects and lists on one line if they fit, which leaves a third of the lines. */
function formatJson(value: unknown): string {
  const lines: string[] = [];
  /** The index of the first line of each open object or list. */
  const open: number[] = [];
  for (const line of JSON.stringify(value, null, 2).split('\n')) {
    lines.push(line);
    // A bracket at the end of a line is never part of a string, which ends with a quote.
    if (line.endsWith('{') || line.endsWith('[')) open.push(lines.length - 1);
    else if (/^ *[\]}]/.test(line)) joinIfShort(lines, open.pop() ?? 0);
  }
  return lines.join('\n');
}

/** Joins the lines of the last object or list if they fit on one line. */
function joinIfShort(lines: string[], start: number): void {
  let columns = -1;
  for (let index = start; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    columns += 1 + (index === start ? line : line.trim()).length;
    if (columns > MAX_COLUMNS) return;
  }
  const [first = '', ...rest] = lines.splice(start);
  const last = rest.pop()?.trim() ?? '';
  const space = last.startsWith('}') ? ' ' : '';
  lines.push(`${first}${space}${rest.map((member) => member.trim()).join(' ')}${space}${last}`);
}
