import { basename, extname } from 'node:path';
import { describeSystemError, escapePointer } from '@contract-first/contract';
import { closestName, type SchemaNames, unusedName } from '../document/names.ts';
import { type Kind, OBJECTS } from '../document/objects.ts';
import { tokensOf } from '../document/reference.ts';
import { walk, walkDocument, type Visited } from '../document/walk.ts';
import type { PlacedDiagnostic } from './diagnostic.ts';
import { copyOf, type FileObject as Node, isFileObject, type SourceFile } from './file-objects.ts';
import { ParseError } from './parse.ts';
import { displayName, type SourceFiles } from './source-files.ts';

/**
 * The group in `components` for each kind of object. Objects of other kinds are copied to the places of their
 * references.
 */
const GROUPS: Readonly<Partial<Record<Kind, string>>> = {
  schema: 'schemas',
  parameter: 'parameters',
  response: 'responses',
  example: 'examples',
  requestBody: 'requestBodies',
  header: 'headers',
  link: 'links',
  callback: 'callbacks',
};
/**
 * For each kind, the members that are scalars, lists or maps. OpenAPI allows no references there, but many documents
 * have them.
 */
const PLAIN_MEMBERS = new Map(
  Object.entries(OBJECTS).map(([kind, { members }]) => [
    kind,
    Object.entries(members).filter(([, { holds, scalar }]) => holds !== 'one' && scalar !== 'any'),
  ]),
);
const SUPPORTED = /\.(?:ya?ml|json)$/i;
// Some tools resolve chained references recursively.
const MAX_CHAIN = 100;

/** A place in a file. The pointer begins without `#`. */
type Origin = { readonly file: SourceFile; readonly pointer: string };
/** The object that a reference leads to. */
type Target = Origin & { readonly node: unknown; /** Its name as a component on the way. */ readonly name?: string };
/** A reference to resolve: `holder[key]`. */
type Reference = Omit<Visited, 'node'> & {
  readonly file: SourceFile;
  readonly text: string;
  /** The name of the member that the reference replaces; `undefined` if the reference replaces the whole object. */
  readonly member?: string;
};

/** A document without references to other files. */
export type Bundle = {
  readonly document: unknown;
  readonly diagnostics: readonly PlacedDiagnostic[];
  /** Returns the place where a part of the document was written. */
  readonly originOf: (pointer: string) => Origin;
  readonly schemaNames: SchemaNames;
};

/** Replaces references to other files, in the order of the document. Other references are unchanged. */
export async function bundle(root: SourceFile, files: SourceFiles): Promise<Bundle> {
  const bundler = new Bundler(root, files);
  return bundler.bundle();
}

class Bundler {
  readonly #root: SourceFile;
  readonly #files: SourceFiles;
  readonly #document: Node;
  readonly #diagnostics: PlacedDiagnostic[] = [];
  /** Grows while it is processed. */
  readonly #references: (() => Promise<void>)[] = [];
  /** The origins of the parts that come from other places, by pointer in the bundle. */
  readonly #origins = new Map<string, Origin>();
  /** The component for each target that became a component, by the kind and the place of the target. */
  readonly #components = new Map<string, { readonly name: string; readonly target: Target }>();
  readonly #added: Record<string, Node> = {};
  /** The targets that were copied to references, with the pointers of the copies. */
  readonly #copies: { readonly id: string; readonly pointer: string }[] = [];
  readonly #merges: (() => void)[] = [];
  readonly #visited = new Set<object>();
  readonly #unreadable = new Set<string>();
  /** The schemas whose children were added. */
  readonly #parents = new Set<string>();

  constructor(root: SourceFile, files: SourceFiles) {
    this.#root = root;
    this.#files = files;
    this.#document = copyOf(root.parsed) as Node; // A document with a version.
    this.#origins.set('', { file: root, pointer: '' });
  }

