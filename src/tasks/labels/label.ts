import type { RecordChange } from '../../db/change-feed'
import type { Context } from '../../db/context'
import { type Tagged, writeEtag } from '../../http/conditional'
import { newStamps, textBytes, writeStamps } from '../../http/resource'
import { titleKey } from '../../lib/text'
import { type checkGroupName, createGroupRecords, toDistinctNames } from '../groups/records'
import type { GroupDraft } from '../groups/store'
import type { UsedLabels, UseLabels } from '../writer'
import type { Label } from './schema'
import { findLabelsByName, type LabelledTask, type LabelRow, labelStore } from './store'

export interface LabelDeps extends Pick<Context, 'now' | 'ids'> {
  readonly record: RecordChange
}

export function createLabelRecords({ now, record }: Pick<LabelDeps, 'now' | 'record'>) {
  return createGroupRecords({ now, record, store: labelStore, type: 'task_label', noun: 'label', show: toLabel })
}

/**
 * Creates a function that finds the labels with these names, compared without case, and creates missing ones. A label
 * in the trash stays there, since its name is free. The session must be a transaction. Throws invalid_request at
 * `/labels/<n>`, quota_exceeded.
 */
export function createUseLabels({ now, ids, record }: LabelDeps): UseLabels {
  const labels = createLabelRecords({ now, record })
  return async (session, names) => {
    const distinct = toDistinctNames(names)
    if (distinct.size === 0) return { keys: [], names: [] }
    const found = await findLabelsByName(session.db, session.workspace.id, [...distinct.keys()])
    const known = new Map(found.map((label) => [label.name_key, label]))
    const used: UsedLabels = { keys: [], names: [] }
    for (const [key, name] of distinct) {
      const label = known.get(key) ?? (await labels.insert(session, createLabelDraft(ids(), now(), name)))
      used.keys.push(label.key)
      used.names.push(label.name)
    }
    return used
  }
}

export function createLabelDraft(
  id: string,
  at: number,
  name: ReturnType<typeof checkGroupName>,
  color: string | null = null,
): GroupDraft<LabelRow> {
  return { ...newStamps(id, at), ...name, color, size_bytes: textBytes(name.name, color) }
}

/** Returns the labels of a task (JSON) with one of them renamed, or removed if `name` is null. */
export function replaceLabelName(labels: string, name_key: string, name: string | null): string {
  const names: string[] = JSON.parse(labels)
  return JSON.stringify(names.flatMap((old) => (titleKey(old) === name_key ? (name ?? []) : old)))
}

/** Returns the labels of a task (JSON) after a label was renamed: the name that no other label has is its old one. */
export function respellLabel({ labels, name_keys }: LabelledTask, { name, name_key }: LabelRow): string {
  const known = new Set<string>(JSON.parse(name_keys))
  known.delete(name_key)
  const names: string[] = JSON.parse(labels)
  return JSON.stringify(names.map((old) => (known.has(titleKey(old)) ? old : name)))
}

export function toLabel(row: LabelRow): Tagged<Label> {
  const { color, count } = row
  return {
    resource: { ...writeStamps(row), name: row.name, color, count },
    etag: writeEtag(row.revision, row.computed_revision),
  }
}
