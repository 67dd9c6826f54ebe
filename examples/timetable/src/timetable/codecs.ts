import type { Codec } from '@contract-first/engine';
import { xml } from './xml.ts';

/** The codecs of the service, by media type. The generator reads the names. */
export const codecs = {
  'application/xml': xml,
} satisfies Record<string, Codec>;
