import { runInThisContext } from 'node:vm';
import { stringifyJson, type FailureDetails } from '@contract-first/contract';
import { isDecoded, sentKindOf, type FailureBody } from '@contract-first/documents';
import type { Described, Values } from '../values/documented-values.ts';
import {
  isArray,
  isObject,
  membersOf,
  partAt,
  placesOf,
  removeAt,
  type Json,
  type JsonObject,
  type Place,
} from '../values/json-value.ts';
import { findSchemaAt } from '../values/schema-merge.ts';
import { quote, renderArray, renderObject } from './source-text.ts';

type Details = Omit<FailureDetails, 'operationId'>;

/** The source text of a part of a body, and the details that it is made from. */
type Expression = { readonly text: string; readonly uses: readonly (keyof Details)[] };

const MAX_PLACES = 100;
/** Optional members are kept down to this depth. */
const MAX_DEPTH = 2;
const LONG = 'must be integer; '.repeat(60);
const VIOLATIONS = Array.from({ length: 10 }, (_, index) => ({
  place: `body/items/${String(index)}/${'size'.repeat(index === 0 ? 1 : 200)}`,
  message: index === 0 ? 'must be integer' : LONG,
}));
const EXAMPLES: readonly Details[] = [
  { status: 400, message: 'path parameter id must be an integer', violations: [] },
  { status: 400, message: 'body/items/0/size must be integer', violations: VIOLATIONS.slice(0, 1) },
  { status: 400, message: LONG, violations: VIOLATIONS },
  { status: 503, message: 'try again later', violations: [] },
];
/** The lengths that texts are cut to, where a schema limits them. */
const LENGTHS = [Infinity, 512, 500, 300, 256, 255, 250, 200, 150, 128, 120, 100, 80, 64, 60, 50, 40, 32, 30, 20, 10];

/** The names of members that hold the message of a failure. */
const MESSAGE = /message|detail|description|title|reason|text|^error$/i;
/** The names of members that hold its status. */
const STATUS = /status|code|^error$/i;
/** The names of members that hold violations. */
const LIST = /^$|error|violation|detail|problem|issue|invalid|reason|cause|message|field/i;
/** The names of members that hold the place of a violation. */
const PLACE =
  /^(?:place|field|path|location|loc|property|param|parameter|name|source|target|key|attribute)(?:_?(?:name|path))?$/i;
/** Expressions for generated texts, by their form. */
const FORMS: readonly (readonly [form: RegExp, text: string])[] = [
  [/^\d{4}-\d\d-\d\dT/, 'new Date().toISOString()'],
  [/^\d{4}-\d\d-\d\d$/, 'new Date().toISOString().slice(0, 10)'],
  [/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i, 'crypto.randomUUID()'],
  [/^https?:/, "'about:blank'"],
];

/** Renders functions from the details of a failure to its body, as source text. */
export type FailureRenderer = {
  /** Renders a function that returns a valid body: JSON, a value for a codec, or the message as text. */
  readonly renderBody: (body: FailureBody) => string;
  /** Renders a function that returns a valid value, for any media type. */
  readonly renderValue: (body: FailureBody) => string;
};

/** Creates the renderer of failures for the responses of a document. */
export function createFailureRenderer(values: Values): FailureRenderer {
  return {
    renderBody(body) {
      const rendered = renderValue(body);
      if (body.hasCodec || sentKindOf(body.mediaType) === 'json') return rendered;
      const isText = EXAMPLES.every((details) => typeof evaluate(rendered)(details) === 'string');
      return isText ? rendered : '({ message }) => message';
    },
    renderValue,
  };

  /** Fills a generated value with the details, where its schema allows them. */
  function renderValue({ name, operationId, response, mediaType }: FailureBody): string {
    const described: Described = values.responseOf(operationId, response).content?.[mediaType] ?? {};
    const isValid = (value: Json): boolean => values.allows(described.schema, value);
    const schema = described.schema ?? true;
    const isInt64 = (place: Place): boolean =>
      findSchemaAt(values.schemas, schema, place, ({ format }) => format === 'int64') !== undefined;
    const decodedAs = (place: Place): string | undefined => {
      const decoded = sentKindOf(mediaType) === 'json' && findSchemaAt(values.schemas, schema, place, isDecoded);
      return decoded ? String(decoded['format']) : undefined;
    };
    const [base = null] = values.valuesOf(described, { key: name, dynamic: true, isText: true, isSimple: true });
    return fill(base, isValid, isInt64, decodedAs);
  }
}

