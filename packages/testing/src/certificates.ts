import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './cleanup.ts';

/** PEM files: a root certificate, and a certificate for `localhost` signed by it. */
export type Certificates = { readonly root: string; readonly certificate: string; readonly key: string };

/** Creates certificates with the openssl command. Removes them when the test ends. */
export function makeCertificates(): Certificates {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const path = (name: string): string => join(folder, name);
  const openssl = (args: string, subject: string): void => {
    execFileSync('openssl', [...args.split(' '), ...(subject === '' ? [] : ['-subj', subject])], {
      cwd: folder,
      stdio: 'pipe',
    });
  };
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  openssl(`req -x509 ${newKey} -keyout root.key -out root.pem -days 2`, '/CN=a root of our own');
  openssl(`req ${newKey} -keyout server.key -out request.pem`, '/CN=localhost');
  writeFileSync(path('extensions'), 'subjectAltName = DNS:localhost');
  openssl(
    'x509 -req -in request.pem -CA root.pem -CAkey root.key -CAcreateserial -extfile extensions -out server.pem -days 2',
    '',
  );
  return { root: path('root.pem'), certificate: path('server.pem'), key: path('server.key') };
}
