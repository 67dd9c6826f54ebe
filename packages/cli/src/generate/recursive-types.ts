import ts from 'typescript';

const { factory } = ts;

/**
 * Moves types that contain themselves through lists, such as `string | Value[]`, to type aliases. TypeScript rejects them
 * as types of properties.
 *
 * @param nodes the declarations of openapi-typescript
 * @returns the declarations, and the aliases after them
 */
export function withRecursiveAliases(nodes: readonly ts.Node[]): readonly ts.Node[] {
  const types = new Map(nodes.flatMap(readSchemas).flatMap(({ name, type }) => (type ? [[textOf(name), type]] : [])));
  const references = new Map([...types].map(([name, type]) => [name, referencesOf(type)]));
  const recursive = [...types.keys()].filter((name) => reaches(references, name));
  const aliases = new Map<string, string>();
  for (const name of recursive) aliases.set(name, unused(`Recursive${name.replaceAll(/\W/g, '_')}`, aliases));
  if (aliases.size === 0) return nodes;

  const declarations = recursive.map((name) => {
    const type = replaceReferences(types.get(name) as ts.TypeNode, aliases); // It has a type: see above.
    return factory.createTypeAliasDeclaration(undefined, aliases.get(name) ?? '', undefined, type);
  });
  return [...nodes.map((node) => replaceSchemas(node, aliases)), ...declarations];
}

/** Returns the properties of `components['schemas']`. */
function readSchemas(node: ts.Node): readonly ts.PropertySignature[] {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'components') return [];
  const schemas = node.members.filter(ts.isPropertySignature).find(({ name }) => textOf(name) === 'schemas');
  return schemas?.type !== undefined && ts.isTypeLiteralNode(schemas.type)
    ? schemas.type.members.filter(ts.isPropertySignature)
    : [];
}

/** Replaces the types of the properties that have an alias. */
function replaceSchemas(declaration: ts.Node, aliases: ReadonlyMap<string, string>): ts.Node {
  const schemas = new Set<ts.Node>(readSchemas(declaration));
  return rewrite(declaration, (node) => {
    if (!schemas.has(node) || !ts.isPropertySignature(node)) return undefined;
    const alias = aliases.get(textOf(node.name));
    const type = alias === undefined ? node.type : factory.createTypeReferenceNode(alias);
    return factory.updatePropertySignature(node, node.modifiers, node.name, node.questionToken, type);
  });
}

function replaceReferences(type: ts.TypeNode, aliases: ReadonlyMap<string, string>): ts.TypeNode {
  const replaced = rewrite(type, (node) => {
    const alias = aliases.get(referenceOf(node) ?? '');
    return alias === undefined ? undefined : factory.createTypeReferenceNode(alias);
  });
  return replaced as ts.TypeNode; // Types are replaced by types.
}

/** Rewrites the nodes for which `replace` returns another node. */
function rewrite(root: ts.Node, replace: (node: ts.Node) => ts.Node | undefined): ts.Node {
  const { transformed } = ts.transform(root, [
    (context) => {
      const visit = (node: ts.Node): ts.Node => replace(node) ?? ts.visitEachChild(node, visit, context);
      return visit;
    },
  ]);
  return transformed[0] ?? root;
}

/** Returns the schemas that a type refers to, except in the properties of objects, where TypeScript allows cycles. */
function referencesOf(type: ts.Node): readonly string[] {
  if (ts.isTypeLiteralNode(type)) return [];
  const reference = referenceOf(type);
  if (reference !== undefined) return [reference];
  const found: string[] = [];
  ts.forEachChild(type, (child) => void found.push(...referencesOf(child)));
  return found;
}

/** Returns the name of the schema for `components['schemas']['name']`. */
function referenceOf(node: ts.Node): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return undefined;
  const { objectType: root, indexType: kind } = node.objectType;
  const isSchema = ts.isTypeReferenceNode(root) && textOf(root.typeName) === 'components' && textOf(kind) === 'schemas';
  return isSchema ? textOf(node.indexType) : undefined;
}

/** Whether a name reaches itself. */
function reaches(references: ReadonlyMap<string, readonly string[]>, name: string): boolean {
  const reached = new Set<string>();
  const next = [...(references.get(name) ?? [])];
  for (let current = next.pop(); current !== undefined; current = next.pop()) {
    if (reached.has(current)) continue;
    reached.add(current);
    next.push(...(references.get(current) ?? []));
  }
  return reached.has(name);
}

function textOf(node: ts.Node): string {
  if (ts.isLiteralTypeNode(node)) return textOf(node.literal);
  return ts.isIdentifier(node) || ts.isStringLiteral(node) ? node.text : '';
}

function unused(name: string, aliases: ReadonlyMap<string, string>): string {
  const names = new Set(aliases.values());
  let unique = name;
  for (let number = 2; names.has(unique); number += 1) unique = `${name}${String(number)}`;
  return unique;
}
