import { readFileSync } from 'node:fs';
import { describeSystemError } from '@contract-first/contract';
import type { Node, YAMLMap } from 'yaml';
import { loadYaml } from '../files/load-yaml.ts';
import type { CommandDeclaration, OptionDeclaration, OptionKind } from './declaration.ts';
import type { GivenOption } from './option-reader.ts';

/** The options file of a project. It is optional. */
const OPTIONS_FILE = '.contract.yaml';

/** The sections of an options file. Other members of the file are options of `check` and `proxy`. */
const SECTIONS = ['diff', 'mock'] as const;

/**
 * Reads the options of a command in a YAML file. Collects problems in a list.
 *
 * @param path by default, the path of an optional file
 */
export function readOptionsFile(
  path: string | undefined,
  { section, options }: Pick<CommandDeclaration, 'section' | 'options'>,
  problems: string[],
): ReadonlyMap<string, GivenOption> {
  const found = new Map<string, GivenOption>();
  const file = path ?? OPTIONS_FILE;
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (path !== undefined || !isMissing) problems.push(`${file}: cannot be read: ${describeSystemError(error)}`);
    return found;
  }
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const placeAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${String(line)}:${String(col)}`;
  };
  for (const { pos, message } of document.errors) problems.push(`${placeAt(pos[0])} ${message.replace(/\n[^]*/, '')}`);
  const { contents } = document;
  if (contents === null || document.errors.length > 0) return found;
  if (!isMap<Node, Node | null>(contents)) {
    problems.push(`${file} must have options by name, such as "runs: 50"`);
    return found;
  }
  const inFile = options.filter(({ where }) => where !== 'line');
  const isShared = ({ where }: OptionDeclaration): boolean => where === 'shared';
  readMembers(contents, section === undefined ? inFile : inFile.filter(isShared), section === undefined);
  if (section === undefined) return found;
  const pair = contents.items.find(({ key }) => String(key) === section);
  const own = pair?.value;
  if (isMap<Node, Node | null>(own))
    readMembers(
      own,
      inFile.filter((option) => !isShared(option)),
      true,
    );
  else if (own !== undefined) problems.push(`${placeAt(pair?.key.range[0] ?? 0)} ${section} must be ${SHAPES.map}`);
  return found;

  function readMembers(
    map: YAMLMap<Node, Node | null>,
    known: readonly OptionDeclaration[],
    areOthersRefused: boolean,
  ): void {
    for (const { key, value } of map.items) {
      const name = String(key);
      if (map === contents && SECTIONS.some((other) => other === name)) continue;
      const kind = known.find((option) => option.name === name)?.kind;
      const place = `${placeAt(key.range?.[0] ?? 0)} ${name}`;
      if (kind !== undefined) readMember(name, kind, value, place);
      else if (areOthersRefused)
        problems.push(`${place} is not an option; there are ${known.map((option) => option.name).join(', ')}`);
    }
  }

  function readMember(name: string, kind: OptionKind, value: Node | null, place: string): void {
    if (kind === 'data') return;
    const texts = kind === 'pairs' && isMap<Node, Node | null>(value) ? pairsOf(value) : textsOf(value);
    const flag = isScalar(value) ? value.value : undefined;
    if (kind === 'map' && isMap<Node, Node | null>(value)) {
      const members = value.items.map((member) => [String(member.key), member.value?.toJS(document)] as const);
      found.set(name, { place, values: [], members: new Map<string, unknown>(members) });
    } else if (kind === 'flag') {
      if (flag === true) found.set(name, { place, values: [] });
      else if (flag !== false) problems.push(`${place} must be ${SHAPES.flag}`);
    } else if (texts === undefined || kind === 'map' || (kind === 'text' && isSeq(value))) {
      problems.push(`${place} must be ${SHAPES[kind]}`);
    } else found.set(name, { place, values: texts });
  }
}

const SHAPES: Readonly<Record<OptionKind, string>> = {
  text: 'a text or a number',
  list: 'a text or a list of texts',
  pairs: 'a map of texts, or a list of texts such as NAME=TEXT',
  flag: 'true or false',
  map: 'a map',
  data: 'data',
};

/** Returns the members of a map as `NAME=TEXT`; `undefined` if a value is not text. */
function pairsOf({ items }: YAMLMap<Node, Node | null>): readonly string[] | undefined {
  const pairs = items.map(({ key, value }) => textsOf(value)?.map((text) => `${String(key)}=${text}`));
  return pairs.every((pair) => pair !== undefined) ? pairs.flat() : undefined;
}

/** Returns the texts of a scalar or a list; `undefined` for other values. */
function textsOf(node: Node | null): readonly string[] | undefined {
  const { isScalar, isSeq } = loadYaml();
  const scalars = isSeq(node) ? node.items : [node];
  const texts = scalars.map((scalar) =>
    isScalar(scalar) && ['string', 'number'].includes(typeof scalar.value) ? String(scalar.value) : undefined,
  );
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
