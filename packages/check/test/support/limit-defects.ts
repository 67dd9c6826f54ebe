import type { CheckName } from '../../src/judgement/checks.ts';
import {
  any,
  anyText,
  circle,
  integer,
  isDayOf,
  LIMITED,
  limitedServer,
  list,
  map,
  matching,
  number,
  oneOf,
  record,
  square,
  text,
  type Rule,
} from './limited-server.ts';
import type { BrokenServer } from './defects.ts';

// Each server has one limit that differs from its document: too lax or too strict.

type Wrong = readonly [name: string, operation: string, property: string, rule: Rule];

/** Returns the correct rule of a property, to extend or to restrict it. */
const known = (operation: string, property: string): Rule => {
  const { rule } = LIMITED[operation]?.[property] ?? {};
  if (rule === undefined) throw new Error(`${operation} has no ${property}`);
  return rule;
};
const also =
  (operation: string, property: string, isAccepted: Rule): Rule =>
  (value) =>
    known(operation, property)(value) || isAccepted(value);
const except =
  (operation: string, property: string, isRefused: Rule): Rule =>
  (value) =>
    known(operation, property)(value) && !isRefused(value);

const utf16 = (value: string): number => value.length;
const bytes = (value: string): number => Buffer.byteLength(value);
const segmenter = new Intl.Segmenter('en');
const graphemes = (value: string): number => [...segmenter.segment(value)].length;
const trimmed = (value: string): number => Array.from(value.trim()).length;
const lower =
  (rule: Rule): Rule =>
  (value) =>
    rule(typeof value === 'string' ? value.toLowerCase() : value);
const trim =
  (rule: Rule): Rule =>
  (value) =>
    rule(typeof value === 'string' ? value.trim() : value);
const digit = integer(0n, 9n);
const row = record({ a: digit, b: digit }, {}, () => true);
const tag = text(0, 5);

