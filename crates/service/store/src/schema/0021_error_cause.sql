-- What failed, if the site of a job could not be read. NULL for other ends, and for jobs of earlier
-- releases.
ALTER TABLE jobs ADD COLUMN error_cause TEXT;