/** Evaluates a rendered function. Its text has names and literals of the document only as JSON. */
export function evaluate(rendered: string): (details: Details) => Json {
  return runInThisContext(`(${rendered})`) as (details: Details) => Json;
}

/**
 * Renders a function that returns a value with details of a failure in members of such names, where that is valid.
 *
 * @param decodedAs returns the format of a string that the application decodes
 */
function fill(
  base: Json,
  isValid: (value: Json) => boolean,
  isInt64: (place: Place) => boolean,
  decodedAs: (place: Place) => string | undefined,
): string {
  const value = prune(base, isValid);
  const expressions = new Map<string, Expression>();
  const leavesFirst = placesOf(value, MAX_PLACES).reverse();
  for (const place of leavesFirst) fillPlace(place, partAt(value, place));
  for (const place of leavesFirst) decodePlace(place, partAt(value, place));
  return renderFunction();

  function fillPlace(place: Place, part: Json): void {
    const name = nameOf(place);
    if (isArray(part) && LIST.test(name)) fillList(place, part[0] ?? null);
    if (typeof part === 'boolean' && /error|fail/i.test(name)) accepts(place, { text: 'true', uses: [] });
    if ((typeof part === 'number' || typeof part === 'bigint') && STATUS.test(name))
      accepts(place, { text: isInt64(place) ? 'BigInt(status)' : 'status', uses: ['status'] });
    // A schema that allows everything has a text.
    if (typeof part !== 'string' && (place.length > 0 || isArray(part) || isObject(part))) return;
    const isStatus = STATUS.test(name) && !MESSAGE.test(name);
    if (isStatus && accepts(place, { text: 'String(status)', uses: ['status'] })) return;
    if (FORMS.some(([form, text]) => form.test(String(part)) && accepts(place, { text, uses: [] }))) return;
    // Other texts have the message, too: it says more than a generated one.
    LENGTHS.some((length) => accepts(place, { text: cut('message', length), uses: ['message'] }));
  }

  /** Decodes a string that the application replies with as another value. The functions before had to return JSON. */
  function decodePlace(place: Place, part: Json): void {
    const format = typeof part === 'string' ? decodedAs(place) : undefined;
    if (typeof part !== 'string' || format === undefined) return;
    const { text, uses } = expressions.get(JSON.stringify(place)) ?? { text: literal(part), uses: [] };
    expressions.set(JSON.stringify(place), { text: `formats[${quote(format)}].decode(${text})`, uses });
  }

  /** Fills a list with an item for each violation. Without violations, its item is the message, unless that is elsewhere. */
  function fillList(place: Place, item: Json): void {
    const first = [...place, 0];
    const ofViolation = violationExpressions(first, item);
    if (ofViolation === undefined) return;
    const [used, usedInside] = [new Set<keyof Details>(['violations']), new Set<keyof Details>(['violations'])];
    const messageItem = render(item, first, expressions, used);
    const violationItem = parenthesized(render(item, first, ofViolation, usedInside));
    usedInside.delete('message'); // It is that of the violation.
    const siblings = partAt(value, place.slice(0, -1));
    const mayBeEmpty = isObject(siblings) && textIn(siblings, MESSAGE) !== undefined;
    for (const isEmpty of mayBeEmpty ? [true, false] : [false]) {
      for (let count = VIOLATIONS.length; count > 0; count -= 1) {
        const some = count < VIOLATIONS.length ? `violations.slice(0, ${String(count)})` : 'violations';
        const list = `${some}.map(({ place, message }) => ${violationItem})`;
        const text = isEmpty ? list : `violations.length === 0 ? [${messageItem}] : ${list}`;
        if (accepts(place, { text, uses: [...(isEmpty ? usedInside : used.union(usedInside))] })) return;
      }
    }
  }

  /** Returns the expressions of an item for a violation; `undefined` where it has no room for the message. */
  function violationExpressions(first: Place, item: Json): ReadonlyMap<string, Expression> | undefined {
    const hasMessage = (place: Place): boolean => expressions.get(JSON.stringify(place))?.uses[0] === 'message';
    const ofPlace = isObject(item) ? textIn(item, PLACE) : undefined;
    const ofMessage = isObject(item) ? textIn(item, MESSAGE, ofPlace) : '';
    const messagePlace = isObject(item) ? [...first, ofMessage ?? ''] : first;
    if (!hasMessage(messagePlace)) return undefined;
    const hasPlace = ofPlace !== undefined && hasMessage([...first, ofPlace]);
    const key = JSON.stringify(hasPlace ? [...first, ofPlace] : messagePlace);
    const text = expressions.get(key)?.text.replace('message', () => (hasPlace ? 'place' : '`${place} ${message}`'));
    return new Map(expressions).set(key, { text: text ?? '', uses: [] });
  }

  /** Sets the expression of a place if the function returns valid values with it. */
  function accepts(place: Place, expression: Expression): boolean {
    const key = JSON.stringify(place);
    expressions.set(key, expression);
    const call = evaluate(renderFunction());
    const isAccepted = EXAMPLES.every((details) => isValid(call(details)));
    if (!isAccepted) expressions.delete(key);
    return isAccepted;
  }

  function renderFunction(): string {
    const used = new Set<keyof Details>();
    const expression = render(value, [], expressions, used);
    const parameters = (['status', 'message', 'violations'] as const).filter((name) => used.has(name));
    const list = parameters.length === 0 ? '()' : `({ ${parameters.join(', ')} })`;
    return `${list} => ${parenthesized(expression)}`;
  }

  function render(part: Json, place: Place, from: ReadonlyMap<string, Expression>, used?: Set<keyof Details>): string {
    const expression = from.get(JSON.stringify(place));
    expression?.uses.forEach((name) => used?.add(name));
    if (expression !== undefined) return expression.text;
    if (isArray(part)) return renderArray(part.map((item, index) => render(item, [...place, index], from, used)));
    if (!isObject(part))
      return typeof part !== 'string' && part !== null && isInt64(place) ? `${literal(part)}n` : literal(part);
    return renderMembers(
      Object.entries(part).map(([name, member]) => [name, render(member, [...place, name], from, used)]),
    );
  }
}

