import { essenceOf } from '@contract-first/contract';

/** Pictures of one pixel, as base64. */
const PICTURES: ReadonlyMap<string, string> = new Map([
  ['image/gif', 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'],
  [
    'image/jpeg',
    `/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP${'/'.repeat(86)}wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=`,
  ],
  ['image/png', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='],
  ['image/webp', 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'],
]);

/** Returns a valid file of a media type that browsers show; `undefined` for others. */
export function sampleFile(mediaType: string): Buffer | undefined {
  const essence = essenceOf(mediaType);
  if (essence === 'image/svg+xml') return Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>');
  const picture = PICTURES.get(essence);
  return picture === undefined ? undefined : Buffer.from(picture, 'base64');
}
