import { createViolation, MAX_VIOLATIONS, NO_VIOLATIONS, placeOf, type Violation } from './violation.ts';

/**
 * The locations of the values to convert in a JSON value: a schema reduced to the paths to these values. `$ref` names
 * another shape, so that recursive schemas are finite.
 */
export type Shape = {
  readonly int64?: true;
  /** The format of a string that the application decodes. */
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape;
  readonly items?: Shape;
};

/** Named shapes, the targets of `$ref`s. */
export type Shapes = Readonly<Record<string, Shape>>;

export type Key = string | number;
/** An object or a list. The root object has the whole value as the member with the empty name. */
export type Holder = Record<Key, unknown>;

/** A conversion of the values that a shape locates. */
type Conversion = {
  /** Returns whether to convert a value at a location of the shape. */
  readonly applies: (value: unknown, at: Shape, holder: Holder, key: Key) => boolean;
  /** Returns the converted value. Reports a violation and returns the value unchanged if it cannot be converted. */
  readonly convert: (value: unknown, at: Shape, report: (message: string) => void, holder: Holder, key: Key) => unknown;
  /** Collects copies of changed objects and lists; without it, they are changed in place. */
  readonly copies?: Set<unknown>;
};

/**
 * Converts the values at the locations of a shape.
 *
 * @param root holds the value under the empty name
 * @param location the place of the value, such as `body`; empty for an object of several parts
 * @returns the first ten violations
 */
export function convertAt(
  root: { '': unknown },
  shape: Shape,
  named: Shapes,
  location: string,
  conversion: Conversion,
): readonly Violation[] {
  const walk = new Walk(named, conversion, location === '' ? [] : [location]);
  walk.visit(root, '', shape, false);
  return walk.violations;
}

/** A walk through a value along a shape. */
class Walk {
  violations: readonly Violation[] = NO_VIOLATIONS;
  readonly #named: Shapes;
  readonly #conversion: Conversion;
  readonly #path: Key[];
  #visited: Map<Shape, Set<unknown>> | undefined;

  /** @param path the keys of the place of the value */
  constructor(named: Shapes, conversion: Conversion, path: Key[]) {
    this.#named = named;
    this.#conversion = conversion;
    this.#path = path;
  }

  /** @param isShared whether several subschemas may reach this value; in recursive schemas, exponentially often */
  visit(holder: Holder, key: Key, at: Shape, isShared: boolean): void {
    if (this.violations.length === MAX_VIOLATIONS) return;
    const { $ref, allOf, properties, additionalProperties, items } = at;
    if ($ref !== undefined) {
      const target = this.#named[$ref];
      if (target !== undefined && !(isShared && this.#isVisited(holder[key], at)))
        this.visit(holder, key, target, isShared);
    }
    const parts =
      Number($ref !== undefined) +
      (allOf?.length ?? 0) +
      Number((properties ?? additionalProperties ?? items) !== undefined);
    const isBranching = isShared || parts > 1;
    if (allOf !== undefined) for (const part of allOf) this.visit(holder, key, part, isBranching);

    const value = holder[key];
    const { applies, convert } = this.#conversion;
    if (applies(value, at, holder, key)) {
      holder[key] = convert(value, at, this.#report, holder, key);
    } else if (Array.isArray(value)) {
      if (items === undefined) return;
      const list = this.#toOwn(holder, key, value) as Holder;
      for (let index = 0; index < value.length; index += 1) this.#visitMember(list, index, items, isBranching);
    } else if (typeof value === 'object' && value !== null) {
      if (properties === undefined && additionalProperties === undefined) return;
      const object = this.#toOwn(holder, key, value) as Holder;
      for (const name in object) {
        const member = own(properties, name) ?? additionalProperties;
        if (member !== undefined) this.#visitMember(object, name, member, isBranching);
      }
    }
  }

  #visitMember(holder: Holder, key: Key, at: Shape, isShared: boolean): void {
    this.#path.push(key);
    this.visit(holder, key, at, isShared);
    this.#path.pop();
  }

  /** Returns the object to change: the member itself, or a copy that replaces it. */
  #toOwn(holder: Holder, key: Key, value: object): object {
    const { copies } = this.#conversion;
    if (copies === undefined || copies.has(value)) return value;
    const copy = Array.isArray(value) ? [...(value as readonly unknown[])] : { ...value };
    copies.add(copy);
    holder[key] = copy;
    return copy;
  }

  #isVisited(value: unknown, at: Shape): boolean {
    if (typeof value !== 'object' || value === null) return false;
    this.#visited ??= new Map();
    const values = this.#visited.get(at) ?? new Set();
    if (values.has(value)) return true;
    this.#visited.set(at, values.add(value));
    return false;
  }

  readonly #report = (message: string): void => {
    this.violations = [...this.violations, createViolation(placeOf(...this.#path), message)];
  };
}

function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
