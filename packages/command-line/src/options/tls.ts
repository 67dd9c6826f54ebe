import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { describeSystemError } from '@contract-first/contract';
import type { OptionDeclaration } from './declaration.ts';
import type { OptionReader } from './option-reader.ts';

/** How a client verifies a server, and its own certificate. The members are options of Node's `tls.connect`. */
export type Tls = {
  readonly ca?: string[];
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly rejectUnauthorized?: boolean;
};

/** The options of TLS connections. curl has the same options, except that `--ca` is `--cacert`. */
export const TLS_OPTIONS: readonly OptionDeclaration[] = (
  [
    ['ca', 'text', 'trust the certificates of this authority, too, in PEM'],
    ['cert', 'text', 'the certificate of the client, in PEM'],
    ['key', 'text', "the key of the client's certificate, in PEM (default: it is in the file of --cert)"],
    ['insecure', 'flag', 'accept any certificate of the server'],
  ] as const
).map(([name, kind, text]) => ({ name, kind, text, group: 'TLS', ...(kind === 'text' && { value: 'FILE' }) }));

/** Reads the options of TLS connections. */
export function readTls({ has, textOf, placeOf, refuse }: OptionReader): Tls {
  const read = (name: string): Buffer | undefined => {
    const path = textOf(name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path);
    } catch (error) {
      refuse(`${placeOf(name)}: ${describeSystemError(error)}`);
      return undefined;
    }
  };
  const [ca, cert, key] = [read('ca'), read('cert'), read('key')];
  if (has('key') && !has('cert')) refuse(`${placeOf('key')} needs the certificate: --cert FILE`);
  return {
    ...(ca !== undefined && { ca: [...rootCertificates, ca.toString()] }),
    ...(cert !== undefined && { cert, key: key ?? cert }),
    ...(has('insecure') && { rejectUnauthorized: false }),
  };
}
