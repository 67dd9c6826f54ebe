import ts from 'typescript';

/**
 * Reads the names of the existing handlers from the source text of their module, without running it: the properties of
 * the object that its function `createHandlers` returns.
 *
 * @returns `undefined` without such an object literal, or when only the type checker knows its names (`...others`)
 */
export function readHandlerNames(source: string): readonly string[] | undefined {
  const file = ts.createSourceFile('handlers.ts', source, ts.ScriptTarget.Latest);
  const [list] = file.statements
    .filter((statement) => ts.isFunctionDeclaration(statement))
    .filter(({ name }) => name?.text === 'createHandlers')
    .flatMap(({ body }) => [...(body?.statements ?? [])])
    .filter((statement) => ts.isReturnStatement(statement))
    .map(({ expression }) => unwrap(expression));
  if (list === undefined || !ts.isObjectLiteralExpression(list)) return undefined;

  const names = list.properties.map(({ name }) =>
    name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined,
  );
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** Lists operations without a handler and handlers without an operation, one line for each kind. */
export function listUnmatched(operationIds: readonly string[], handlerNames: readonly string[]): readonly string[] {
  const missing = operationIds.filter((operationId) => !handlerNames.includes(operationId));
  const stale = handlerNames.filter((name) => !operationIds.includes(name));
  return [
    ...(missing.length > 0 ? [`operations without a handler: ${missing.join(', ')}`] : []),
    ...(stale.length > 0 ? [`handlers without an operation: ${stale.join(', ')}`] : []),
  ];
}

/** Removes parentheses and type assertions: `({ … }) satisfies Handlers` -> `{ … }`. */
function unwrap(node: ts.Expression | undefined): ts.Expression | undefined {
  return node !== undefined &&
    (ts.isSatisfiesExpression(node) || ts.isAsExpression(node) || ts.isParenthesizedExpression(node))
    ? unwrap(node.expression)
    : node;
}
