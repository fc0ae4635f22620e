import { type Tagged, writeEtag } from '../../http/conditional'
import type { checkedName } from '../named/name'
import { bytesOf, newStamps, shownStamps } from '../named/stamps'
import type { DraftOf } from '../named/store'
import type { Label } from './schema'
import type { LabelRow } from './store'

/** A new label. */
export function newLabel(
  id: string,
  at: number,
  name: ReturnType<typeof checkedName>,
  color: string | null = null,
): DraftOf<LabelRow> {
  return { ...newStamps(id, at), ...name, color, size_bytes: bytesOf(name.name, color) }
}

export function toLabel(row: LabelRow): Tagged<Label> {
  const { color, count } = row
  return {
    resource: { ...shownStamps(row), color, count },
    etag: writeEtag(row.revision, row.computed_revision),
  }
}
