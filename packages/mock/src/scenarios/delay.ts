import type { IncomingMessage, ServerResponse } from 'node:http';
import { onDisconnect } from '@contract-first/engine/tools';
import { preferredDelay, type Delay } from '../responses/preferences.ts';

/**
 * Creates middleware of Express that delays all responses, also those of the engine. A request whose client disconnects is not
 * carried out.
 *
 * @param usual the delay of requests that ask for none
 */
export function createDelay(usual: Delay, random: () => number) {
  return (req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    const { least, most } = askedDelay(req) ?? usual;
    if (most === 0) {
      next();
      return;
    }
    const timer = setTimeout(
      () => {
        stopWatching();
        next();
      },
      least + random() * (most - least),
    );
    const stopWatching = onDisconnect(req, res, () => {
      clearTimeout(timer);
      res.destroy();
    });
  };
}

function askedDelay({ headers, url = '' }: IncomingMessage): Delay | undefined {
  const [, query = ''] = url.split('?', 2);
  if (headers['prefer'] === undefined && query === '') return undefined;
  return preferredDelay({ rawHeaders: headers, query: Object.fromEntries(new URLSearchParams(query)) });
}
