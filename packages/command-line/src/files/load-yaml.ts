import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

const require = createRequire(import.meta.url);

/** Loads the YAML library at its first use: it has 72 modules, and most runs read no options file. */
export function loadYaml(): typeof Yaml {
  return require('yaml') as typeof Yaml; // The module has this type.
}
