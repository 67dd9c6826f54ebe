import type { Document, ResponseObject } from './document.ts';
import { dereference } from './reference.ts';
import type { Remark } from './unsupported.ts';
import { walkDocument } from './walk.ts';

const WITHOUT_CONTENT = /\/responses\/(?:1\w\w|204|205|304)$/;

/**
 * Removes parts in place that contradict others, so that no request or response could be valid: a type that no value of an
 * `enum` has, and the content of a response that has none (RFC 9110, 6.4.1).
 *
 * @returns a warning for each
 */
export function removeContradictions(document: Document): Remark[] {
  const warnings: Remark[] = [];
  walkDocument(document, ({ kind, node, pointer, holder, key }) => {
    if (kind === 'response' && !pointer.startsWith('#/components/') && WITHOUT_CONTENT.test(pointer)) {
      const { content, ...response } = dereference(document, node) as ResponseObject;
      if (content === undefined) return;
      warnings.push({ pointer, message: `the content is not used, since a response ${key} has none` });
      holder[key] = response;
      return;
    }
    const { type, nullable, enum: values } = node;
    if (kind !== 'schema' || type === undefined || !Array.isArray(values)) return;
    const types = [type, nullable === true ? 'null' : []].flat();
    if (values.some((value) => types.includes(typeOf(value)) || (Number.isInteger(value) && types.includes('integer'))))
      return;
    const text = JSON.stringify(type);
    warnings.push({ pointer, message: `the type ${text} is not used, since no value of enum has it` });
    Reflect.deleteProperty(node, 'type');
  });
  return warnings;
}

/** Returns the type of a value as JSON Schema names it; for integers, `number`. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
