import { existsSync } from 'node:fs';

/** Reads `.env` in the working directory. Variables that are set already stay. Exits with one line when it cannot be read. */
export function readEnvFile(): void {
  try {
    if (existsSync('.env')) process.loadEnvFile();
  } catch {
    console.error('the file .env cannot be read');
    process.exit(1);
  }
}
