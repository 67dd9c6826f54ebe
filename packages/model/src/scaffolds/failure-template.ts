import type { FailureDetails } from '@contract-first/contract';
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
import { quoteString, renderArray, renderLiteral, renderMembers } from './source-text.ts';

/** A failure body with slots for the details of the failure. Inside `violations`, the slots refer to one violation. */
export type FailureTemplate =
  | { readonly kind: 'literal'; readonly value: Json; readonly isInt64: boolean }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, FailureTemplate])[] }
  | { readonly kind: 'array'; readonly items: readonly FailureTemplate[] }
  | { readonly kind: 'status'; readonly as: 'number' | 'bigint' | 'text' }
  | { readonly kind: 'text'; readonly detail: keyof typeof TEXTS; readonly maxLength: number | undefined }
  | { readonly kind: 'generated'; readonly form: keyof typeof GENERATED }
  /** One item per violation; `otherwise` is the item for a failure without violations, if an item is required. */
  | {
      readonly kind: 'violations';
      readonly item: FailureTemplate;
      readonly otherwise: FailureTemplate | undefined;
      readonly maxItems: number | undefined;
    }
  /** A member for each violation, named by its place. `otherwise` is the object of a failure without violations. */
  | {
      readonly kind: 'violations by place';
      readonly item: FailureTemplate;
      readonly otherwise: FailureTemplate | undefined;
    }
  /** The place of a violation as a list: `['body', 'size']`. */
  | { readonly kind: 'segments' }
  /** A text that the application decodes. */
  | { readonly kind: 'decoded'; readonly format: string; readonly text: FailureTemplate };

type Details = Omit<FailureDetails, 'operationId'>;
/** The details of a failure or of one violation. */
type Scope = Details & { readonly place: string };

/** The texts for slots: the source text and the value. */
const TEXTS = {
  message: { source: 'message', valueOf: ({ message }: Scope) => message },
  place: { source: 'place', valueOf: ({ place }: Scope) => place },
  'place and message': {
    source: '`${place} ${message}`',
    valueOf: ({ place, message }: Scope) => `${place} ${message}`,
  },
} as const;

/** The texts generated per failure: the expression that matches an example, the source text and the value. */
const GENERATED = {
  timestamp: {
    form: /^\d{4}-\d\d-\d\dT/,
    source: 'new Date().toISOString()',
    value: () => new Date().toISOString(),
  },
  date: {
    form: /^\d{4}-\d\d-\d\d$/,
    source: 'new Date().toISOString().slice(0, 10)',
    value: () => new Date().toISOString().slice(0, 10),
  },
  uuid: {
    form: /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i,
    source: 'crypto.randomUUID()',
    value: () => crypto.randomUUID(),
  },
  url: { form: /^https?:/, source: "'about:blank'", value: () => 'about:blank' },
} as const;
const FORMS = ['timestamp', 'date', 'uuid', 'url'] as const;

const LONG = 'must be integer; '.repeat(60);
const MAX_VIOLATIONS = 10;
const VIOLATIONS = Array.from({ length: MAX_VIOLATIONS }, (_, index) => ({
  place: `body/items/${String(index)}/${'size'.repeat(index === 0 ? 1 : 200)}`,
  message: index === 0 ? 'must be integer' : LONG,
}));
/** A slot is used only if the bodies of all these failures are valid. */
const EXAMPLES: readonly Details[] = [
  { status: 400, message: 'path parameter id must be an integer', violations: [] },
  { status: 400, message: 'body/items/0/size must be integer', violations: VIOLATIONS.slice(0, 1) },
  { status: 400, message: LONG, violations: VIOLATIONS },
  { status: 503, message: 'try again later', violations: [] },
];

/** The maximum number of examined places in a body. */
const MAX_PLACES = 100;
/** The maximum depth of kept optional members. */
const MAX_DEPTH = 2;
/** The names of members that hold the message of a failure, its status, its violations, and the place of a violation. */
const MESSAGE = /message|detail|description|title|reason|text|^error$|^msg$/i;
/** The name of the member with the message of a failure without violations. */
const NO_PLACE = 'request';
const STATUS = /status|code|^error$/i;
const LIST = /^$|error|violation|detail|problem|issue|invalid|reason|cause|message|field/i;
const PLACE =
  /^(?:place|field|path|location|loc|property|param|parameter|name|source|target|key|attribute)(?:_?(?:name|path))?$/i;

