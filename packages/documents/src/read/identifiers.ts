import { pathToFileURL } from 'node:url';
import { unusedName } from '../document/names.ts';
import { decode, resolveReference } from '../document/reference.ts';
import { copyOf, type FileObject, type SourceFile, visitObjects } from './file-objects.ts';
import { isHttpUrl } from './files.ts';

/** A schema resource: a file, or a schema with `$id` in it (JSON Schema 2020-12, 4.3.5). Pointers have no `#`. */
type Resource = {
  /** The base of its references. */
  readonly uri: string;
  readonly pointer: string;
  /** The pointers of its schemas with `$anchor`. */
  readonly anchors: Map<string, string>;
  /** The pointers of its schemas with `$dynamicAnchor`. */
  readonly dynamicAnchors: Map<string, string>;
};

/**
 * The schemas that dynamic anchors lead to. For each name, it is the schema in the outermost resource that has the
 * name.
 */
type DynamicScope = ReadonlyMap<string, string>;

const IDENTIFIERS = ['$id', '$anchor', '$dynamicAnchor'];
const MAX_COPIES = 1000;

/** The identifiers of a file, which references from other files may name. */
type Identifiers = {
  readonly resources: readonly Resource[];
  /** The places of `$dynamicRef`s, by the name of the anchor. */
  readonly dynamics: ReadonlyMap<string, string>;
  /** The URIs of references to other files by the `$id` of their schema, which may be an annotation, by JSON pointer. */
  readonly uris: ReadonlyMap<string, string>;
};

/** The identifiers by the path of the file. Files without identifiers are absent. */
export type IdentifiersOfFiles = Map<string, Identifiers>;

/**
 * Replaces references by `$id`, `$anchor` and `$dynamicAnchor` within a file by JSON pointers (JSON Schema 2020-12, 8.2).
 * The target of a `$dynamicRef` depends on the references that were followed, so a schema is copied for each target.
 *
 * @returns a file without identifiers; the same file if it had none
 */
