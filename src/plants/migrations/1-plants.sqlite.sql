-- `seq` is the order of creation. The index by id ends with `seq`, as every index of a rowid table does, so it also
-- finds the latest plant with an id.
CREATE TABLE plants (
  seq INTEGER PRIMARY KEY,
  id INTEGER NOT NULL,
  plant TEXT NOT NULL
) STRICT;
CREATE INDEX plants_by_id ON plants (id);
