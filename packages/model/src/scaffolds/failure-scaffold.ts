import { runInThisContext } from 'node:vm';
import type { FailureDetails } from '@contract-first/contract';
import { isDecoded, sentKindOf, type FailureBody } from '@contract-first/documents';
import type { Described, Values } from '../values/documented-values.ts';
import { isArray, isObject, membersOf, partAt, placesOf, type Json, type Place } from '../values/json-value.ts';
import { findSchemaAt } from '../values/schema-merge.ts';
import { LIST, MAX_PLACES, MESSAGE, nameOf, PLACE, pruneFailure, STATUS, textIn } from './failure-members.ts';
import { quote, renderArray, renderLiteral, renderMembers } from './source-text.ts';

type Details = Omit<FailureDetails, 'operationId'>;

/** The source text of a part of a body, and the details that it is made from. */
type Expression = { readonly text: string; readonly uses: readonly (keyof Details)[] };

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

/** Expressions for generated texts, by their form. */
const FORMS: readonly (readonly [form: RegExp, text: string])[] = [
  [/^\d{4}-\d\d-\d\dT/, 'new Date().toISOString()'],
  [/^\d{4}-\d\d-\d\d$/, 'new Date().toISOString().slice(0, 10)'],
  [/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i, 'crypto.randomUUID()'],
  [/^https?:/, "'about:blank'"],
];

/** Creates the renderer of failures for the responses of a document: as functions from their details, in source text. */
export function createFailureRenderer(values: Values) {
  return { renderBody, renderValue };

  /** Renders a function that returns a valid body: JSON, a value for a codec, or the message as text. */
  function renderBody(body: FailureBody): string {
    const rendered = renderValue(body);
    if (body.hasCodec || sentKindOf(body.mediaType) === 'json') return rendered;
    const isText = EXAMPLES.every((details) => typeof evaluate(rendered)(details) === 'string');
    return isText ? rendered : '({ message }) => message';
  }

  /** Renders a function that returns a valid value, for any media type: with the details, where its schema allows them. */
  function renderValue({ name, operationId, response, mediaType }: FailureBody): string {
    const described: Described = values.responseOf(operationId, response).content?.[mediaType] ?? {};
    const { schema = true } = described;
    const isJson = sentKindOf(mediaType) === 'json';
    const [base = null] = values.valuesOf(described, { key: name, dynamic: true, isText: true, isSimple: true });
    return fill(base, {
      isValid: (value) => values.allows(described.schema, value),
      isInt64: (place) => findSchemaAt(values.schemas, schema, place, ({ format }) => format === 'int64') !== undefined,
      decodedAs: (place) => {
        const decoded = isJson ? findSchemaAt(values.schemas, schema, place, isDecoded) : undefined;
        return decoded && String(decoded['format']);
      },
    });
  }
}

/** Evaluates a rendered function. Its text has names and literals of the document only as JSON. */
export function evaluate(rendered: string): (details: Details) => Json {
  return runInThisContext(`(${rendered})`) as (details: Details) => Json;
}

type Judgement = {
  readonly isValid: (value: Json) => boolean;
  readonly isInt64: (place: Place) => boolean;
  /** Returns the format of a string that the application decodes. */
  readonly decodedAs: (place: Place) => string | undefined;
};