export function resolveIdentifiers(file: SourceFile, identifiers: IdentifiersOfFiles): SourceFile {
  const parsed = file.parsed as FileObject; // A file without objects has no names.
  const isVersion30 = String((parsed as { openapi?: unknown } | null)?.openapi).startsWith('3.0.');
  if (isVersion30) return file;
  const names: string[] = [];
  const dynamics = new Map<string, string>();
  visitObjects(parsed, (node, pointer) => {
    names.push(...[...IDENTIFIERS, '$dynamicRef'].filter((name) => typeof node[name] === 'string'));
    if (typeof node['$dynamicRef'] === 'string') dynamics.set(node['$dynamicRef'].replace(/^[^#]*#/, ''), pointer);
  });
  if (names.length === 0) return file;
  const { resources, chains } = findResources(file.path, parsed);
  const copy = copyOf(parsed);
  const rewriter = new Rewriter(parsed, copy, resources, chains);
  rewriter.rewrite();
  identifiers.set(file.path, { resources, dynamics, uris: rewriter.uris });
  return { ...file, parsed: copy };
}

/** Reads the file that a reference in another file names. Returns `undefined` for a file that cannot be read. */
type ReadFile = (reference: string, base: SourceFile) => Promise<SourceFile | undefined>;

/**
 * Replaces references to anchors of other files (`defs.yaml#money`), and to other files by `$id`, by a path and a JSON
 * pointer, in place.
 */
export async function linkFiles(file: SourceFile, identifiers: IdentifiersOfFiles, read: ReadFile): Promise<void> {
  const references: (readonly [node: FileObject, reference: string, uri: string | undefined])[] = [];
  const uris = identifiers.get(file.path)?.uris;
  visitObjects(file.parsed, (node, pointer) => {
    const { $ref: reference } = node;
    if (typeof reference !== 'string' || reference.startsWith('#')) return;
    const uri = isHttp(reference) ? reference : uris?.get(pointer.slice(1));
    if (uri !== undefined || /#[^/]/.test(reference)) references.push([node, reference, uri]);
  });
  if (references.length === 0) return;
  const reachable = new Set<string>();
  await collectFiles(file, read, reachable);
  for (const [node, reference, uri] of references) {
    const [path = '', fragment = ''] = (uri ?? reference).split('#');
    const named = findResource(reachable, identifiers, path);
    if (named !== undefined) {
      const target = pointerIn(named.resource, fragment);
      if (target !== undefined) node['$ref'] = encodeURI(named.file) + fragmentOf(target);
      continue;
    }
    const [place = ''] = reference.split('#');
    const target = await read(place, file);
    const root = target && identifiers.get(target.path)?.resources[0];
    const pointer = /^[^/]/.test(fragment) ? pointerIn(root, fragment) : undefined;
    if (pointer !== undefined) node['$ref'] = place + fragmentOf(pointer);
    else if (target === undefined && uri !== undefined) node['$ref'] = uri;
  }
}

/** Reads all files that a file refers to by paths. */
async function collectFiles(file: SourceFile, read: ReadFile, found: Set<string>): Promise<void> {
  if (found.has(file.path)) return;
  found.add(file.path);
  const paths = new Set<string>();
  visitObjects(file.parsed, ({ $ref: reference }) => {
    const [path = ''] = typeof reference === 'string' && !isHttp(reference) ? reference.split('#') : [];
    if (path !== '') paths.add(path);
  });
  for (const path of paths) {
    const other = await read(path, file);
    if (other !== undefined) await collectFiles(other, read, found);
  }
}

function findResource(
  files: ReadonlySet<string>,
  identifiers: IdentifiersOfFiles,
  uri: string,
): { readonly file: string; readonly resource: Resource } | undefined {
  for (const file of files) {
    const resource = identifiers.get(file)?.resources.find((one) => one.uri === withoutFragment(uri));
    if (resource !== undefined) return { file, resource };
  }
  return undefined;
}

/**
 * Finds each `$dynamicRef` that may lead to an anchor of another file, since the other file refers to the file of the
 * `$dynamicRef`. Such a `$dynamicRef` is not resolved in the other file.
 */
export async function findDynamicReferences(
  files: readonly SourceFile[],
  identifiers: IdentifiersOfFiles,
  read: ReadFile,
): Promise<readonly { readonly file: SourceFile; readonly pointer: string; readonly message: string }[]> {
  const found = [];
  for (const file of files) {
    for (const [name, pointer] of identifiers.get(file.path)?.dynamics ?? []) {
      for (const other of files) {
        const isAnchored = identifiers
          .get(other.path)
          ?.resources.some(({ dynamicAnchors }) => dynamicAnchors.has(name));
        if (other.path === file.path || isAnchored !== true) continue;
        const reachable = new Set<string>();
        await collectFiles(other, read, reachable);
        if (!reachable.has(file.path)) continue;
        const message = `$dynamicRef to ${name} may lead to ${other.path}: write both schemas into one file`;
        found.push({ file, pointer, message });
        break;
      }
    }
  }
  return found;
}

/** Returns the JSON pointer of a fragment of a resource: an anchor, or a pointer from its root. */
function pointerIn(resource: Resource | undefined, fragment: string): string | undefined {
  const name = decode(fragment);
  if (name !== '' && !name.startsWith('/')) return resource?.anchors.get(name) ?? resource?.dynamicAnchors.get(name);
  return resource === undefined ? undefined : resource.pointer + name;
}

/** Finds the resources of a file, the file itself first, and the resources that each object is in, outermost first. */
function findResources(
  path: string,
  parsed: FileObject,
): { readonly resources: readonly Resource[]; readonly chains: ReadonlyMap<string, readonly Resource[]> } {
  // `C:\api.yaml` is a path, too.
  const uri = isHttpUrl(path) ? path : pathToFileURL(path).href;
  const resources: Resource[] = [];
  const chains = new Map<string, readonly Resource[]>();
  const open: Resource[] = [];
  visitObjects(parsed, (node, place) => {
    const pointer = place.slice(1);
    while (open.length > 0 && !pointer.startsWith(`${open.at(-1)?.pointer ?? ''}/`)) open.pop();
    const { $id: id = pointer === '' ? node['$self'] : undefined, $anchor: anchor, $dynamicAnchor: dynamic } = node;
    const base = open.at(-1)?.uri ?? uri;
    const own = typeof id === 'string' && !id.startsWith('#') ? URL.parse(id, base)?.href : undefined;
    if (own !== undefined || pointer === '') {
      const resource: Resource = {
        uri: withoutFragment(own ?? uri),
        pointer,
        anchors: new Map(),
        dynamicAnchors: new Map(),
      };
      resources.push(resource);
      open.push(resource);
    }
    chains.set(pointer, [...open]);
    if (typeof anchor === 'string') open.at(-1)?.anchors.set(anchor, pointer);
    if (typeof dynamic === 'string') open.at(-1)?.dynamicAnchors.set(dynamic, pointer);
  });
  return { resources, chains };
}

/** Rewrites the references of a file. */
class Rewriter {
  /** The URIs of the references to other files, by JSON pointer. */
  readonly uris = new Map<string, string>();
  readonly #parsed: FileObject;
  readonly #copy: FileObject;
  readonly #resources: readonly Resource[];
  readonly #chains: ReadonlyMap<string, readonly Resource[]>;
  /** The dynamic anchors of several resources. */
  readonly #ambiguous: ReadonlySet<string>;
  /** The pointers of the copies of schemas, by the schema and its scope. */
  readonly #copies = new Map<string, string>();

  constructor(
    parsed: FileObject,
    copy: FileObject,
    resources: readonly Resource[],
    chains: ReadonlyMap<string, readonly Resource[]>,
  ) {
    this.#parsed = parsed;
    this.#copy = copy;
    this.#resources = resources;
    this.#chains = chains;
    const names = resources.flatMap(({ dynamicAnchors }) => [...dynamicAnchors.keys()]);
    this.#ambiguous = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  }

  rewrite(): void {
    this.#rewriteIn(this.#copy, '', new Map());
  }

  /** Rewrites the references in a copied node. @param outer the scope in which the node is reached */
  #rewriteIn(copy: FileObject, start: string, outer: DynamicScope): void {
    const nodes = new Map<string, FileObject>();
    visitObjects(copy, (node, place) => nodes.set(start + place.slice(1), node));
    for (const [pointer, node] of nodes) {
      const scope = scopeOf(this.#chainOf(pointer), outer);
      const { $ref: reference, $dynamicRef: dynamic } = node;
      if (typeof reference === 'string') {
        node['$ref'] = this.#referenceTo(reference, pointer, scope);
        const uri = URL.parse(reference, this.#chainOf(pointer).at(-1)?.uri)?.href;
        if (node['$ref'] === reference && uri !== undefined && isHttp(uri)) this.uris.set(pointer, uri);
      }
      if (typeof dynamic === 'string') {
        delete node['$dynamicRef'];
        const target = this.#dynamicTarget(dynamic, pointer, scope);
        const replacement = target === undefined ? dynamic : this.#entering(target, scope);
        if (reference === undefined) node['$ref'] = replacement;
        else node['allOf'] = [...((node['allOf'] ?? []) as readonly unknown[]), { $ref: replacement }];
      }
      for (const name of IDENTIFIERS) if (typeof node[name] === 'string') Reflect.deleteProperty(node, name);
    }
  }

  #referenceTo(reference: string, pointer: string, scope: DynamicScope): string {
    const target = this.#targetOf(reference, pointer);
    if (target === undefined) return reference;
    const replacement = this.#entering(target, scope);
    return replacement === fragmentOf(decode(reference.slice(1))) ? reference : replacement;
  }

  /** Returns a reference to a schema that is reached in a scope. */
  #entering(target: string, scope: DynamicScope): string {
    const entered = scopeOf(this.#chainOf(target).slice(-1), scope);
    const inPlace = scopeOf(this.#chainOf(target));
    const used = [...this.#dynamicNamesIn(target)].toSorted();
    if (used.every((name) => entered.get(name) === inPlace.get(name))) return fragmentOf(target);
    const key = JSON.stringify([target, ...used.map((name) => [name, entered.get(name)])]);
    const known = this.#copies.get(key);
    if (known !== undefined) return fragmentOf(known);
    if (this.#copies.size === MAX_COPIES) throw new Error(`has $dynamicRef with too many different targets: ${target}`);
    const isOpenApi = this.#copy['openapi'] !== undefined;
    const parent = isOpenApi ? ((this.#copy['components'] ??= {}) as FileObject) : this.#copy;
    const group = isOpenApi ? 'schemas' : '$defs';
    const schemas = (parent[group] ??= {}) as FileObject;
    const base = target.replace(/^.*\//, '').replaceAll(/\W/g, '_');
    const name = unusedName(base, (taken) => Object.hasOwn(schemas, taken));
    const pointer = `${isOpenApi ? '/components' : ''}/${group}/${name}`;
    this.#copies.set(key, pointer);
    const copy = copyOf(resolveIn(this.#parsed, target)) as FileObject;
    schemas[name] = copy;
    this.#rewriteIn(copy, target, entered);
    return fragmentOf(pointer);
  }

  /** Returns the ambiguous dynamic anchors that a schema uses, also by references. */
  #dynamicNamesIn(start: string, visited = new Set<string>(), found = new Set<string>()): ReadonlySet<string> {
    if (this.#ambiguous.size === 0 || visited.has(start)) return found;
    visited.add(start);
    visitObjects(resolveIn(this.#parsed, start), ({ $ref: reference, $dynamicRef: dynamic }, place) => {
      const pointer = start + place.slice(1);
      const target = typeof reference === 'string' ? this.#targetOf(reference, pointer) : undefined;
      if (target !== undefined) this.#dynamicNamesIn(target, visited, found);
      if (typeof dynamic !== 'string') return;
      const name = dynamic.replace(/^[^#]*#/, '');
      if (this.#ambiguous.has(name)) found.add(name);
      for (const { dynamicAnchors } of this.#resources) {
        const anchored = dynamicAnchors.get(name);
        if (anchored !== undefined) this.#dynamicNamesIn(anchored, visited, found);
      }
    });
    return found;
  }

  /** A `$dynamicRef` that does not lead to a `$dynamicAnchor` at first is a `$ref` (JSON Schema 2020-12, 8.2.3.2). */
  #dynamicTarget(reference: string, pointer: string, scope: DynamicScope): string | undefined {
    const target = this.#targetOf(reference, pointer);
    const name = reference.replace(/^[^#]*#/, '');
    const isDynamic = target !== undefined && this.#chainOf(target).at(-1)?.dynamicAnchors.get(name) === target;
    return isDynamic ? (scope.get(name) ?? target) : target;
  }

  /** Returns the pointer that a reference leads to; `undefined` when it is in another file, or absent. */
  #targetOf(reference: string, from: string): string | undefined {
    const resource = this.#chainOf(from).at(-1);
    const [, fragment = ''] = reference.split('#');
    const uri = reference.startsWith('#') ? resource?.uri : URL.parse(reference, resource?.uri)?.href;
    const found = uri === undefined ? undefined : this.#resources.find((one) => one.uri === withoutFragment(uri));
    const name = decode(fragment);
    if (found === undefined) return undefined;
    if (name !== '' && !name.startsWith('/')) return found.anchors.get(name) ?? found.dynamicAnchors.get(name);
    // Many documents have $id only as an annotation, and references from the root of the file.
    const starts = reference.startsWith('#/') ? [found.pointer, ''] : [found.pointer];
    return starts.map((start) => start + name).find((pointer) => resolveIn(this.#parsed, pointer) !== undefined);
  }

  #chainOf(pointer: string): readonly Resource[] {
    const known = this.#chains.get(pointer);
    return known ?? (pointer === '' ? [] : this.#chainOf(pointer.replace(/\/[^/]*$/, '')));
  }
}

/**
 * Returns a scope with the dynamic anchors of resources, outermost first. The anchors of the outer scope take
 * precedence.
 */
function scopeOf(resources: readonly Resource[], outer: DynamicScope = new Map()): DynamicScope {
  const scope = new Map(outer);
  for (const { dynamicAnchors } of resources)
    for (const [name, pointer] of dynamicAnchors) if (!scope.has(name)) scope.set(name, pointer);
  return scope;
}

function resolveIn(parsed: FileObject, pointer: string): unknown {
  return pointer === '' ? parsed : resolveReference(parsed as FileObject & { openapi: string }, fragmentOf(pointer));
}

function fragmentOf(pointer: string): string {
  return `#${encodeURI(pointer).replaceAll('#', '%23')}`;
}

function isHttp(reference: string): boolean {
  return /^https?:/.test(reference);
}

function withoutFragment(uri: string): string {
  return uri.replace(/#.*$/, '');
}