const TOO_LAX: readonly Wrong[] = [
  ['accepts one below the minimum', 'putNumbers', 'amount', integer(0n, 100n)],
  ['accepts one above the maximum', 'putNumbers', 'amount', integer(1n, 101n)],
  ['takes an exclusive minimum for an inclusive one', 'putNumbers', 'between', integer(0n, 9n)],
  ['takes an exclusive maximum for an inclusive one', 'putNumbers', 'between', integer(1n, 10n)],
  ['takes zero for a positive number', 'putNumbers', 'ratio', number((value) => value >= 0 && value < 1)],
  ['takes one for a number below it', 'putNumbers', 'ratio', number((value) => value > 0 && value <= 1)],
  ['rounds numbers down before the maximum', 'putNumbers', 'degrees', number((n) => n >= -1.5 && Math.floor(n) <= 90)],
  ['rounds numbers up before the minimum', 'putNumbers', 'degrees', number((n) => Math.ceil(n) >= -1.5 && n <= 90)],
  ['accepts any step', 'putNumbers', 'step', integer(0n, 1_000n)],
  ['accepts the step beyond the maximum', 'putNumbers', 'step', (v) => integer(0n, 1_005n)(v) && Number(v) % 5 === 0],
  [
    'accepts the step below the minimum',
    'putNumbers',
    'quarter',
    number((n) => n >= -0.25 && n <= 1_000 && n % 0.25 === 0),
  ],
  ['accepts half a step', 'putNumbers', 'quarter', number((n) => n >= 0 && n <= 1_000 && n % 0.125 === 0)],
  ['accepts one more than int32', 'putNumbers', 'small', integer(-(2n ** 31n), 2n ** 31n)],
  ['accepts one less than int32', 'putNumbers', 'small', integer(-(2n ** 31n) - 1n, 2n ** 31n - 1n)],
  ['accepts one more than int64', 'putNumbers', 'big', integer(-(2n ** 63n), 2n ** 63n)],
  ['accepts one less than int64', 'putNumbers', 'big', integer(-(2n ** 63n) - 1n, 2n ** 63n - 1n)],
  ['accepts a text that is one too short', 'putTexts', 'title', text(1, 10)],
  ['accepts a text that is one too long', 'putTexts', 'title', text(2, 11)],
  ['counts UTF-16 units for the minimum', 'putTexts', 'title', (v) => text(2, 99, utf16)(v) && text(0, 10)(v)],
  [
    'counts visible characters for the maximum',
    'putTexts',
    'title',
    (v) => text(2, 99)(v) && text(0, 10, graphemes)(v),
  ],
  ['counts a text without its white space', 'putTexts', 'title', (v) => text(2, 99)(v) && text(0, 10, trimmed)(v)],
  ['accepts a long text that is one too long', 'putTexts', 'essay', text(0, 10_001)],
  ['finds the pattern at the start', 'putTexts', 'code', matching(/^[a-z]{3}/)],
  ['finds the pattern at the end', 'putTexts', 'code', matching(/[a-z]{3}$/)],
  ['finds the pattern in a line', 'putTexts', 'code', matching(/^[a-z]{3}$/m)],
  ['ignores a line break after the pattern', 'putTexts', 'code', matching(/^[a-z]{3}\n?$/)],
  ['ignores the case of the pattern', 'putTexts', 'code', matching(/^[a-z]{3}$/i)],
  ['removes white space before the pattern', 'putTexts', 'code', trim(matching(/^[a-z]{3}$/))],
  ['does not look at the unanchored pattern', 'putTexts', 'hint', anyText],
  ['ignores the case of a choice', 'putTexts', 'colour', lower(oneOf('red', 'green'))],
  ['removes white space around a choice', 'putTexts', 'colour', trim(oneOf('red', 'Green'))],
  ['accepts the start of a choice', 'putTexts', 'colour', matching(/^(?:r|re|red|G\w*)$/)],
  ['reads a constant number from text', 'putTexts', 'version', oneOf(2n, '2')],
  ['has 29 February in every year', 'putTexts', 'day', (value) => isDayOf(value, () => true)],
  ['has 29 February in 1900', 'putTexts', 'day', (value) => isDayOf(value, (year) => year % 4 === 0)],
  ['accepts any constant', 'putTexts', 'kind', anyText],
  ['accepts an empty list', 'putLists', 'tags', list(0, 3, tag)],
  ['accepts an item without its list', 'putLists', 'rows', (v) => known('putLists', 'rows')([v].flat())],
  ['accepts one item too many', 'putLists', 'tags', list(1, 4, tag)],
  ['accepts equal items', 'putLists', 'tags', list(1, 3, tag, false)],
  ['accepts equal objects', 'putLists', 'rows', list(0, Infinity, row, false)],
  [
    'compares the texts of objects',
    'putLists',
    'rows',
    (v) => list(0, Infinity, row, false)(v) && new Set((v as unknown[]).map(textOf)).size === (v as unknown[]).length,
  ],
  ['accepts an item that is too long', 'putLists', 'tags', list(1, 3, text(0, 6))],
  ['accepts an item beyond the maximum', 'putLists', 'all', list(0, Infinity, integer(-5n, 6n), false)],
  ['accepts 201 of 200 items', 'putLists', 'many', list(0, 201, oneOf(true, false), false)],
  ['accepts an empty object', 'putObjects', 'counts', map(0, 4, digit)],
  ['accepts an object in a list', 'putObjects', 'box', (v) => known('putObjects', 'box')([v].flat()[0])],
  ['accepts one property too many', 'putObjects', 'counts', map(1, 5, digit)],
  ['does not look at the values of a map', 'putObjects', 'counts', map(1, 4, any)],
  ['accepts a value of a map beyond its maximum', 'putObjects', 'counts', map(1, 4, integer(0n, 10n))],
  ['does not need a nested property', 'putObjects', 'box', record({}, { depth: integer(1n, 6n), label: text(0, 4) })],
  [
    'accepts a nested number beyond its maximum',
    'putObjects',
    'box',
    record({ depth: integer(1n, 7n) }, { label: text(0, 4) }),
  ],
  [
    'accepts a nested text that is too long',
    'putObjects',
    'box',
    record({ depth: integer(1n, 6n) }, { label: text(0, 5) }),
  ],
  [
    'accepts a property that differs in case',
    'putObjects',
    'box',
    record({ depth: integer(1n, 6n) }, { label: text(0, 4) }, (name) => /^(?:depth|label)$/i.test(name)),
  ],
  ['accepts both alternatives of oneOf', 'putObjects', 'shape', (value) => circle(value) || square(value)],
  ['accepts a value that matches no alternative', 'putObjects', 'figure', record({}, {}, () => true)],
  [
    'accepts a number that matches both alternatives',
    'putObjects',
    'multiple',
    also('putObjects', 'multiple', oneOf(15n, 30n, 45n, 60n, 0n)),
  ],
  ['accepts the page before the first', 'find', 'page', integer(0n, 50n)],
  ['accepts a page too many', 'find', 'page', integer(1n, 51n)],
  ['accepts a word that is too short', 'find', 'word', text(1, 8)],
  ['counts UTF-16 units of a word', 'find', 'word', (v) => text(2, 99, utf16)(v) && text(0, 8)(v)],
  ['accepts a word that is too long', 'find', 'word', text(2, 9)],
  ['ignores the case of an order', 'find', 'order', lower(oneOf('up', 'down'))],
];

