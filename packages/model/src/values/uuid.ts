import { hash } from 'node:crypto';

/** Derives a version 4 UUID from a text, deterministically. */
export function uuidOf(text: string): string {
  const digits = hash('sha256', text);
  const variant = '89ab'.charAt(Number.parseInt(digits.charAt(16), 16) % 4);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`];
  return [...parts, variant + digits.slice(17, 20), digits.slice(20, 32)].join('-');
}
