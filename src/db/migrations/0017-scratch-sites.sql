-- A scratch space belongs to an address and a site; the address answers for all of its sites together.
-- What stands for the address, 32 hexadecimal digits. NULL with a key.
ALTER TABLE workspaces ADD COLUMN address TEXT;
-- The hour of its last request, in hours since 1970, by which it is cleared. NULL with a key.
ALTER TABLE workspaces ADD COLUMN asked_hour INTEGER;

-- Until now there was one for each address, under the name that the address has: it goes on as that of the loopback
-- names. When it was last asked for stands elsewhere, so its 24 hours begin anew.
UPDATE workspaces SET address = id, asked_hour = unixepoch() / 3600 WHERE kind = 'scratch';

CREATE INDEX workspaces_by_address ON workspaces (address) WHERE address IS NOT NULL;
CREATE INDEX workspaces_quiet ON workspaces (asked_hour) WHERE asked_hour IS NOT NULL;