const TOO_STRICT: readonly Wrong[] = [
  ['refuses the minimum', 'putNumbers', 'amount', integer(2n, 100n)],
  ['refuses the maximum', 'putNumbers', 'amount', integer(1n, 99n)],
  ['refuses the number beside an exclusive minimum', 'putNumbers', 'between', integer(2n, 9n)],
  ['refuses the number beside an exclusive maximum', 'putNumbers', 'between', integer(1n, 8n)],
  ['refuses the minimum with a fraction', 'putNumbers', 'degrees', number((value) => value > -1.5 && value <= 90)],
  ['refuses the fraction below a maximum', 'putNumbers', 'degrees', number((n) => n >= -1.5 && Math.ceil(n) < 90)],
  ['refuses the largest step', 'putNumbers', 'step', except('putNumbers', 'step', oneOf(1_000n))],
  ['refuses the smallest int32', 'putNumbers', 'small', integer(-(2n ** 31n) + 1n, 2n ** 31n - 1n)],
  ['refuses the largest int32', 'putNumbers', 'small', integer(-(2n ** 31n), 2n ** 31n - 2n)],
  ['refuses the smallest int64', 'putNumbers', 'big', integer(-(2n ** 63n) + 1n, 2n ** 63n - 1n)],
  ['refuses the largest int64', 'putNumbers', 'big', integer(-(2n ** 63n), 2n ** 63n - 2n)],
  ['refuses the shortest text', 'putTexts', 'title', text(3, 10)],
  ['refuses the longest text', 'putTexts', 'title', text(2, 9)],
  ['counts UTF-16 units for the maximum', 'putTexts', 'title', (v) => text(2, 99)(v) && text(0, 10, utf16)(v)],
  ['counts bytes for the maximum', 'putTexts', 'title', (v) => text(2, 99)(v) && text(0, 10, bytes)(v)],
  [
    'counts visible characters for the minimum',
    'putTexts',
    'title',
    (v) => text(2, 10)(v) && text(2, 99, graphemes)(v),
  ],
  ['removes white space before the minimum', 'putTexts', 'title', (v) => text(2, 10)(v) && text(2, 99, trimmed)(v)],
  ['refuses the longest of the long texts', 'putTexts', 'essay', text(0, 9_999)],
  ['refuses long texts', 'putTexts', 'remark', text(0, 9_999)],
  ['anchors the pattern', 'putTexts', 'hint', matching(/^[0-9]$/)],
  ['anchors the pattern at its start', 'putTexts', 'hint', matching(/^[0-9]/)],
  [
    'has no 29 February in 2000',
    'putTexts',
    'day',
    (value) => isDayOf(value, (year) => year % 4 === 0 && year % 100 !== 0),
  ],
  ['has no 29 February', 'putTexts', 'day', (value) => isDayOf(value, () => false)],
  ['refuses a UUID in upper case', 'putTexts', 'key', matching(/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/)],
  ['refuses another choice', 'putTexts', 'colour', oneOf('red')],
  ['refuses null', 'putTexts', 'note', anyText],
  ['refuses the longest list', 'putLists', 'tags', list(1, 2, tag)],
  ['refuses the shortest list', 'putLists', 'tags', list(2, 3, tag)],
  ['refuses the longest item', 'putLists', 'tags', list(1, 3, text(0, 4))],
  ['refuses equal items', 'putLists', 'all', list(0, Infinity, integer(-5n, 5n))],
  ['refuses long lists', 'putLists', 'all', list(0, 999, integer(-5n, 5n), false)],
  ['refuses the longest of the long lists', 'putLists', 'many', list(0, 199, oneOf(true, false), false)],
  ['refuses the smallest object', 'putObjects', 'counts', map(2, 4, digit)],
  ['refuses the largest object', 'putObjects', 'counts', map(1, 3, digit)],
  ['refuses the largest value of a map', 'putObjects', 'counts', map(1, 4, integer(0n, 8n))],
  ['refuses the nested maximum', 'putObjects', 'box', record({ depth: integer(1n, 5n) }, { label: text(0, 4) })],
  ['needs an optional nested property', 'putObjects', 'box', record({ depth: integer(1n, 6n), label: text(0, 4) }, {})],
  ['refuses one alternative of oneOf', 'putObjects', 'shape', (value) => circle(value) && !square(value)],
  ['refuses one alternative of anyOf', 'putObjects', 'figure', square],
  ['refuses both alternatives of anyOf', 'putObjects', 'figure', (value) => circle(value) !== square(value)],
  ['refuses the first page', 'find', 'page', integer(2n, 50n)],
  ['refuses the last page', 'find', 'page', integer(1n, 49n)],
  ['refuses the longest word', 'find', 'word', text(2, 7)],
  ['counts bytes of a word', 'find', 'word', (v) => text(2, 99)(v) && text(0, 8, bytes)(v)],
  ['refuses another order', 'find', 'order', oneOf('up')],
];

function textOf(value: unknown): string {
  return Object.entries(value as object).join();
}

/**
 * Creates the servers. The first defect of each operation is searched in a body with all properties, the other defects
 * in a body with only the affected property, which takes an eighth of the requests.
 */
const serversOf = (check: CheckName, defects: readonly Wrong[]): readonly BrokenServer[] =>
  defects.map(([name, operation, property, rule], index): BrokenServer => {
    const isFirst = defects.findIndex(([, other]) => other === operation) === index;
    const isAlone = operation in LIMITED && !isFirst;
    return [`${name} (${property})`, check, isAlone ? property : operation, limitedServer({ [property]: rule })];
  });

export const SERVERS_WITH_WRONG_LIMITS: readonly BrokenServer[] = [
  ...serversOf('negative_data_rejection', TOO_LAX),
  ...serversOf('positive_data_acceptance', TOO_STRICT),
];