  async bundle(): Promise<Bundle> {
    await this.#nameAliases();
    walkDocument(this.#document, this.#visitor(this.#root));
    for (const resolve of this.#references) await resolve();
    for (const merge of this.#merges.toReversed()) merge();
    const components = Object(this.#document['components']) as Node;
    const groups = Object.entries(this.#added).map(([group, added]) => {
      return [group, { ...(Object(components[group]) as Node), ...added }] as const;
    });
    if (groups.length > 0) this.#document['components'] = { ...components, ...Object.fromEntries(groups) };
    return {
      document: this.#document,
      diagnostics: this.#diagnostics,
      originOf: (pointer) => this.#originOf(pointer.replace(/^#/, '')),
      schemaNames: await this.#schemaNames(),
    };
  }

  /**
   * If a component of the document only refers to a target in another file, the target gets the name of the component.
   */
  async #nameAliases(): Promise<void> {
    for (const [kind, group] of Object.entries(GROUPS)) {
      const aliases = Object.entries(groupOf(this.#root.parsed, group));
      for (const [name, node] of aliases) {
        if (!isAlias(node) || isLocal(node.$ref)) continue;
        const target = await this.#targetOf(this.#root, node.$ref).catch(() => undefined);
        if (target === undefined || target.file === this.#root) continue;
        const own = componentName(target.pointer);
        const id = `${kind} ${idOf(target)}`;
        // A file's own name of a schema is a value of discriminators.
        if (!this.#components.has(id) && (own === undefined || own === name))
          this.#components.set(id, { name, target });
      }
    }
  }

  #visitor(file: SourceFile): (visited: Visited) => void {
    return ({ kind, node, pointer, holder, key }) => {
      this.#visited.add(node);
      const { $ref: text } = node;
      if (typeof text === 'string') this.#add({ kind, pointer, holder, key, file, text });
      const aliases = Object.keys(node).filter((name) => isAlias(node[name]));
      for (const [name, { kind: memberKind }] of aliases.length === 0 ? [] : (PLAIN_MEMBERS.get(kind) ?? [])) {
        const member = aliases.includes(name) ? node[name] : undefined;
        if (!isAlias(member)) continue;
        const place = { kind, pointer: `${pointer}/${name}`, holder: node as Node, key: name, member: name };
        if (memberKind !== undefined) this.#add({ ...place, file, text: member.$ref });
        else this.#references.push(() => this.#replaceValue(node, name, member.$ref, file, place.pointer));
      }
      if (kind === 'discriminator') this.#visitMapping(node, file);
      if (kind === 'example') this.#visitExample(node, file);
    };
  }

  #add(reference: Reference): void {
    this.#references.push(() => this.#resolve(reference));
  }

  async #resolve(reference: Reference): Promise<void> {
    const { kind, holder, key, pointer, file, text, member } = reference;
    const target = await this.#targetOf(file, text).catch((error: unknown) => {
      this.#report(error as Error, file, pointer);
    });
    if (target === undefined) return;
    const node = holder[key] as Node;
    const isReferable = OBJECTS[kind].isReferable === true && member === undefined;
    const group = member === undefined ? GROUPS[kind] : undefined;
    if (target.file === this.#root && isReferable) {
      if (!isLocal(text) || file !== this.#root) node['$ref'] = fragmentOf(target.pointer);
      this.#visitUnknown(kind, target);
    } else if (group !== undefined) {
      const name = await this.#nameOf(kind, group, target, reference);
      const component = `/components/${group}/${escapePointer(name)}`;
      if (`#${component}` === pointer && file === this.#root) this.#replace(reference, target);
      else node['$ref'] = fragmentOf(component);
      if (kind === 'schema' && isHead(target.node)) await this.#addChildren(target, reference);
    } else {
      const outer = this.#copies.find(
        ({ id, pointer: place }) => id === idOf(target) && pointer.startsWith(`${place}/`),
      );
      if (outer !== undefined) {
        if (isReferable) node['$ref'] = fragmentOf(outer.pointer.slice(1));
        else this.#report(new Error('$ref leads back to itself'), file, pointer);
        return;
      }
      this.#copies.push({ id: idOf(target), pointer });
      const siblings = { ...node };
      Reflect.deleteProperty(siblings, '$ref');
      this.#replace(reference, target);
      if (Object.keys(siblings).length > 0)
        this.#merges.push(() => {
          holder[key] = { ...(holder[key] as Node), ...siblings };
        });
    }
  }