/** Removes optional parts of a value, except members whose names promise details of a failure. */
function prune(base: Json, isValid: (value: Json) => boolean): Json {
  return placesOf(base, MAX_PLACES).reduce<Json>((value, place) => {
    const isThere = membersOf(partAt(value, place.slice(0, -1))).some(([key]) => key === place.at(-1));
    const isItem = typeof place.at(-1) === 'number' && LIST.test(nameOf(place));
    if (!isThere || isItem || hasDetails(partAt(value, place), place)) return value;
    const smaller = removeAt(value, place);
    return isValid(smaller) ? smaller : value;
  }, base);
}

/** Whether a part of a value has a member whose name promises a detail, and which is not too deep. */
function hasDetails(part: Json, place: Place): boolean {
  const names = place.filter((key) => typeof key === 'string');
  const name = nameOf(place);
  const isInList = names.length < place.length;
  if (names.length > MAX_DEPTH) return false;
  if (isObject(part)) return Object.entries(part).some(([key, member]) => hasDetails(member, [...place, key]));
  if (isArray(part)) {
    const [item = null] = part;
    const hasText = typeof item === 'string' || (isObject(item) && textIn(item, MESSAGE) !== undefined);
    return LIST.test(name) && !isInList && hasText;
  }
  if (typeof part === 'number' || typeof part === 'bigint') return STATUS.test(name);
  return typeof part === 'string' && [MESSAGE, STATUS, ...(isInList ? [PLACE] : [])].some((form) => form.test(name));
}

/** Returns the first member that is a text of such a name. */
function textIn(object: JsonObject, names: RegExp, other?: string): string | undefined {
  return Object.keys(object).find((name) => names.test(name) && name !== other && typeof object[name] === 'string');
}

/** Keeps an object literal after an arrow from being read as a block. */
function parenthesized(expression: string): string {
  return expression.startsWith('{') ? `(${expression})` : expression;
}

/** Renders an object literal. */
function renderMembers(members: readonly (readonly [name: string, text: string])[]): string {
  return renderObject(
    members.map(([name, text]) => {
      if (name === text && /^(?:status|message|place)$/.test(name)) return name;
      // As a plain key, __proto__ would set the prototype.
      const key = name === '__proto__' ? "['__proto__']" : /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
      return `${key}: ${text}`;
    }),
  );
}

function literal(value: Json): string {
  return typeof value === 'string' ? quote(value) : stringifyJson(value);
}

function cut(text: string, length: number): string {
  return length === Infinity ? text : `${text}.slice(0, ${String(length)})`;
}

/** Returns the name of the member at a place; of an item, that of its list. */
function nameOf(place: Place): string {
  return place.findLast((key) => typeof key === 'string') ?? '';
}
