-- What the clearing up looks for, whatever the workspace: deletions that the feed need not tell of any more, and stored
-- outcomes that are not replayed any more.
CREATE INDEX changes_deleted ON changes (changed_at) WHERE op = 'delete';
CREATE INDEX idempotency_stored ON idempotency (created_at);
