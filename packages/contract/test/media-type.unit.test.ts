import { findCodec, matchMediaType } from '../src/operations/media-type.ts';

test.each([
  ['itself', 'application/a+json', ['*/*', 'application/*+json', 'application/a+json'], 'application/a+json'],
  [
    'the range of its suffix',
    'application/a+json',
    ['*/*', 'application/*', 'application/*+json'],
    'application/*+json',
  ],
  [
    'the range of its last suffix',
    'application/a+b+xml',
    ['application/*+b', 'application/*+xml'],
    'application/*+xml',
  ],
  ['its range', 'application/a+json; q=1', ['*/*', 'application/*', 'application/*+xml'], 'application/*'],
  ['any', 'text/plain', ['application/*', '*/*'], '*/*'],
  ['nothing', 'text/plain', ['application/*'], undefined],
])('a media type is matched by %s', (_name, mediaType, documented, match) => {
  expect(matchMediaType(mediaType, documented)).toBe(match);
});

test.each([
  ['application/xml', 'application/xml'],
  ['Application/XML; charset=utf-8', 'application/xml'],
  ['text/csv', 'text/CSV'],
  ['application/vnd.x+xml', undefined],
  ['application/json', undefined],
  ['application/jsonl', undefined],
  ['multipart/form-data', undefined],
  ['text/*', undefined],
])('the codec of %s is %s', (mediaType, codec) => {
  const ofTheEngine = ['application/json', 'application/jsonl', 'multipart/form-data', 'text/*'];
  expect(findCodec(mediaType, ['application/xml', 'text/CSV', ...ofTheEngine])).toBe(codec);
});
