import { hash } from 'node:crypto';
import { stringifyJson } from '@contract-first/contract';
import type { JsonSchemaObject } from './json-schema.ts';
import { isArray, isObject, type Json, type JsonArray, type JsonObject, partAt } from './json-value.ts';
import { isGenerated } from './scalar-arbitraries.ts';
import { snakeCase } from './snake-case.ts';

/**
 * Lists values that look real for a property, by the format of its schema, or else by the words of its name. They
 * are valid for the keywords of strings and numbers.
 *
 * @param property the name of the property; empty for other values
 * @param isOfPerson whether the property belongs to an object that describes a person
 */
export function realisticValues(property: string, schema: JsonSchemaObject, isOfPerson: boolean): readonly Json[] {
  const { type, format, pattern } = schema;
  const name = snakeCase(property);
  const types = [type].flat();
  const isText = types.includes('string');
  if (!isText && !types.includes('integer') && !types.includes('number')) return [];
  const ofFormat = typeof format === 'string' ? FORMATS.get(format) : undefined;
  const candidates = isText && ofFormat !== undefined ? ofFormat(name) : named();
  return candidates.filter((value) => fits(schema, types, value));

  function named(): readonly Json[] {
    if (isText && typeof format === 'string' && isGenerated(format)) return []; // Such as a token that is a UUID.
    if (isOfPerson && name === 'name') return PEOPLE;
    const found = NAMES.find(([words]) => words.test(name))?.[1] ?? [];
    const isFree = isText && format === undefined && pattern === undefined && !IDENTIFIER.test(name);
    return found.length > 0 || !isFree ? found : [...WORDS, ...PHRASES];
  }
}

/** Returns whether the names of properties are typical for a person. */
export function describesPerson(names: readonly string[]): boolean {
  return names.some((name) => /^(?:e_?mail|user_?name|first_?name|last_?name|birth|gender)/.test(snakeCase(name)));
}

const IDENTIFIER = /(?:^|_)(?:id|uuid|guid|key|token|secret|hash|code|cursor)s?$/;