/** Creates the factories of failure templates for a document. */
export function createFailureTemplates(values: Values) {
  return { bodyOf, valueOf };

  /** Returns a template for a body that an application returns: JSON, a value for a codec, or text. */
  function bodyOf(body: FailureBody): FailureTemplate {
    const template = valueOf(body);
    if (body.hasCodec || sentKindOf(body.mediaType) === 'json') return template;
    const isText = EXAMPLES.every((details) => typeof fillTemplate(template, details) === 'string');
    return isText ? template : { kind: 'text', detail: 'message', maxLength: undefined };
  }

  /** Returns a template for a valid value of any media type. */
  function valueOf({ name, operationId, response, mediaType }: FailureBody): FailureTemplate {
    const described: Described = values.responseOf(operationId, response).content?.[mediaType] ?? {};
    const { schema = true } = described;
    const isJson = sentKindOf(mediaType) === 'json';
    const [base = null] = values.valuesOf(described, { key: name, dynamic: true, isText: true, isSimple: true });
    const keywordAt = (place: Place, keyword: string): unknown =>
      findSchemaAt(values.schemas, schema, place, (at) => at[keyword] !== undefined)?.[keyword];
    return createTemplate(base, {
      isValid: (value) => values.allows(described.schema, value),
      isInt64: (place) => findSchemaAt(values.schemas, schema, place, ({ format }) => format === 'int64') !== undefined,
      limitAt: (place, keyword) => {
        const limit = keywordAt(place, keyword);
        return typeof limit === 'number' ? limit : undefined;
      },
      decodedAs: (place) => {
        const decoded = isJson ? findSchemaAt(values.schemas, schema, place, isDecoded) : undefined;
        return decoded && String(decoded['format']);
      },
    });
  }
}

/** Answers questions about a body's schema. */
type SchemaFacts = {
  readonly isValid: (value: Json) => boolean;
  readonly isInt64: (place: Place) => boolean;
  readonly limitAt: (place: Place, keyword: 'maxLength' | 'maxItems') => number | undefined;
  /** Returns the format of a string that the application decodes, if any. */
  readonly decodedAs: (place: Place) => string | undefined;
};

/**
 * Creates a template from a valid body: members become slots if their names suggest a detail and the result is valid.
 */
function createTemplate(base: Json, { isValid, isInt64, limitAt, decodedAs }: SchemaFacts): FailureTemplate {
  const value = pruneOptional(base, isValid);
  const slots = new Map<string, FailureTemplate>();
  const leavesFirst = placesOf(value, MAX_PLACES).reverse();
  for (const place of leavesFirst)
    for (const slot of candidates(place, partAt(value, place))) {
      slots.set(keyOf(place), slot);
      const template = templateAt(value, [], slots);
      if (EXAMPLES.every((details) => isValid(fillTemplate(template, details)))) break;
      slots.delete(keyOf(place));
    }
  for (const place of leavesFirst) {
    const part = partAt(value, place);
    const format = typeof part === 'string' ? decodedAs(place) : undefined;
    if (format !== undefined)
      slots.set(keyOf(place), { kind: 'decoded', format, text: templateAt(part, place, slots) });
  }
  return templateAt(value, [], slots);

  /** Yields possible slots for a place, the best first. */
  function* candidates(place: Place, part: Json): Generator<FailureTemplate> {
    const name = nameOf(place);
    if (isArray(part) && LIST.test(name)) yield* listCandidates(place, part[0] ?? null);
    if (isObject(part) && isMap(part, place)) yield* mapCandidates(place);
    if (isArray(part) || isObject(part)) return;
    if (typeof part === 'boolean' && /error|fail/i.test(name)) yield { kind: 'literal', value: true, isInt64: false };
    if ((typeof part === 'number' || typeof part === 'bigint') && STATUS.test(name))
      yield { kind: 'status', as: isInt64(place) ? 'bigint' : 'number' };
    // A schema without restrictions gets a text.
    if (typeof part !== 'string' && place.length > 0) return;
    if (STATUS.test(name) && !MESSAGE.test(name)) yield { kind: 'status', as: 'text' };
    const form = FORMS.find((one) => GENERATED[one].form.test(String(part)));
    if (form !== undefined) yield { kind: 'generated', form };
    // Other texts also get the message, which is more useful than generated text.
    yield { kind: 'text', detail: 'message', maxLength: limitAt(place, 'maxLength') };
  }

  /**
   * Yields slots with one item per violation. Without violations, the item has the message unless another member has
   * it.
   */
  function* listCandidates(place: Place, item: Json): Generator<FailureTemplate> {
    const first = [...place, 0];
    const ofViolation = violationSlots(first, item);
    if (ofViolation === undefined) return;
    const itemOfViolation = templateAt(item, first, ofViolation);
    const limit = limitAt(place, 'maxItems');
    const maxItems = limit !== undefined && limit < MAX_VIOLATIONS ? limit : undefined;
    if (hasMessageBeside(place)) yield { kind: 'violations', item: itemOfViolation, otherwise: undefined, maxItems };
    yield { kind: 'violations', item: itemOfViolation, otherwise: templateAt(item, first, slots), maxItems };
  }

  /** Lists slots with a member for each violation: a list of messages, or a message. */
  function* mapCandidates(place: Place): Generator<FailureTemplate> {
    const hasMessage = hasMessageBeside(place);
    const message: FailureTemplate = { kind: 'text', detail: 'message', maxLength: undefined };
    for (const item of [{ kind: 'array', items: [message] } as const, message])
      yield {
        kind: 'violations by place',
        item,
        otherwise: hasMessage ? undefined : { kind: 'object', members: [[NO_PLACE, item]] },
      };
  }

  function hasMessageBeside(place: Place): boolean {
    const siblings = partAt(value, place.slice(0, -1));
    return isObject(siblings) && textIn(siblings, MESSAGE) !== undefined;
  }

  /** Returns the slots of an item for a violation; `undefined` where it has no room for the message. */
  function violationSlots(first: Place, item: Json): ReadonlyMap<string, FailureTemplate> | undefined {
    const messageAt = (place: Place) => {
      const slot = slots.get(keyOf(place));
      return slot?.kind === 'text' && slot.detail === 'message' ? slot : undefined;
    };
    const ofPlace = isObject(item) ? textIn(item, PLACE) : undefined;
    const messagePlace = isObject(item) ? [...first, textIn(item, MESSAGE, ofPlace) ?? ''] : first;
    const message = messageAt(messagePlace);
    if (message === undefined) return undefined;
    const placePlace = ofPlace === undefined ? undefined : [...first, ofPlace];
    const place = placePlace && messageAt(placePlace);
    const segments = isObject(item) ? segmentsIn(item) : undefined;
    if (place === undefined && segments !== undefined)
      return new Map(slots).set(keyOf([...first, segments]), { kind: 'segments' });
    return place === undefined
      ? new Map(slots).set(keyOf(messagePlace), { ...message, detail: 'place and message' })
      : new Map(slots).set(keyOf(placePlace ?? []), { ...place, detail: 'place' });
  }

  function templateAt(part: Json, place: Place, from: ReadonlyMap<string, FailureTemplate>): FailureTemplate {
    const slot = from.get(keyOf(place));
    if (slot !== undefined) return slot;
    const members = membersOf(part).map(
      ([key, member]) => [String(key), templateAt(member, [...place, key], from)] as const,
    );
    if (isArray(part)) return { kind: 'array', items: members.map(([, item]) => item) };
    if (isObject(part)) return { kind: 'object', members };
    return { kind: 'literal', value: part, isInt64: typeof part !== 'string' && part !== null && isInt64(place) };
  }
}

