-- An account may have several unfinished jobs for a site: one is admitted, the others wait for it.
DROP INDEX jobs_one_per_site;
CREATE INDEX jobs_of_site ON jobs (account_id, site_key, id) WHERE active = 1;
