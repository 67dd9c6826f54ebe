import ts from 'typescript';

/** An object literal in the source text of a module. */
export type ObjectInSource = { readonly object: ts.ObjectLiteralExpression; readonly names: readonly string[] };

/**
 * Finds the object literal that a function returns, or that a constant has as its value, and reads the names of its
 * properties without running the module.
 *
 * @param name the name of the function or constant
 * @returns `undefined` without such an object literal, or when only the type checker knows its names (`...others`)
 */
export function findObject(source: string, name: string): ObjectInSource | undefined {
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest);
  const [object] = file.statements
    .flatMap((statement) => {
      if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) {
        return (statement.body?.statements ?? []).flatMap((inner) =>
          ts.isReturnStatement(inner) ? [inner.expression] : [],
        );
      }
      if (!ts.isVariableStatement(statement)) return [];
      return statement.declarationList.declarations
        .filter((declaration) => ts.isIdentifier(declaration.name) && declaration.name.text === name)
        .map(({ initializer }) => initializer);
    })
    .map(unwrap);
  if (object === undefined || !ts.isObjectLiteralExpression(object)) return undefined;

  const names = object.properties.map(({ name: key }) =>
    key !== undefined && (ts.isIdentifier(key) || ts.isStringLiteral(key)) ? key.text : undefined,
  );
  return names.every((key) => key !== undefined) ? { object, names } : undefined;
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
