import { expect, test } from '@jest/globals';
import { matchMediaType } from '../src/media-type.ts';

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