/** Renders a function that returns a value with details of a failure in members of such names, where that is valid. */
function fill(base: Json, { isValid, isInt64, decodedAs }: Judgement): string {
  const value = pruneFailure(base, isValid);
  const expressions = new Map<string, Expression>();
  const leavesFirst = placesOf(value, MAX_PLACES).reverse();
  for (const place of leavesFirst)
    candidates(place, partAt(value, place)).some((expression) => accepts(place, expression));
  // The functions before had to return JSON.
  for (const place of leavesFirst) {
    const part = partAt(value, place);
    const format = typeof part === 'string' ? decodedAs(place) : undefined;
    if (format === undefined) continue;
    const { text, uses } = render(part, place, expressions);
    expressions.set(keyOf(place), { text: `formats[${quote(format)}].decode(${text})`, uses });
  }
  return renderFunction();

  /** Lists expressions for a place, the best first. */
  function* candidates(place: Place, part: Json): Generator<Expression> {
    const name = nameOf(place);
    if (isArray(part) && LIST.test(name)) yield* listCandidates(place, part[0] ?? null);
    if (isArray(part) || isObject(part)) return;
    if (typeof part === 'boolean' && /error|fail/i.test(name)) yield { text: 'true', uses: [] };
    if ((typeof part === 'number' || typeof part === 'bigint') && STATUS.test(name))
      yield { text: isInt64(place) ? 'BigInt(status)' : 'status', uses: ['status'] };
    // A schema that allows everything has a text.
    if (typeof part !== 'string' && place.length > 0) return;
    if (STATUS.test(name) && !MESSAGE.test(name)) yield { text: 'String(status)', uses: ['status'] };
    for (const [form, text] of FORMS) if (form.test(String(part))) yield { text, uses: [] };
    // Other texts have the message, too: it says more than a generated one.
    for (const length of LENGTHS) yield { text: cut('message', length), uses: ['message'] };
  }

  /** Lists expressions with an item for each violation. Without violations, the item is the message, unless that is elsewhere. */
  function* listCandidates(place: Place, item: Json): Generator<Expression> {
    const first = [...place, 0];
    const ofViolation = violationExpressions(first, item);
    if (ofViolation === undefined) return;
    const ofMessage = render(item, first, expressions);
    const { text, uses } = render(item, first, ofViolation);
    const usesInside = uses.filter((name) => name !== 'message'); // It is that of the violation.
    const siblings = partAt(value, place.slice(0, -1));
    const mayBeEmpty = isObject(siblings) && textIn(siblings, MESSAGE) !== undefined;
    for (const isEmpty of mayBeEmpty ? [true, false] : [false]) {
      for (let count = VIOLATIONS.length; count > 0; count -= 1) {
        const some = count < VIOLATIONS.length ? `violations.slice(0, ${String(count)})` : 'violations';
        const list = `${some}.map(({ place, message }) => ${parenthesized(text)})`;
        yield isEmpty
          ? { text: list, uses: ['violations', ...usesInside] }
          : {
              text: `violations.length === 0 ? [${ofMessage.text}] : ${list}`,
              uses: ['violations', ...ofMessage.uses, ...usesInside],
            };
      }
    }
  }

  /** Returns the expressions of an item for a violation; `undefined` where it has no room for the message. */
  function violationExpressions(first: Place, item: Json): ReadonlyMap<string, Expression> | undefined {
    const hasMessage = (place: Place): boolean => expressions.get(keyOf(place))?.uses[0] === 'message';
    const ofPlace = isObject(item) ? textIn(item, PLACE) : undefined;
    const messagePlace = isObject(item) ? [...first, textIn(item, MESSAGE, ofPlace) ?? ''] : first;
    if (!hasMessage(messagePlace)) return undefined;
    const hasPlace = ofPlace !== undefined && hasMessage([...first, ofPlace]);
    const key = keyOf(hasPlace ? [...first, ofPlace] : messagePlace);
    const text = expressions.get(key)?.text.replace('message', () => (hasPlace ? 'place' : '`${place} ${message}`'));
    return new Map(expressions).set(key, { text: text ?? '', uses: [] });
  }

  /** Sets the expression of a place if the function returns valid values with it. */
  function accepts(place: Place, expression: Expression): boolean {
    expressions.set(keyOf(place), expression);
    const call = evaluate(renderFunction());
    const isAccepted = EXAMPLES.every((details) => isValid(call(details)));
    if (!isAccepted) expressions.delete(keyOf(place));
    return isAccepted;
  }

  function renderFunction(): string {
    const { text, uses } = render(value, [], expressions);
    const parameters = (['status', 'message', 'violations'] as const).filter((name) => uses.includes(name));
    return `${parameters.length === 0 ? '()' : `({ ${parameters.join(', ')} })`} => ${parenthesized(text)}`;
  }

  function render(part: Json, place: Place, from: ReadonlyMap<string, Expression>): Expression {
    const expression = from.get(keyOf(place));
    if (expression !== undefined) return expression;
    const members = membersOf(part).map(([key, member]) => [key, render(member, [...place, key], from)] as const);
    const uses = members.flatMap(([, member]) => member.uses);
    if (isArray(part)) return { text: renderArray(members.map(([, { text }]) => text)), uses };
    if (isObject(part)) return { text: renderMembers(members.map(([name, { text }]) => [String(name), text])), uses };
    const suffix = typeof part !== 'string' && part !== null && isInt64(place) ? 'n' : '';
    return { text: renderLiteral(part) + suffix, uses };
  }
}

/** Keeps an object literal after an arrow from being read as a block. */
function parenthesized(expression: string): string {
  return expression.startsWith('{') ? `(${expression})` : expression;
}

function keyOf(place: Place): string {
  return JSON.stringify(place);
}

function cut(text: string, length: number): string {
  return length === Infinity ? text : `${text}.slice(0, ${String(length)})`;
}
