import type { Value } from '../sql.ts';

// Types of PostgreSQL by their OID, as in pg_type.
const [BOOL, BYTEA, INT8, INT2, INT4, OID, FLOAT4, FLOAT8] = [16, 17, 20, 21, 23, 26, 700, 701];
const TEXT_FORMAT_PREFIX = String.raw`\x`;

/** Returns the parser of a type: it yields the same value as SQLite. Other types stay text. */
export function parserOf(typeOid: number): (text: string) => Value {
  switch (typeOid) {
    case INT2:
    case INT4:
    case INT8:
    case OID:
      return BigInt;
    case FLOAT4:
    case FLOAT8:
      return Number;
    case BOOL:
      return (text) => (text === 't' ? 1n : 0n);
    case BYTEA:
      return (text) => new Uint8Array(Buffer.from(text.slice(TEXT_FORMAT_PREFIX.length), 'hex'));
    default:
      return (text) => text;
  }
}
