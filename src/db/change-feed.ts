import type { Session } from './database'

export const RESOURCE_TYPES = [
  'note',
  'attachment',
  'task',
  'task_project',
  'task_section',
  'task_label',
  'task_filter',
  'task_feed',
  'deck',
  'fact',
  'card',
  'review',
  'note_type',
  'media',
  'study_settings',
  'workspace_settings',
] as const

export type ResourceType = (typeof RESOURCE_TYPES)[number]

export interface Change {
  readonly type: ResourceType
  readonly id: string
  /** `delete` if the resource was moved to the trash or erased: in both cases it is no longer listed. */
  readonly op: 'upsert' | 'delete'
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly at: number
  /** The difference in the number of resources: 1, 0 or -1. */
  readonly resources: number
  readonly bytes: number
}

/**
 * Records a change in the feed and in the totals of the workspace. Every service calls it once for each change, in the
 * transaction of the change (`session.db`). Throws quota_exceeded if the change would exceed the quota, and
 * storage_full if it adds data on a full disk. Implemented by createWorkspaces.
 */
export type RecordChange = (session: Session, change: Change) => Promise<void>

export type RecordChanges = (session: Session, changes: readonly Change[]) => Promise<void>

/** Counts bytes that belong to no change; negative bytes free quota. Throws quota_exceeded and storage_full. */
export type Reserve = (session: Session, bytes: number) => Promise<void>
