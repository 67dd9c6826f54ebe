import ts from 'typescript';

/** A change of a source file that a test should detect. */
export type Mutant = {
  readonly file: string;
  readonly line: number;
  /** The description: `< → <=`. */
  readonly change: string;
  /** The text of the changed file. */
  readonly text: string;
};

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
};
const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
};

/** Returns the mutants of a TypeScript file. Each changes one operator, condition, literal, method or call. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  visit(parsed);
  return mutants;

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node)) return;
    mutate(node);
    ts.forEachChild(node, visit);
  }

  function mutate(node: ts.Node): void {
    if (ts.isBinaryExpression(node)) replace(node.operatorToken, OPERATORS[node.operatorToken.getText()]);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      replace(node, node.operand.getText());
    if (ts.isIfStatement(node)) replace(node.expression, `!(${node.expression.getText()})`);
    if (ts.isConditionalExpression(node)) replace(node.condition, `!(${node.condition.getText()})`);
    // Larger numbers are limits, for which tests need not detect a difference of 1.
    if (ts.isNumericLiteral(node) && Number(node.text) < 10) replace(node, `(${node.text} + 1)`);
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true');
    if (ts.isPropertyAccessExpression(node)) replace(node.name, METHODS[node.name.text]);
    if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) replace(node, ';');
  }

  function replace(node: ts.Node, replacement: string | undefined): void {
    if (replacement === undefined) return;
    const line = parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const text = `${source.slice(0, node.getStart())}${replacement}${source.slice(node.getEnd())}`;
    mutants.push({ file, line, change: `${node.getText()} → ${replacement}`, text });
  }
}
