import { existsSync } from 'node:fs';

/**
 * Reads `.env` in the working directory, without overriding variables. Exits with one line when the file is unreadable.
 */
export function readEnvFile(): void {
  try {
    if (existsSync('.env')) process.loadEnvFile();
  } catch {
    console.error('the file .env cannot be read');
    process.exit(1);
  }
}