/** Fills a template with the details of a failure. Does not decode strings. */
export function fillTemplate(template: FailureTemplate, details: Details): Json {
  return fill(template, { ...details, place: '' });
}

function fill(template: FailureTemplate, scope: Scope): Json {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'object':
      return Object.fromEntries(template.members.map(([name, member]) => [name, fill(member, scope)]));
    case 'array':
      return template.items.map((item) => fill(item, scope));
    case 'status':
      return { number: scope.status, bigint: BigInt(scope.status), text: String(scope.status) }[template.as];
    case 'text':
      return TEXTS[template.detail].valueOf(scope).slice(0, template.maxLength);
    case 'generated':
      return GENERATED[template.form].value();
    case 'violations': {
      const { item, otherwise, maxItems } = template;
      if (scope.violations.length === 0 && otherwise !== undefined) return [fill(otherwise, scope)];
      return scope.violations.slice(0, maxItems).map((violation) => fill(item, { ...scope, ...violation }));
    }
    case 'violations by place': {
      const { item, otherwise } = template;
      if (scope.violations.length === 0 && otherwise !== undefined) return fill(otherwise, scope);
      return Object.fromEntries(
        scope.violations.map((violation) => [violation.place, fill(item, { ...scope, ...violation })]),
      );
    }
    case 'segments':
      return scope.place.split('/');
    case 'decoded':
      return fill(template.text, scope);
  }
}

/** Renders the source text of a function that fills the template with the details of a failure. */
export function renderTemplate(template: FailureTemplate): string {
  const used = detailsIn(template);
  const parameters = (['status', 'message', 'violations'] as const).filter((name) => used.has(name));
  return `${parameters.length === 0 ? '()' : `({ ${parameters.join(', ')} })`} => ${parenthesized(render(template))}`;
}

