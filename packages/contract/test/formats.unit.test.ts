import { mock } from 'node:test';
import ajvFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { replaceFormats } from '../src/validation/formats.ts';

const stock = new Ajv2020();
const limited = new Ajv2020();
for (const ajv of [stock, limited]) ajvFormats.default(ajv);
replaceFormats(limited);

test('iso-date-time accepts the same texts as in ajv-formats', () => {
  const format = 'iso-date-time';
  const dates = ['2026-02-28', '2026-02-29', '2024-02-29', '26-02-28', '2026-02-28 ', '2026-02-2\n', ''];
  const separators = ['T', 't', ' ', '\n', '\t', '', '-', 'TT', ' t'];
  const times = ['12:00:00Z', '12:00:00.123456+01:00', '23:59:60z', '23:59:61z', '12:00:00', '12:00Z', '12:00:00T', ''];
  const texts = dates.flatMap((date) =>
    separators.flatMap((separator) => times.map((time) => date + separator + time)),
  );
  const accepted = (ajv: Ajv2020): unknown[] => texts.filter((text) => ajv.validate({ type: 'string', format }, text));
  expect(accepted(limited)).toEqual(accepted(stock));
  expect(accepted(limited)).toContain('2026-02-28T12:00:00Z');
});

test.each(['date-time', 'iso-date-time'])('%s does not split the text at separators', (format) => {
  const check = limited.compile({ type: 'string', format });
  const split = mock.method(String.prototype, 'split');
  expect(check('t'.repeat(1_000))).toBe(false);
  expect(check('2026-01-01T12:00:00Z'.repeat(50))).toBe(false);
  expect(split.mock.callCount()).toBe(0);
  split.mock.restore();
});

test('regex accepts JavaScript patterns of at most 64 KiB', () => {
  const isRegex = limited.compile({ type: 'string', format: 'regex' });
  expect(
    ['', '^[a-z]+$', '(?<year>\\d{4})', '(', 'a\\Z', 'a'.repeat(65_536), 'a'.repeat(65_537)].filter((text) =>
      isRegex(text),
    ),
  ).toEqual(['', '^[a-z]+$', '(?<year>\\d{4})', 'a'.repeat(65_536)]);
});

test.each<[string, readonly string[], readonly string[]]>([
  [
    'date-time',
    ['2026-01-01T23:59:59.999999999999999Z', '2016-12-31T23:59:60.5Z'],
    ['2016-12-31T24:59:60+01:00', '2026-01-01T12:00:00.Z', '2026-01-01T12:00.5:00Z'],
  ],
  ['time', ['23:59:59.9999999999999999+01:00'], ['24:59:60+01:00', '12:00:00.Z']],
  [
    'uri',
    [
      'http://a:80',
      'http://a:/b',
      'http://[::1]:80/',
      'http://u:p@a:80/b:c',
      'urn:a:b',
      'http://a/b://c:d',
      'http://u:p@a',
    ],
    ['http://a:b', 'http://a:80x/c', 'http://[::1]:b', 'http://u:p@a:b'],
  ],
  ['uri-template', ['/a/{b.c}{?d*,e:3}', "a'b", '{+a}%20é'], ['{a', '{a..b}', '{.}', 'a b', '\u007f', '%2']],
])('%s accepts the texts of its specification', (format, valid, invalid) => {
  const isValid = limited.compile({ type: 'string', format });
  const texts = [...valid, ...invalid];
  expect(texts.filter((text) => isValid(text))).toEqual(valid);
});
