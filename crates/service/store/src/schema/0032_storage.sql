-- The id of this installation, by which it owns its prefixes of object storage, and the last search for
-- objects without a row. One row, made at the first use of a bucket.
CREATE TABLE installation (
    id       BIGINT PRIMARY KEY,
    name     TEXT NOT NULL,
    swept_at BIGINT NOT NULL
);

-- Buckets and folders that have files of this installation, as URLs without credentials.
CREATE TABLE storage_places (
    id        BIGINT PRIMARY KEY,
    url       TEXT NOT NULL UNIQUE,
    opened_at BIGINT NOT NULL
);

-- Objects with parts of files. A row is inserted in the transaction of the rows that refer to it. With
-- `swept` = 1 the object was removed because that transaction did not commit: it cannot commit any more.
CREATE TABLE packs (
    id         TEXT PRIMARY KEY,
    place      BIGINT NOT NULL,
    bytes      BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    swept      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX packs_by_place ON packs (place, id);

-- Parts of files in objects: as `blobs`, with the place of the bytes and their CRC-32.
CREATE TABLE blob_parts (
    owner  TEXT NOT NULL,
    name   TEXT NOT NULL,
    part   BIGINT NOT NULL,
    pack   TEXT NOT NULL REFERENCES packs (id),
    start  BIGINT NOT NULL,
    length BIGINT NOT NULL,
    crc    BIGINT NOT NULL,
    PRIMARY KEY (owner, name, part)
);
CREATE INDEX blob_parts_by_pack ON blob_parts (pack, start);

-- Objects that lost parts. With `erased` = 1 the rest is rewritten even if little is lost.
CREATE TABLE pack_changes (
    pack   TEXT PRIMARY KEY,
    erased BIGINT NOT NULL,
    due_at BIGINT NOT NULL
);
CREATE INDEX pack_changes_by_due ON pack_changes (due_at);