function render(template: FailureTemplate): string {
  switch (template.kind) {
    case 'literal':
      return renderLiteral(template.value) + (template.isInt64 ? 'n' : '');
    case 'object':
      return renderMembers(template.members.map(([name, member]) => [name, render(member)]));
    case 'array':
      return renderArray(template.items.map(render));
    case 'status':
      return { number: 'status', bigint: 'BigInt(status)', text: 'String(status)' }[template.as];
    case 'text':
      return TEXTS[template.detail].source + renderSlice(template.maxLength);
    case 'generated':
      return GENERATED[template.form].source;
    case 'violations': {
      const { item, otherwise, maxItems } = template;
      const list = `violations${renderSlice(maxItems)}.map(({ place, message }) => ${parenthesized(render(item))})`;
      return otherwise === undefined ? list : `violations.length === 0 ? [${render(otherwise)}] : ${list}`;
    }
    case 'violations by place': {
      const { item, otherwise } = template;
      const map = `Object.fromEntries(violations.map(({ place, message }) => [place, ${render(item)}]))`;
      return otherwise === undefined ? map : `violations.length === 0 ? ${render(otherwise)} : ${map}`;
    }
    case 'segments':
      return "place.split('/')";
    case 'decoded':
      return `formats[${quoteString(template.format)}].decode(${render(template.text)})`;
  }
}

function renderSlice(end: number | undefined): string {
  return end === undefined ? '' : `.slice(0, ${String(end)})`;
}

/** Encloses an object literal in parentheses, since it would be parsed as a block after an arrow. */
function parenthesized(expression: string): string {
  return expression.startsWith('{') ? `(${expression})` : expression;
}

/** Returns the details that a template uses. */
function detailsIn(template: FailureTemplate): ReadonlySet<keyof Details> {
  switch (template.kind) {
    case 'object':
      return new Set(template.members.flatMap(([, member]) => [...detailsIn(member)]));
    case 'array':
      return new Set(template.items.flatMap((item) => [...detailsIn(item)]));
    case 'status':
      return new Set(['status']);
    case 'text':
      return new Set(['message']);
    case 'violations':
    case 'violations by place': {
      const ofItem = [...detailsIn(template.item)].filter((name) => name !== 'message'); // The violation has its own.
      const otherwise = template.otherwise === undefined ? [] : [...detailsIn(template.otherwise)];
      return new Set(['violations', ...ofItem, ...otherwise]);
    }
    case 'decoded':
      return detailsIn(template.text);
    case 'literal':
    case 'generated':
    case 'segments':
      return new Set();
  }
}

/** Removes optional parts of a body, except members whose names suggest details of a failure. */
function pruneOptional(base: Json, isValid: (value: Json) => boolean): Json {
  return placesOf(base, MAX_PLACES).reduce<Json>((value, place) => {
    const isThere = membersOf(partAt(value, place.slice(0, -1))).some(([key]) => key === place.at(-1));
    const isItem = typeof place.at(-1) === 'number' && LIST.test(nameOf(place));
    if (!isThere || isItem || promisesDetails(partAt(value, place), place)) return value;
    const smaller = removeAt(value, place);
    return isValid(smaller) ? smaller : value;
  }, base);
}

/** Returns whether the name of a part, or of a nested part, suggests a detail, up to the maximum depth. */
function promisesDetails(part: Json, place: Place): boolean {
  const names = place.filter((key) => typeof key === 'string');
  const name = nameOf(place);
  const isInList = names.length < place.length;
  if (names.length > MAX_DEPTH) return false;
  if (isObject(part) && isMap(part, place)) return true;
  if (isObject(part)) return Object.entries(part).some(([key, member]) => promisesDetails(member, [...place, key]));
  if (isArray(part)) {
    const [item = null] = part;
    const hasText = typeof item === 'string' || (isObject(item) && textIn(item, MESSAGE) !== undefined);
    return LIST.test(name) && !isInList && hasText;
  }
  if (typeof part === 'number' || typeof part === 'bigint') return STATUS.test(name);
  return typeof part === 'string' && [MESSAGE, STATUS, ...(isInList ? [PLACE] : [])].some((form) => form.test(name));
}

/** Returns the name of the first string member that matches an expression. */
function textIn(object: JsonObject, names: RegExp, excluded?: string): string | undefined {
  return Object.keys(object).find((name) => names.test(name) && name !== excluded && typeof object[name] === 'string');
}

/** Whether an object may have members for violations: it has none of its own. */
function isMap(part: JsonObject, place: Place): boolean {
  return Object.keys(part).length === 0 && place.length > 0 && LIST.test(nameOf(place));
}

/** Returns the member that has the place of a violation as a list. */
function segmentsIn(object: JsonObject): string | undefined {
  return Object.entries(object).find(([name, member]) => PLACE.test(name) && isArray(member))?.[0];
}

/** Returns the name of the member at a place; for an item, the name of its list. */
function nameOf(place: Place): string {
  return place.findLast((key) => typeof key === 'string') ?? '';
}

function keyOf(place: Place): string {
  return JSON.stringify(place);
}
