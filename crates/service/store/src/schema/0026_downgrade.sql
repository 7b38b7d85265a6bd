-- The number of migrations that a release must know to work with the schema after this step; 0 in the
-- rows of earlier steps. A release that knows fewer refuses to start.
ALTER TABLE schema_version ADD COLUMN needs BIGINT NOT NULL DEFAULT 0;
