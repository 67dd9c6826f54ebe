import type { StoredPlant } from './plant-store.ts';

// Both databases keep a plant as JSON text beside its id: SQLite cuts text at U+0000, PostgreSQL refuses it, and UTF-8
// has no lone surrogates; JSON escapes both.

/** A plant, but its id, as text. */
export function toText({ name, tag }: StoredPlant): string {
  return JSON.stringify({ name, tag });
}

/** The plant that such a text was made of. */
export function toPlant(id: bigint, text: string): StoredPlant {
  return { id, ...(JSON.parse(text) as Omit<StoredPlant, 'id'>) };
}
