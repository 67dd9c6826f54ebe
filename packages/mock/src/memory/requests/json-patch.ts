import { equalityKey, unescapePointer } from '@contract-first/contract';
import { isArray, isObject, type Json, partAt, type Place, removeAt, replaceAt } from '@contract-first/model/values';

/** Applies a JSON Patch (RFC 6902). Returns `undefined` if one of its operations cannot be applied. */
export function applyJsonPatch(state: Json, operations: Json): Json | undefined {
  const list = isArray(operations) ? operations : [operations];
  return list.reduce(
    (patched: Json | undefined, one) => (patched === undefined ? undefined : apply(patched, one)),
    state,
  );
}

function apply(state: Json, operation: Json): Json | undefined {
  const [op, value] = ['op', 'value'].map((name) => partAt(operation, [name]));
  const [place, source] = ['path', 'from'].map((name) => placeOf(state, partAt(operation, [name])));
  if (place === undefined || value === undefined) return undefined;
  if (op === 'add') return add(state, place, value);
  if (op === 'copy' || op === 'move') {
    if (source === undefined || !isIn(state, source)) return undefined;
    const rest = op === 'copy' ? state : remove(state, source);
    return rest === undefined ? undefined : add(rest, place, partAt(state, source));
  }
  if (!isIn(state, place)) return undefined;
  if (op === 'remove') return remove(state, place);
  if (op === 'replace') return replaceAt(state, place, value);
  return op === 'test' && equalityKey(partAt(state, place)) === equalityKey(value) ? state : undefined;
}

/** Adds a member to an object, or inserts an item into an array. */
function add(state: Json, place: Place, value: Json): Json | undefined {
  const key = place.at(-1);
  if (key === undefined) return value;
  const holder = partAt(state, place.slice(0, -1));
  if (isObject(holder)) return replaceAt(state, place, value);
  const isInside = isArray(holder) && typeof key === 'number' && key <= holder.length;
  return isInside ? replaceAt(state, place.slice(0, -1), holder.toSpliced(key, 0, value)) : undefined;
}

function remove(state: Json, place: Place): Json | undefined {
  return place.length === 0 ? undefined : removeAt(state, place);
}

function isIn(state: Json, place: Place): boolean {
  const key = place.at(-1);
  if (key === undefined) return true;
  const holder = partAt(state, place.slice(0, -1));
  return isArray(holder) ? Number(key) < holder.length : isObject(holder) && Object.hasOwn(holder, key);
}

/** Returns the place of a JSON pointer; `undefined` for other values. `-` is the place after the last item of an array. */
function placeOf(state: Json, pointer: Json): Place | undefined {
  if (typeof pointer !== 'string' || !/^(?:\/|$)/.test(pointer)) return undefined;
  const tokens = pointer.split('/').slice(1).map(unescapePointer);
  return tokens.reduce((place: Place, token) => {
    const holder = partAt(state, place);
    const index = isArray(holder) && token === '-' ? holder.length : Number(token);
    return [...place, isArray(holder) && /^(?:-|0|[1-9]\d*)$/.test(token) ? index : token];
  }, []);
}
