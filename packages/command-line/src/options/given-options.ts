import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type YAMLMap } from 'yaml';

/** A given option: its values, or the members of a map, and its place for messages. A flag has neither. */
export type GivenOption = {
  readonly values: readonly string[];
  readonly members?: ReadonlyMap<string, unknown>;
  readonly place: string;
};

/**
 * The kind of an option: one text, a list of texts, pairs (`NAME=TEXT`, or a map in a file), a flag without a value, or
 * a map, which only a file may contain.
 */
export type OptionKind = 'text' | 'list' | 'pairs' | 'flag' | 'map';
type OptionKinds = ReadonlyMap<string, OptionKind>;

/**
 * Parses the command line. Collects problems in a list.
 *
 * @param unnamed the name under which positional values are found
 */
export function readCommandLine(
  args: readonly string[],
  kinds: OptionKinds,
  unnamed: string,
  problems: string[],
): ReadonlyMap<string, GivenOption> {
  const options = [...kinds].map(([name, kind]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' }] as const);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false, // With `strict`, parseArgs reports only the first problem.
    tokens: true,
  });
  const found = new Map<string, { readonly values: string[]; readonly place: string }>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    const { name, rawName } = token.kind === 'option' ? token : { name: unnamed, rawName: '' };
    const isOtherOption = token.kind === 'option' && token.inlineValue === false && token.value.startsWith('--');
    const value = isOtherOption ? undefined : token.value;
    const isUnnamed = token.kind === 'positional';
    const place = isUnnamed ? name.toUpperCase() : `--${name}`;
    const kind = isUnnamed || name !== unnamed ? kinds.get(name) : undefined;
    const { values } = found.get(name) ?? { values: [] };
    if (kind === undefined) problems.push(`${rawName} is not an option; see --help`);
    else if (kind === 'flag' && value !== undefined) problems.push(`${place} has no value`);
    else if (kind !== 'flag' && value === undefined) problems.push(`${place} needs a value`);
    else if (kind === 'text' && values.length > 0) problems.push(`${place} may be given once`);
    else found.set(name, { place, values: value === undefined ? values : [...values, value] });
  }
  return found;
}

/**
 * Parses the options in a YAML file. Collects problems in a list.
 *
 * @param isOptional whether the file may be missing
 */
export function readOptionsFile(
  path: string,
  isOptional: boolean,
  kinds: OptionKinds,
  problems: string[],
): ReadonlyMap<string, GivenOption> {
  const found = new Map<string, GivenOption>();
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isOptional || !isMissing) problems.push(`${path}: cannot be read: ${(error as Error).message}`);
    return found;
  }
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  const placeAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${String(line)}:${String(col)}`;
  };
  for (const { pos, message } of document.errors) problems.push(`${placeAt(pos[0])} ${message.replace(/\n[^]*/, '')}`);
  const { contents } = document;
  if (contents === null || document.errors.length > 0) return found;
  if (!isMap<Node, Node | null>(contents)) {
    problems.push(`${path} must have options by name, such as "runs: 50"`);
    return found;
  }
  for (const { key, value } of contents.items) {
    const name = String(key);
    const [place, kind] = [`${placeAt(key.range[0])} ${name}`, kinds.get(name)];
    const texts = kind === 'pairs' && isMap<Node, Node | null>(value) ? pairsOf(value) : textsOf(value);
    const flag = isScalar(value) ? value.value : undefined;
    if (kind === undefined) problems.push(`${place} is not an option; there are ${[...kinds.keys()].join(', ')}`);
    else if (kind === 'map' && isMap<Node, Node | null>(value)) {
      const members = value.items.map((member) => [String(member.key), member.value?.toJS(document)] as const);
      found.set(name, { place, values: [], members: new Map<string, unknown>(members) });
    } else if (kind === 'flag') {
      if (flag === true) found.set(name, { place, values: [] });
      else if (flag !== false) problems.push(`${place} must be ${SHAPES.flag}`);
    } else if (texts === undefined || kind === 'map' || (kind === 'text' && isSeq(value))) {
      problems.push(`${place} must be ${SHAPES[kind]}`);
    } else found.set(name, { place, values: texts });
  }
  return found;
}

const SHAPES: Readonly<Record<OptionKind, string>> = {
  text: 'a text or a number',
  list: 'a text or a list of texts',
  pairs: 'a map of texts, or a list of texts such as NAME=TEXT',
  flag: 'true or false',
  map: 'a map',
};

/** Returns the members of a map as `NAME=TEXT`; `undefined` if a value is not text. */
function pairsOf({ items }: YAMLMap<Node, Node | null>): readonly string[] | undefined {
  const pairs = items.map(({ key, value }) => textsOf(value)?.map((text) => `${String(key)}=${text}`));
  return pairs.every((pair) => pair !== undefined) ? pairs.flat() : undefined;
}

/** Returns the texts of a scalar or a list; `undefined` for other values. */
function textsOf(node: Node | null): readonly string[] | undefined {
  const scalars = isSeq(node) ? node.items : [node];
  const texts = scalars.map((scalar) =>
    isScalar(scalar) && ['string', 'number'].includes(typeof scalar.value) ? String(scalar.value) : undefined,
  );
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
