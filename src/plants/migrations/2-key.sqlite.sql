-- Only creations that may be repeated have a key; the others are not indexed.
ALTER TABLE plants ADD COLUMN key BLOB;
CREATE UNIQUE INDEX plants_by_key ON plants (key) WHERE key IS NOT NULL;
