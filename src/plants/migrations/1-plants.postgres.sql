-- No sequence: all writers of a distributed engine would contend for it. `key` is random, so such an engine spreads
-- the rows, or groups them by `id`. The order of creation is (created_at, place, key).
-- By their documentation, YugabyteDB 2025.1 and CockroachDB work unchanged. If ids count upwards on CockroachDB, replace
-- `plants_by_id` by CREATE INDEX ON plants (id, created_at) USING HASH. Citus cannot plan the subquery of `insert` on
-- a distributed table, so `plants` must be an ordinary one.
CREATE TABLE plants (
  key uuid NOT NULL,
  id bigint NOT NULL,
  created_at timestamptz NOT NULL,
  place integer NOT NULL,
  plant text NOT NULL,
  PRIMARY KEY (key, id)
);
CREATE INDEX plants_by_id ON plants (id, created_at);
