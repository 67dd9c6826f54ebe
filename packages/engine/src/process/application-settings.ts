import { VARIABLES } from '@contract-first/contract';
import type { Setting, Settings, SettingsOf } from '../settings.ts';
import { EnvironmentReader } from './environment.ts';

const NAME = /^[A-Z][A-Z0-9_]*$/;
// Variables that Node and the OpenTelemetry SDK read themselves.
const FOREIGN = /^(?:NODE|OTEL)_/;

/** Reads the settings that an application declares. Adds a problem for each missing, invalid or misnamed setting. */
export function readApplicationSettings(
  { variables, problems }: EnvironmentReader,
  declared: Settings,
): SettingsOf<Settings> {
  const entries = Object.entries(declared);
  const env = new EnvironmentReader(variables, namesOfSecrets(declared));
  const values = Object.fromEntries(entries.map(([name, setting]) => [name, readSetting(env, name, setting)]));
  problems.push(...env.problems);
  return Object.freeze(values);
}

/** Returns the names of the settings that are secrets. */
export function namesOfSecrets(declared: Settings): ReadonlySet<string> {
  return new Set(Object.entries(declared).flatMap(([name, { secret }]) => (secret === true ? [name] : [])));
}

function readSetting(env: EnvironmentReader, name: string, setting: Setting): string | number | boolean | undefined {
  if (!NAME.test(name)) {
    env.problems.push(`the setting ${name} needs another name: A to Z, 0 to 9 and _, beginning with a letter`);
  } else if (FOREIGN.test(name) || VARIABLES.includes(name)) {
    env.problems.push(`the setting ${name} needs another name: the service itself reads this variable`);
  } else if (env.variables[name] !== undefined) {
    return readValue(env, name, setting);
  } else if (setting.default === undefined && setting.optional !== true) {
    env.problems.push(`${name} must be set`);
  }
  return setting.default;
}

function readValue(env: EnvironmentReader, name: string, setting: Setting): string | number | boolean | undefined {
  switch (setting.type) {
    case 'integer':
      return env.integer(name, setting.minimum, setting.minimum, setting.maximum);
    case 'switch':
      return env.switch(name);
    case 'url':
      return env.url(name);
    case 'string':
      return setting.enum === undefined ? env.text(name) : env.oneOf(name, setting.enum);
  }
}
