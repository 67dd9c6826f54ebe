import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type ConnectionOptions } from 'node:tls';
import type { PostgresTls } from './location.ts';
import { DatabaseUnavailable } from '../database.ts';

/**
 * Translates libpq's `sslmode` to Node's TLS options; the files are read now, so that a certificate may be renewed while the
 * service runs.
 *
 * @throws {DatabaseUnavailable} when a file cannot be read, or holds something else
 */
export function readTlsOptions({ mode, rootCertificate, certificate, key }: PostgresTls): ConnectionOptions {
  const trusted =
    rootCertificate === undefined || rootCertificate === 'system' ? undefined : read('sslrootcert', rootCertificate);
  const options: ConnectionOptions = {
    // In every mode, libpq verifies the server if and only if a root certificate is given.
    rejectUnauthorized: rootCertificate !== undefined,
    ...(rootCertificate !== undefined && {
      ca: trusted ?? getCACertificates('system'),
    }),
    ...(certificate !== undefined && { cert: read('sslcert', certificate) }),
    ...(key !== undefined && { key: read('sslkey', key) }),
    ...(mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
  try {
    // Node accepts a file without certificates, and would then trust no server.
    if (trusted !== undefined) new X509Certificate(trusted);
    createSecureContext(options);
  } catch (error) {
    throw unusable('what sslrootcert, sslcert and sslkey name', error);
  }
  return options;
}

function read(parameter: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unusable(`the file ${path} of ${parameter}`, error);
  }
}

function unusable(what: string, cause: unknown): DatabaseUnavailable {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return new DatabaseUnavailable(`DATABASE_URL: ${what} cannot be used (${code})`, { cause });
}
