import { writeInstant } from '../../http/values'
import type { GroupRow } from './store'

/** The members that an answer begins with; see `stamps` of schema.ts. */
export function toGroupMembers({ id, revision, created_at, updated_at, deleted_at, name }: GroupRow) {
  return {
    id,
    revision,
    created_at: writeInstant(created_at),
    updated_at: writeInstant(updated_at),
    deleted_at: deleted_at === null ? null : writeInstant(deleted_at),
    name,
  }
}

/** What a new row begins with. */
export function newGroupMembers(id: string, at: number) {
  return { id, revision: 1, created_at: at, updated_at: at, deleted_at: null }
}

/** What texts count towards the quota, in bytes. */
export function textBytes(...texts: readonly (string | null)[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
}
