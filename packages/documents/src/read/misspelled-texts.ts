import { escapePointer } from '@contract-first/contract';
import { OBJECTS } from '../document/objects.ts';
import type { OpenApiDocument } from '../document/reference.ts';
import { walkDocument } from '../document/walk.ts';
import type { Diagnostic } from './diagnostic.ts';

/**
 * Reads a version of the API that is a number, such as `version: 1`, as a string, and removes texts that are null, which
 * is a key without a value in YAML (`description:`).
 *
 * @param document may be invalid; is modified
 *
 * @returns a warning for each
 */
export function readMisspelledTexts(document: OpenApiDocument): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const info = Object(document['info']) as Record<string, unknown>;
  if (typeof info['version'] === 'number') {
    info['version'] = String(info['version']);
    const message = `version is a number, and is read as "${String(info['version'])}": write it in quotes`;
    found.push({ pointer: '#/info/version', message });
  }
  walkDocument(document, ({ kind, node, pointer }) => {
    const { members, required = [] } = OBJECTS[kind];
    for (const [name, value] of Object.entries(node)) {
      const isText = Object.hasOwn(members, name) && members[name]?.scalar === 'string';
      if (value !== null || !isText || required.includes(name)) continue;
      Reflect.deleteProperty(node, name);
      found.push({ pointer: `${pointer}/${escapePointer(name)}`, message: `${name} is null, and is ignored` });
    }
  });
  return found;
}
