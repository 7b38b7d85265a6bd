-- The conditions that the items of an export must meet. NULL for all items.
ALTER TABLE exports ADD COLUMN filter TEXT;
