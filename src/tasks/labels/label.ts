import { type Tagged, writeEtag } from '../../http/conditional'
import { writeInstant } from '../../http/values'
import type { checkedName } from '../named/name'
import type { DraftOf } from '../named/store'
import type { Label } from './schema'
import type { LabelRow } from './store'

/** A new label. Throws invalid_request. */
export function newLabel(
  id: string,
  at: number,
  { name, name_key }: ReturnType<typeof checkedName>,
  color: string | null = null,
): DraftOf<LabelRow> {
  const stamps = { revision: 1, created_at: at, updated_at: at, deleted_at: null }
  return { id, ...stamps, name, name_key, color, size_bytes: labelBytes(name, color) }
}

/** What a label counts towards the quota, in bytes. */
export function labelBytes(name: string, color: string | null): number {
  return Buffer.byteLength(name) + Buffer.byteLength(color ?? '')
}

export function toLabel(row: LabelRow): Tagged<Label> {
  return {
    resource: {
      id: row.id,
      revision: row.revision,
      created_at: writeInstant(row.created_at),
      updated_at: writeInstant(row.updated_at),
      deleted_at: row.deleted_at === null ? null : writeInstant(row.deleted_at),
      name: row.name,
      color: row.color,
      count: row.count,
    },
    etag: writeEtag(row.revision, row.computed_revision),
  }
}
