import type { Session } from './database'

/** The kinds of resources in the change feed. */
export type ResourceType =
  | 'note'
  | 'task'
  | 'task_project'
  | 'task_section'
  | 'task_label'
  | 'task_filter'
  | 'task_feed'
  | 'deck'
  | 'fact'
  | 'card'
  | 'review'
  | 'media'
  | 'study_settings'

/** One change of one resource, as it is recorded in the feed. */
export interface Change {
  readonly type: ResourceType
  readonly id: string
  /** `delete` for what went to the trash or is gone for good: either way it is no longer in any list. */
  readonly op: 'upsert' | 'delete'
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** How many resources more (or fewer) the workspace holds: 1, 0 or -1. */
  readonly resources: number
  /** How many bytes more (or fewer) it holds. */
  readonly bytes: number
}

/**
 * Writes a change into the feed and the workspace's totals. Every service calls it once for every change, in the
 * transaction of the change (`session.db`). Throws quota_exceeded if the change would outgrow the
 * workspace, and storage_full if it grows on a full disk.
 */
export type RecordChange = (session: Session, change: Change) => Promise<void>

/** The same for many changes at once. */
export type RecordChanges = (session: Session, changes: readonly Change[]) => Promise<void>

/** Counts bytes that belong to no change towards the workspace's quota, or gives them back. Throws quota_exceeded, storage_full. */
export type Reserve = (session: Session, bytes: number) => Promise<void>