function fits(
  { minLength = 0, maxLength = Infinity, pattern, ...schema }: JsonSchemaObject,
  types: unknown[],
  value: Json,
) {
  if (typeof value === 'string') {
    if (!types.includes('string') || value.length < Number(minLength) || value.length > Number(maxLength)) return false;
    return typeof pattern !== 'string' || matches(pattern, value);
  }
  const number = Number(value);
  if (!types.includes('number') && !(types.includes('integer') && Number.isInteger(number))) return false;
  const limit = (keyword: string, fallback: number): number => Number(schema[keyword] ?? fallback);
  return (
    number >= limit('minimum', -Infinity) &&
    number <= limit('maximum', Infinity) &&
    number > limit('exclusiveMinimum', -Infinity) &&
    number < limit('exclusiveMaximum', Infinity) &&
    (schema['multipleOf'] === undefined || Number.isInteger(number / Number(schema['multipleOf'])))
  );
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

const WORDS = [
  'amber',
  'birch',
  'cedar',
  'delta',
  'ember',
  'fern',
  'garnet',
  'harbor',
  'indigo',
  'juniper',
  'maple',
  'river',
];
const PHRASES = [
  'Amber light',
  'Birch forest',
  'Cedar house',
  'Green river',
  'Morning mist',
  'North harbor',
  'Open field',
];
const FIRST_NAMES = [
  'Emma',
  'Liam',
  'Olivia',
  'Noah',
  'Ava',
  'Elias',
  'Mia',
  'Lucas',
  'Sofia',
  'Mateo',
  'Aisha',
  'Kenji',
];
const LAST_NAMES = [
  'Clark',
  'Garcia',
  'Nguyen',
  'Smith',
  'Rossi',
  'Kowalski',
  'Haddad',
  'Sato',
  'Jansen',
  'Okafor',
  'Silva',
  'Berg',
];
const USERS = FIRST_NAMES.map((first, index) => `${first}.${LAST_NAMES[index] ?? ''}`.toLowerCase());
const PEOPLE = FIRST_NAMES.map((first, index) => `${first} ${LAST_NAMES[index] ?? ''}`);
const THINGS = [
  'Walnut table',
  'Blue kettle',
  'Desk lamp',
  'Wool scarf',
  'Travel mug',
  'Oak shelf',
  'Rain jacket',
  'Hand cream',
];
const TITLES = [
  'A walk in the woods',
  'The long winter',
  'Notes on light',
  'How to bake bread',
  'A guide to small gardens',
];
const SENTENCES = [
  'It arrived on time and works well.',
  'A short text about this resource.',
  'Made by hand from local materials.',
  'See the notes for more details.',
  'Thank you for your help with this.',
];
const COMPANIES = ['Northwind Books', 'Harbor Coffee', 'Cedar Software', 'Alpine Tools', 'Riverside Bakery'];
const SLUGS = TITLES.map((title) => title.toLowerCase().replaceAll(' ', '-'));
const PRICES = [4.5, 9.99, 12, 19.99, 24.5, 35, 49, 89.95, 120];
const COUNTS = [1, 2, 3, 5, 8, 12, 20, 34];
const TOKENS = WORDS.map((word) => hash('sha256', word).slice(0, 40));
const ADDRESSES = ['12 Main Street', '7 Mill Lane', '221 Baker Street', '5 Station Road', '48 Park Avenue'];

const START = Date.UTC(2026, 0, 5, 8, 30);
const STEP_MS = 31 * 60 * 60 * 1000 + 17 * 60 * 1000 + 5_000;
const INSTANTS = Array.from({ length: 40 }, (_, index) => START + index * STEP_MS);
const TIMES = INSTANTS.map(textOfInstant);
const SECONDS = INSTANTS.map((instant) => instant / 1_000);
const DATES = TIMES.map((text) => text.slice(0, 10));
const BIRTHDAYS = DATES.map((text, index) => `${String(1960 + index)}${text.slice(4)}`);

/** Formats an instant as in `2026-01-05T08:30:00Z`. */
function textOfInstant(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

const URLS = SLUGS.map((slug) => `https://example.com/${slug}`);
const IMAGES = WORDS.map((word) => `https://example.com/images/${word}.jpg`);
const urlsFor = (name: string): readonly string[] => (IMAGE.test(name) ? IMAGES : URLS);
const IMAGE = /(?:^|_)(?:image|avatar|photo|picture|thumbnail|icon|logo|cover)(?:_|$|s$)/;
const BIRTH = /birth|(?:^|_)dob$/;
const EMAILS = USERS.map((user) => `${user}@example.com`);
const PHONES = Array.from({ length: 10 }, (_, index) => `+12025550${String(110 + index * 7)}`);

const FORMATS: ReadonlyMap<string, (name: string) => readonly string[]> = new Map<
  string,
  (name: string) => readonly string[]
>([
  ['date-time', () => TIMES],
  ['date', (name) => (BIRTH.test(name) ? BIRTHDAYS : DATES)],
  ['time', () => TIMES.map((text) => text.slice(11))],
  ['email', () => EMAILS],
  ['idn-email', () => EMAILS],
  ['hostname', () => WORDS.map((word) => `${word}.example.com`)],
  ['uri', urlsFor],
  ['url', urlsFor],
  ['uri-reference', urlsFor],
  ['ipv4', () => COUNTS.map((count) => `192.0.2.${String(count)}`)],
  ['ipv6', () => COUNTS.map((count) => `2001:db8::${String(count)}`)],
  ['phone', () => PHONES],
  ['password', () => WORDS.map((word) => `${word}-and-river-7`)],
]);

/** Values by words of a name. The first match counts. */
const NAMES: readonly (readonly [words: RegExp, values: readonly Json[]])[] = [
  [/(?:^|_)e_?mail(?:_address)?$/, EMAILS],
  [/(?:^|_)(?:phone|mobile|fax|telephone|tel)(?:_number)?$/, PHONES],
  [/(?:^|_)(?:token|secret|api_?key)$/, TOKENS],
  [/(?:^|_)(?:first_?name|given_?name|forename)$/, FIRST_NAMES],
  [/(?:^|_)(?:last_?name|sur_?name|family_?name)$/, LAST_NAMES],
  [/(?:^|_)(?:user_?name|login|nick_?name|handle|screen_name)$/, USERS],
  [
    /(?:^|_)(?:full_?name|display_?name|author|owner|customer|person|contact|assignee|reviewer|artist|director)(?:_name)?$/,
    PEOPLE,
  ],
  [/(?:^|_)(?:company|organi[sz]ation|employer|vendor|manufacturer|brand|publisher)(?:_name)?$/, COMPANIES],
  [/(?:^|_)(?:city|town|locality)$/, ['Amsterdam', 'Lisbon', 'Nairobi', 'Osaka', 'Toronto', 'Oslo', 'Lima', 'Berlin']],
  [/(?:^|_)country_code$/, ['NL', 'PT', 'KE', 'JP', 'CA', 'NO', 'PE', 'DE']],
  [
    /(?:^|_)country(?:_name)?$/,
    [...['Netherlands', 'Portugal', 'Kenya', 'Japan', 'Canada', 'Norway'], ...['NL', 'PT', 'KE', 'JP', 'CA', 'NO']],
  ],
  [/(?:^|_)(?:postal_?code|post_?code|zip(?:_?code)?)$/, ['10115', '94103', '75001', '20095', '60601']],
  [/(?:^|_)(?:street|address|address_line|line)(?:_?1)?$/, ADDRESSES],
  [/(?:^|_)(?:province|region|county)$/, ['Ontario', 'Utrecht', 'Bavaria', 'Tuscany', 'Oregon']],
  [/(?:^|_)(?:lat|latitude)$/, [52.37, 38.72, -1.29, 34.69, 43.65]],
  [/(?:^|_)(?:lng|lon|long|longitude)$/, [4.9, -9.14, 36.82, 135.5, -79.38]],
  [/(?:^|_)currency(?:_code)?$/, ['EUR', 'USD', 'GBP', 'JPY', 'eur', 'usd', 'gbp', 'jpy']],
  [/(?:^|_)(?:locale|language|lang)(?:_code)?$/, ['en', 'de', 'fr', 'ja', 'pt']],
  [/(?:^|_)time_?zone$/, ['Europe/Amsterdam', 'America/Toronto', 'Asia/Tokyo', 'UTC']],
  [
    /(?:^|_)(?:price|amount|cost|total|subtotal|fee|tax|discount|balance|salary)(?:_|$)/,
    [...PRICES, ...PRICES.map((price) => price.toFixed(2))],
  ],
  [/(?:^|_)(?:quantity|qty|stock|count|likes|views|pages|guests|seats|number_of_\w+)$/, COUNTS],
  [/(?:^|_)(?:rating|stars|score)$/, [4, 5, 3, 4.5, 2]],
  [/(?:^|_)age$/, [19, 27, 34, 41, 58, 63]],
  [/(?:^|_)year$/, [2019, 2021, 2023, 2024, 2025, '2023', '2024']],
  [/(?:^|_)(?:created|updated|modified|changed|published|timestamp)$|_(?:at|on|time)$/, [...TIMES, ...SECONDS]],
  [BIRTH, BIRTHDAYS],
  [/(?:^|_)date$/, DATES],
  [IMAGE, IMAGES],
  [/(?:^|_)(?:url|uri|website|homepage|link|href|web)$/, URLS],
  [/(?:^|_)slug$/, SLUGS],
  [/(?:^|_)(?:title|headline|subject)$/, TITLES],
  [/(?:^|_)(?:description|summary|bio|about|body|content|text|message|comment|note|notes|review|excerpt)$/, SENTENCES],
  [/(?:^|_)(?:colou?r)$/, ['green', 'blue', 'red', 'white', 'black', 'yellow', '#2e7d32', '#1565c0']],
  [/(?:^|_)(?:status|state)$/, ['active', 'pending', 'done']],
  [/(?:^|_)(?:role|job|job_title|position)$/, ['editor', 'admin', 'member', 'designer']],
  [/(?:^|_)(?:category|genre|department|kind)$/, ['garden', 'kitchen', 'books', 'travel', 'music']],
  [/(?:^|_)(?:file_?name|file)$/, WORDS.map((word) => `${word}.pdf`)],
  [/(?:^|_)version$/, ['1.0.0', '1.2.0', '2.0.1']],
  [/(?:^|_)isbn$/, ['9780141439587', '9780140449136', '9780261103573']],
  [/(?:^|_)name$/, THINGS],
];

/** The order of times in one object, by words of their names. */
const ORDER = [
  /(?:^|_)(?:created|creation|start|started|begin|from)(?:_|$)/,
  /(?:^|_)(?:published|released)(?:_|$)/,
  /(?:^|_)(?:updated|modified|changed|edited)(?:_|$)/,
  /(?:^|_)(?:deleted|closed|ended|end|finished|completed|expires|until|to)(?:_|$)/,
] as const;

/**
 * Orders generated times: the creation of an object is before its changes, and the items of a list are in the order of
 * their creation.
 */
export function withOrderedTimes(value: Json): Json {
  if (isArray(value)) return inOrderOfCreation(value.map(withOrderedTimes));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withOrderedTimes(member)] as const);
  return { ...Object.fromEntries(members), ...orderedTimes(members) };
}

