import { NO_OUTSIDE, readAllowedRefs, type AllowedRefs } from '@contract-first/documents';
import type { OptionReader } from './option-reader.ts';

/** Reads the kinds of files outside its folder that a document may refer to. */
export function readRefs({ textsOf, placeOf, refuse }: OptionReader): AllowedRefs {
  try {
    return readAllowedRefs(textsOf('allow-refs'));
  } catch (error) {
    refuse(`${placeOf('allow-refs').replace(/--allow-refs$/, '')}${(error as Error).message}`);
    return NO_OUTSIDE;
  }
}
