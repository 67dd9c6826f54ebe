import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser, type Expression, type ObjectExpression, type Program } from 'acorn';

/** An object literal in the source text of a module, with its property names. */
export type ObjectInSource = { readonly object: ObjectExpression; readonly names: readonly string[] };

/** A TypeScript assertion, which Acorn's types lack. */
type Assertion =
  | { readonly type: 'TSSatisfiesExpression'; readonly expression: Expression }
  | { readonly type: 'TSAsExpression'; readonly expression: Expression };

const TypeScriptParser = Parser.extend(tsPlugin());

/**
 * Finds the object literal that a function returns or that initializes a constant, and reads its property names without
 * running the module.
 *
 * @param name the name of the function or constant
 * @returns `undefined` if there is no object literal, or if its names require type checking (`...others`)
 */
export function findObject(source: string, name: string): ObjectInSource | undefined {
  const [object] = statementsOf(source)
    .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
    .flatMap((statement) => {
      if (statement?.type === 'FunctionDeclaration' && statement.id.name === name)
        return statement.body.body.flatMap((inner) => (inner.type === 'ReturnStatement' ? [inner.argument] : []));
      if (statement?.type !== 'VariableDeclaration') return [];
      return statement.declarations
        .filter(({ id }) => id.type === 'Identifier' && id.name === name)
        .map(({ init }) => init);
    })
    .map(unwrap);
  if (object?.type !== 'ObjectExpression') return undefined;

  const names = object.properties.map((property) => {
    if (property.type === 'SpreadElement' || property.computed) return undefined;
    const { key } = property;
    return key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined;
  });
  return names.every((key) => key !== undefined) ? { object, names } : undefined;
}

/** Returns whether a name is a valid identifier and not a keyword. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'undefined' && statementsOf(`let ${name};`).length === 1;
}

/** Returns the statements of a module; none if it has syntax errors. */
function statementsOf(source: string): Program['body'] {
  try {
    return TypeScriptParser.parse(source, { sourceType: 'module', ecmaVersion: 'latest', locations: true }).body;
  } catch {
    return [];
  }
}

/** Removes type assertions: `{ … } satisfies Handlers` -> `{ … }`. */
function unwrap(node: Expression | Assertion | null | undefined): Expression | null | undefined {
  return node?.type === 'TSSatisfiesExpression' || node?.type === 'TSAsExpression' ? unwrap(node.expression) : node;
}
