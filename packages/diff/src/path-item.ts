import { METHODS } from '@contract-first/documents';
import { child, children, type Node } from './node.ts';

/** Returns the operations of a path item by method, including those for methods without a keyword of their own. */
export function operationsIn(item: Node): ReadonlyMap<string, Node> {
  const fixed = [...children(item)].filter(([key]) => METHODS.includes(key));
  return new Map([...fixed, ...children(child(item, 'additionalOperations'))]);
}