function orderedTimes(members: readonly (readonly [name: string, member: Json])[]): JsonObject {
  const placed = members
    .map(([name, time]) => ({ name, time, order: ORDER.findIndex((words) => words.test(snakeCase(name))) }))
    .filter(({ time, order }) => order >= 0 && isTime(time));
  if (!areAlike(placed.map(({ time }) => time))) return {};
  const times = placed.map(({ time }) => time).sort(compareTimes);
  const names = placed.toSorted((one, other) => one.order - other.order).map(({ name }) => name);
  return Object.fromEntries(names.map((name, index) => [name, times[index] ?? null]));
}

function inOrderOfCreation(items: readonly Json[]): JsonArray {
  const [first = null] = items;
  const name = Object.keys(isObject(first) ? first : {}).find((one) => isCreationTime(one, partAt(first, [one])));
  if (name === undefined) return items;
  const timeOf = (item: Json): Json => partAt(item, [name]);
  const isOrdered = items.every((item) => isTime(timeOf(item))) && areAlike(items.map(timeOf));
  return isOrdered ? items.toSorted((one, other) => compareTimes(timeOf(one), timeOf(other))) : items;
}

/** Returns whether a member is the time of the creation of its object. */
export function isCreationTime(name: string, value: Json): boolean {
  return ORDER[0].test(snakeCase(name)) && isTime(value);
}

/** Returns whether a member is the time of the last change of its object. */
export function isChangeTime(name: string, value: Json): boolean {
  return ORDER[2].test(snakeCase(name)) && isTime(value);
}

/** Returns an instant in the form of another time: text as in `2026-01-05T08:30:00Z`, a date, or seconds. */
export function timeLike(value: Json, instant: number): Json {
  return typeof value === 'string' ? textOfInstant(instant).slice(0, value.length) : instant / 1_000;
}

/** Returns whether a value is a time as generated. */
function isTime(value: Json): boolean {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/.test(value);
  return typeof value === 'number' && Number.isInteger(value) && value >= 1e9 && value < 1e10;
}

function areAlike(times: readonly Json[]): boolean {
  return new Set(times.map((time) => (typeof time === 'string' ? time.length : typeof time))).size === 1;
}

function compareTimes(one: Json, other: Json): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return stringifyJson(one) < stringifyJson(other) ? -1 : 1; // Texts of one length.
}
