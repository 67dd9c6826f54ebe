import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { compilePattern } from '../../src/engine/contract/pattern.ts';
import type { Document } from './document.ts';
import type { Remark } from './unsupported.ts';
import { walkDocument } from './walk.ts';

// The other keywords contain schemas, or are not for values alone.
const CHECKED = [
  ...['type', 'nullable', 'enum', 'const', 'format', 'pattern', 'minLength', 'maxLength', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems', 'required'],
];

/**
 * Removes defaults that do not fit their own schema, such as `default: ''` of a number: each request without the value
 * would be refused.
 *
 * @returns a warning for each
 */
export function removeInvalidDefaults(document: Document): Remark[] {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    logger: false,
    code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
  });
  ajvFormats.default(ajv);
  const verdicts = new Map<string, boolean>();
  const warnings: Remark[] = [];
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind !== 'schema' || node['default'] === undefined) return;
    // Exclusive bounds are booleans in OpenAPI 3.0.
    const checked = Object.entries(node).filter(
      ([keyword, value]) =>
        CHECKED.includes(keyword) && !(keyword.startsWith('exclusive') && typeof value === 'boolean'),
    );
    const key = JSON.stringify([checked, node['default']]);
    const isValid = verdicts.get(key) ?? ajv.validate(Object.fromEntries(checked), node['default']);
    verdicts.set(key, isValid);
    if (isValid) return;
    const text = JSON.stringify(node['default']);
    warnings.push({ pointer, message: `the default ${text} is not used, since it does not fit its schema` });
    Reflect.deleteProperty(node, 'default');
  });
  return warnings;
}