  /** Replaces a reference with a copy of its target. */
  #replace({ kind, holder, key, pointer, member }: Reference, target: Target): void {
    this.#origins.set(pointer.slice(1), target);
    const copy = copyOf(target.node);
    holder[key] = copy;
    const visit = this.#visitor(target.file);
    if (member === undefined) walk(kind, holder, key, pointer, visit);
    else walk(kind, { '': { [member]: copy } }, '', pointer.slice(0, -member.length - 1), visit);
  }

  /** Visits a part of the document that only references lead to, such as a schema in an unknown keyword. */
  #visitUnknown(kind: Kind, { pointer }: Target): void {
    const steps = tokensOf(fragmentOf(pointer));
    const key = steps.at(-1) ?? '';
    const holder = steps.slice(0, -1).reduce<unknown>((node, step) => memberOf(node, step), this.#document);
    const node = memberOf(holder, key);
    if (
      isFileObject(node) &&
      isFileObject(holder) &&
      !this.#visited.has(node) &&
      this.#originOf(pointer).file === this.#root
    )
      walk(kind, holder, key, `#${pointer}`, this.#visitor(this.#root));
  }

  /** Returns the name of the component for a target. Adds the component if there is none. */
  async #nameOf(kind: Kind, group: string, target: Target, { file, pointer }: Reference): Promise<string> {
    const id = `${kind} ${idOf(target)}`;
    const known = this.#components.get(id);
    if (known !== undefined) return known.name;
    const { file: from, pointer: place } = target;
    const last = place === '' ? basename(from.path, extname(from.path)) : tokensOf(`#${place}`).at(-1);
    const characters = (target.name ?? last ?? '').replaceAll(/[^\w.-]+/g, '_');
    const wanted = characters === '' ? kind : characters; // A pointer may end with an empty name.
    const existing = groupOf(this.#root.parsed, group);
    const components = [...this.#components].filter(([key]) => key.startsWith(`${kind} `)).map(([, one]) => one);
    const same = components.find(({ name }) => name === wanted)?.target ?? {
      file: this.#root,
      pointer: `/components/${group}/${escapePointer(wanted)}`,
      node: existing[wanted],
    };
    if (same.node !== undefined && (await this.#isEqual(same, target))) {
      this.#components.set(id, { name: wanted, target: same });
      return wanted;
    }
    const added = (this.#added[group] ??= Object.create(null) as Node); // May have a component named __proto__.
    const isTaken = (name: string): boolean =>
      Object.hasOwn(existing, name) || components.some((one) => one.name === name);
    const name = unusedName(wanted, isTaken, '-');
    if (name !== wanted) {
      const message = `is ${name} in the bundle, since ${wanted} of ${displayName(same.file.path)} is another component`;
      this.#diagnostics.push({ severity: 'warn', place: this.#placeOf(file, pointer), message });
    }
    this.#components.set(id, { name, target });
    const component = `/components/${group}/${escapePointer(name)}`;
    this.#origins.set(component, target);
    added[name] = copyOf(target.node);
    walk(kind, added, name, `#${component}`, this.#visitor(target.file));
    return name;
  }

  /**
   * Adds the children of a schema with a discriminator in another file: the schemas of the same map that contain it in
   * `allOf`. The document may have no reference to them.
   */
  async #addChildren(parent: Target, reference: Reference): Promise<void> {
    const id = idOf(parent);
    if (this.#parents.has(id)) return;
    this.#parents.add(id);
    const { file } = parent;
    const steps = tokensOf(`#${parent.pointer}`).slice(0, -1);
    const beside = parent.pointer === '' ? undefined : steps.reduce(memberOf, file.parsed);
    for (const [name, node] of Object.entries(Object(beside) as Node)) {
      const parts = memberOf(node, 'allOf');
      const isChild =
        Array.isArray(parts) && parts.some((part) => isFileObject(part) && this.#idIn(file, part['$ref']) === id);
      if (!isChild) continue;
      const child: Target = { file, pointer: pointerOf([...steps, name]), node, name };
      await this.#nameOf('schema', 'schemas', child, reference);
      await this.#addChildren(child, reference);
    }
  }

  /** Returns the place that a reference names, without opening a file. */
  #idIn(file: SourceFile, reference: unknown): string | undefined {
    if (typeof reference !== 'string') return undefined;
    const [path = '', fragment = ''] = reference.split('#');
    return `${path === '' ? file.path : this.#files.pathOf(path, file)}#${pointerOf(tokensOf(`#${fragment}`))}`;
  }

  /** Returns whether two targets have the same content, with the targets of their references. */
  async #isEqual(one: Target, other: Target, compared = new Set<string>()): Promise<boolean> {
    const pair = `${idOf(one)} ${idOf(other)}`;
    if (idOf(one) === idOf(other) || compared.has(pair)) return true;
    compared.add(pair);
    const compare = async (left: unknown, right: unknown): Promise<boolean> => {
      if (!isFileObject(left) || !isFileObject(right)) return JSON.stringify(left) === JSON.stringify(right);
      const { $ref: from, ...members } = left;
      const { $ref: to, ...others } = right;
      if (typeof from === 'string' && typeof to === 'string') {
        const targets = await Promise.all([this.#targetOf(one.file, from), this.#targetOf(other.file, to)]).catch(
          () => undefined,
        );
        if (targets === undefined || !(await this.#isEqual(...targets, compared))) return false;
      } else if (from !== to) return false;
      const names = Object.keys(members);
      if (names.length !== Object.keys(others).length || Array.isArray(left) !== Array.isArray(right)) return false;
      for (const name of names)
        if (!Object.hasOwn(others, name) || !(await compare(members[name], others[name]))) return false;
      return true;
    };
    return compare(one.node, other.node);
  }

  /** Follows a reference to its final target, or to a reference with siblings. @throws with the reason */
  async #targetOf(file: SourceFile, text: string, length = 0): Promise<Target> {
    if (length === MAX_CHAIN) throw new Error(`$ref leads through more than ${String(MAX_CHAIN)} others`);
    const [path = '', ...rest] = text.split('#');
    const fragment = rest.join('#');
    const next = path === '' ? file : await this.#open(this.#files.pathOf(path, file), text);
    const steps = fragment === '' ? [] : tokensOf(`#${fragment}`);
    if (fragment !== '' && !fragment.startsWith('/')) {
      const advice = fragment.includes('/') ? `: did you mean ${path}#/${fragment}?` : '';
      throw new Error(`$ref leads to nothing: no $anchor is ${fragment}${advice}`);
    }
    let node: unknown = next.parsed;
    for (const [index, step] of steps.entries()) {
      const member = memberOf(node, step);
      if (member === undefined) throw missing(next, steps.slice(0, index), step, node, next !== file);
      node = member;
    }
    const pointer = pointerOf(steps);
    const name = componentName(pointer);
    if (!isAlias(node)) return { file: next, pointer, node, ...(name !== undefined && { name }) };
    if (next === this.#root && isLocal(node.$ref)) return { file: next, pointer, node };
    const target = await this.#targetOf(next, node.$ref, length + 1);
    return { ...target, ...(name !== undefined && target.name === undefined && { name }) };
  }

  async #open(path: string, text: string): Promise<SourceFile> {
    return this.#reading(text, () =>
      this.#files.open(path).catch((error: unknown) => {
        throw error instanceof ParseError ? Object.assign(error, { path }) : error;
      }),
    );
  }

  async #reading<Result>(text: string, read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof ParseError) throw error;
      throw new Error(`$ref to ${text} cannot be read: ${describeSystemError(error)}`, { cause: error });
    }
  }

  #visitMapping(discriminator: Visited['node'], file: SourceFile): void {
    const { mapping, defaultMapping } = discriminator;
    const add = (holder: Node, key: string, value: unknown): void => {
      if (typeof value !== 'string' || !(value.includes('/') || value.startsWith('#') || SUPPORTED.test(value))) return;
      this.#references.push(async () => {
        // Checked later.
        const target = await this.#targetOf(file, value).catch(() => undefined);
        if (target === undefined) return;
        const isOwn = target.file === this.#root;
        if (isOwn && file === this.#root && isLocal(value)) return;
        const reference = { kind: 'schema' as const, holder, key, pointer: '#', file, text: value };
        const name = isOwn ? undefined : await this.#nameOf('schema', 'schemas', target, reference);
        holder[key] = fragmentOf(name === undefined ? target.pointer : `/components/schemas/${escapePointer(name)}`);
      });
    };
    for (const [value, text] of Object.entries(Object(mapping) as Node)) add(mapping as Node, value, text);
    add(discriminator, 'defaultMapping', defaultMapping);
  }

  /** Inserts the value of an example that is in another file, unless it is unreadable. */
  #visitExample(example: Visited['node'], file: SourceFile): void {
    const { externalValue: text, value } = example;
    if (typeof text !== 'string' || value !== undefined) return;
    this.#references.push(async () => {
      const found = await this.#valueOf(text, file).catch(() => undefined);
      if (found === undefined) return;
      Object.assign(example, { value: found });
      Reflect.deleteProperty(example, 'externalValue');
    });
  }

  /** Replaces a reference with the value of another file, such as the text of a description. */
  async #replaceValue(holder: Node, name: string, text: string, file: SourceFile, pointer: string): Promise<void> {
    try {
      holder[name] = await this.#valueOf(text, file);
    } catch (error) {
      this.#report(error as Error, file, pointer);
    }
  }

  async #valueOf(text: string, file: SourceFile): Promise<unknown> {
    const [path = ''] = text.split('#');
    if (path === '' || SUPPORTED.test(path)) return copyOf((await this.#targetOf(file, text)).node);
    return this.#reading(text, () => this.#files.text(this.#files.pathOf(path, file)));
  }

  #report(error: Error, file: SourceFile, pointer: string): void {
    if (error instanceof ParseError) {
      const { path } = error as ParseError & { readonly path: string };
      if (this.#unreadable.has(path)) return;
      this.#unreadable.add(path);
      const place = `${displayName(path)}:${String(error.line)}:${String(error.column)}`;
      this.#diagnostics.push({ severity: 'error', place, message: error.message });
      return;
    }
    this.#diagnostics.push({ severity: 'error', place: this.#placeOf(file, pointer), message: error.message });
  }

  /** Returns the place of a reference. */
  #placeOf(file: SourceFile, bundled: string): string {
    const { pointer } = this.#originOf(bundled.slice(1));
    const { file: name, line, column } = this.#files.positionOf(file, `#${pointer}/$ref`);
    return `${name}:${String(line)}:${String(column)} #${pointer}`;
  }

  #originOf(pointer: string): Origin {
    const start = prefixes(pointer).find((prefix) => this.#origins.has(prefix)) ?? '';
    const { file, pointer: own } = this.#origins.get(start) ?? { file: this.#root, pointer: '' };
    return { file, pointer: own + pointer.slice(start.length) };
  }

  /** Returns the names that added schemas have for their authors. */
  async #schemaNames(): Promise<SchemaNames> {
    const added = [...this.#components].filter(([id, { name }]) => {
      return id.startsWith('schema ') && Object.hasOwn(this.#added['schemas'] ?? {}, name);
    });
    const aliases = new Map<string, string[]>();
    for (const path of added.length === 0 ? [] : this.#files.paths) {
      const file = await this.#files.open(path).catch(() => undefined);
      if (file === undefined) continue;
      for (const [name, node] of Object.entries(groupOf(file.parsed, 'schemas'))) {
        const target = isAlias(node) ? await this.#targetOf(file, node.$ref).catch(() => undefined) : undefined;
        if (target === undefined) continue;
        const id = idOf(target);
        aliases.set(id, [...new Set([...(aliases.get(id) ?? []), name])]);
      }
    }
    return new Map(
      added.map(([, { name, target }]) => {
        const { pointer, file } = target;
        const own = componentName(pointer);
        const last = (pointer || file.path.replace(/\.[^./]*$/, '')).split(/[/\\]/).slice(-1);
        return [name, own === undefined ? (aliases.get(idOf(target)) ?? last) : [own]];
      }),
    );
  }
}

