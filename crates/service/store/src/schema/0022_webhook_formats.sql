-- The form of a webhook's deliveries, NULL for events of this API; and the headers of each delivery,
-- encrypted.
ALTER TABLE webhooks ADD COLUMN format TEXT;
ALTER TABLE webhooks ADD COLUMN headers blob;

-- The result that a delivery reports, by its number; -1 for the start of a job, NULL for an event. The
-- body is made when it is sent. The index decides what is sent first.
ALTER TABLE deliveries ADD COLUMN item BIGINT;
CREATE INDEX deliveries_of_items ON deliveries (webhook_id, item)
    WHERE state = 'pending' AND item IS NOT NULL;
