import type { CommandDeclaration, OptionDeclaration } from '@contract-first/command-line/options';

const TEXT = { type: ['string', 'number'] };
const LIST = { anyOf: [TEXT, { type: 'array', items: TEXT }] };
const SCHEMAS: Readonly<Record<OptionDeclaration['kind'], object>> = {
  text: TEXT,
  list: LIST,
  pairs: { anyOf: [LIST, { type: 'object', additionalProperties: TEXT }] },
  flag: { type: 'boolean' },
  map: { type: 'object' },
  data: {},
};

/** Returns the JSON Schema of the options file of commands: their options, in sections or at the top level. */
export function optionsSchema(commands: readonly CommandDeclaration[]): object {
  const options = commands.flatMap((command) =>
    command.options.filter(({ where }) => where !== 'line').map((option) => ({ section: command.section, option })),
  );
  const sectionOf = ({ section, option }: (typeof options)[number]): string =>
    (option.where === 'shared' ? undefined : section) ?? '';
  const bySection = Map.groupBy(options, sectionOf);
  const propertiesIn = (section: string): object =>
    propertiesOf((bySection.get(section) ?? []).map(({ option }) => option));
  const sections = [...bySection.keys()].filter((name) => name !== '').sort();
  const ofSections = sections.map((name) => {
    return [name, { description: `Options of contract-first ${name}.`, ...objectOf(propertiesIn(name)) }] as const;
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'The options of contract-first: .contract.yaml',
    ...objectOf({ ...propertiesIn(''), ...Object.fromEntries(ofSections) }),
  };
}

function objectOf(properties: object): object {
  return { type: 'object', additionalProperties: false, properties };
}

function propertiesOf(options: readonly OptionDeclaration[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    options.map(({ name, kind, text, choices, schema = SCHEMAS[kind] }) => {
      const isClosed = kind === 'text' && choices !== undefined;
      return [name, { description: text, ...(isClosed ? { enum: choices } : schema) }];
    }),
  );
}
