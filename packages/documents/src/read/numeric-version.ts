import type { OpenApiDocument } from '../document/reference.ts';
import type { Diagnostic } from './diagnostic.ts';

/**
 * Reads a version of the API that was written as a number, such as `version: 1`, as a string.
 *
 * @param document may be invalid; is modified
 *
 * @returns a warning if the version was a number
 */
export function readNumericVersion(document: OpenApiDocument): readonly Diagnostic[] {
  const info = Object(document['info']) as Record<string, unknown>;
  if (typeof info['version'] !== 'number') return [];
  info['version'] = String(info['version']);
  const message = `version is a number, and is read as "${String(info['version'])}": write it in quotes`;
  return [{ pointer: '#/info/version', message }];
}
