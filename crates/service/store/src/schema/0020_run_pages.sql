-- Bytes of files, in compressed parts, by the row that owns them and a name within it: files of pages
-- that were read at once, and of the pages of runs.
CREATE TABLE blobs (
    owner TEXT NOT NULL,
    name  TEXT NOT NULL,
    part  BIGINT NOT NULL,
    body  blob NOT NULL,
    PRIMARY KEY (owner, name, part)
);

-- Links to these files work for minutes only.
DELETE FROM page_files;
DROP TABLE page_file_parts;

-- What a run keeps of the page of an item: the files without their bytes, warnings, and status and
-- headers of the response, as JSON.
CREATE TABLE run_pages (
    job_id   TEXT NOT NULL REFERENCES jobs (id),
    item     BIGINT NOT NULL,
    files    TEXT NOT NULL,
    warnings TEXT NOT NULL,
    response TEXT NOT NULL,
    PRIMARY KEY (job_id, item)
);

-- Stored bytes of the files of a run, and the number of files that were too many.
ALTER TABLE jobs ADD COLUMN file_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN files_not_kept BIGINT NOT NULL DEFAULT 0;
