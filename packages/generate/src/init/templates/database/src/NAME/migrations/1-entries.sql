-- Runs once in each database. Change tables by further files: 2-name.sql for both databases, or 2-name.sqlite.sql and
-- 2-name.postgres.sql.
CREATE TABLE entries (name text PRIMARY KEY, json text NOT NULL);
