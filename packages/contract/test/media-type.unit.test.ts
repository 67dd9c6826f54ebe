import { findCodec, matchMediaType, spellAsDocumented } from '../src/operations/media-type.ts';

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
  ['its range, without a suffix', 'application/json', ['application/*+json', 'application/*'], 'application/*'],
  ['the range of a suffix, if nothing else', 'application/json', ['application/*+json'], 'application/*+json'],
  ['any', 'text/plain', ['application/*', '*/*'], '*/*'],
  ['nothing', 'text/plain', ['application/*'], undefined],
  ['the same parameter', 'a/b;v=2', ['a/b;v=1', 'a/b;v=2'], 'a/b;v=2'],
  ['the same parameter in another spelling', 'A/B ; V="\\2"', ['a/b;v=1', 'a/b; v=2'], 'a/b; v=2'],
  ['the parameters in another order', 'a/b;w=x;v=1', ['a/b', 'a/b;v=1', 'a/b;v=1;w=x'], 'a/b;v=1;w=x'],
  ['itself without the parameters', 'a/b;v=3', ['a/b;v=1', 'a/b'], 'a/b'],
  ['itself before one with parameters that are not sent', 'a/b;q=1', ['a/b;v=1', 'a/b'], 'a/b'],
  ['itself before one with a parameter that is sent and one that is not', 'a/b;v=1', ['a/b;v=1;w=x', 'a/b'], 'a/b'],
  ['itself without a charset', 'a/b', ['a/b;charset=x', 'a/b'], 'a/b'],
  ['the first one with a parameter that is not sent', 'a/b', ['a/b;v=1', 'a/b;v=2'], 'a/b;v=1'],
  ['nothing with another value of a parameter', 'a/b;v=A', ['a/b;v=a'], undefined],
  ['a range where a parameter differs', 'a/b;v=3', ['a/b;v=1', 'a/*'], 'a/*'],
  ['one with another charset', 'a/b;charset=x', ['a/b;charset=utf-8'], 'a/b;charset=utf-8'],
  ['the charset in upper case', 'a/b;charset=Y', ['a/b;charset=x', 'a/b;charset=y'], 'a/b;charset=y'],
  [
    'one with another boundary',
    'multipart/mixed;boundary=b',
    ['multipart/mixed;boundary=a'],
    'multipart/mixed;boundary=a',
  ],
])('a media type is matched by %s', (_name, mediaType, documented, match) => {
  expect(matchMediaType(mediaType, documented)).toBe(match);
});

test.each([
  ['a/b; v=2', 'a/b;v=2', 'a/b;v=2'],
  ['A/B; Charset=x; V="2"', 'a/b; v=2', 'a/b; v=2; Charset=x'],
  ['a/b', 'a/b;charset=utf-8', 'a/b;charset=utf-8'],
  ['Text/CSV; header=absent', 'text/*', 'Text/CSV; header=absent'],
])('%s is spelled as the documented %s', (contentType, documented, spelled) => {
  expect(spellAsDocumented(contentType, documented)).toBe(spelled);
});

test('a codec is found by the parameters of its media type', () => {
  expect(findCodec('application/x; v=2', ['application/x;v=1', 'application/x;v=2'])).toBe('application/x;v=2');
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
