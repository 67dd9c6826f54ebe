import type { CorsPolicy } from '../http/accept/cors.ts';
import type { Environment } from './environment.ts';

/** Reads the CORS policy. Returns `undefined` without `CORS_ORIGINS`. */
export function readCorsPolicy(env: Environment): CorsPolicy | undefined {
  const { variables, problems } = env;
  const entries = (variables['CORS_ORIGINS'] ?? '').split(',').map((entry) => entry.trim());
  const origins = entries.filter((entry) => entry !== '');
  const credentials = env.switch('CORS_CREDENTIALS') ?? false;
  const maxAgeSeconds = env.integer('CORS_MAX_AGE_SECONDS', 600, 0, 86_400);
  if (origins.length === 0) {
    if (credentials) problems.push('CORS_CREDENTIALS=on needs CORS_ORIGINS');
    if (variables['CORS_MAX_AGE_SECONDS'] !== undefined) problems.push('CORS_MAX_AGE_SECONDS needs CORS_ORIGINS');
    return undefined;
  }
  if (origins.join() === '*') {
    if (credentials) problems.push('CORS_CREDENTIALS=on needs the origins in CORS_ORIGINS: browsers do not accept *');
    return { origins: '*', credentials, maxAgeSeconds };
  }
  for (const origin of origins.filter((entry) => !isOrigin(entry))) {
    problems.push(
      `CORS_ORIGINS must be * alone or origins as browsers send them, such as https://app.example.com or http://localhost:5173, not "${origin}"`,
    );
  }
  return { origins, credentials, maxAgeSeconds };
}

/** Returns whether a text is an origin in the form of the Origin header: no path, trailing slash or default port. */
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.host === '' || url.host.includes('*')) return false;
  // The origin of other schemes is `null` in the URL Standard, but not in the apps that use them: capacitor://localhost.
  return text === (url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin);
}