function missing(file: SourceFile, steps: readonly string[], step: string, node: unknown, isOther: boolean): Error {
  const place = `#${pointerOf(steps)}`;
  const closest = closestName(step, isFileObject(node) ? Object.keys(node) : []);
  const advice = closest === undefined ? '' : `: did you mean ${closest}?`;
  return new Error(`$ref leads to nothing: no ${step} in ${isOther ? displayName(file.path) : ''}${place}${advice}`);
}

function memberOf(node: unknown, name: string): unknown {
  return isFileObject(node) && Object.hasOwn(node, name) ? node[name] : undefined;
}

function groupOf(parsed: unknown, group: string): Readonly<Record<string, unknown>> {
  return Object(memberOf(memberOf(parsed, 'components'), group)) as Readonly<Record<string, unknown>>;
}

/** Returns whether a schema has a discriminator that chooses between the schemas that contain it in `allOf`. */
function isHead(node: unknown): boolean {
  const hasLists = memberOf(node, 'oneOf') !== undefined || memberOf(node, 'anyOf') !== undefined;
  return memberOf(node, 'discriminator') !== undefined && !hasLists;
}

function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${escapePointer(step)}`).join('');
}

/** Returns whether an object consists of a reference. */
function isAlias(node: unknown): node is { readonly $ref: string } {
  return isFileObject(node) && typeof node['$ref'] === 'string' && Object.keys(node).length === 1;
}

function isLocal(reference: string): boolean {
  return reference.startsWith('#');
}

function idOf({ file, pointer }: Origin): string {
  return `${file.path}#${pointer}`;
}

function componentName(pointer: string): string | undefined {
  return /^\/components\/[^/]+\/([^/]+)$/.exec(pointer)?.[1];
}

function fragmentOf(pointer: string): string {
  return `#${encodeURI(pointer).replaceAll('#', '%23')}`;
}

/** Returns the pointers of a node and of its parents, the longest first: `/a/b`, `/a` and the empty one. */
function prefixes(pointer: string): readonly string[] {
  const steps = pointer.split('/');
  return steps.map((_step, index) => steps.slice(0, steps.length - index).join('/'));
}
