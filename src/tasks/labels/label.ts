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

/** What labels share with other things that have names. */
export function createLabelRecords({ now, record }: Pick<LabelDeps, 'now' | 'record'>) {
  return createGroupRecords({ now, record, store: labelStore, type: 'task_label', noun: 'label', show: toLabel })
}

/**
 * Finds the labels with these names, compared without case, and makes those that there are not. One in the trash stays
 * there: its name is free. `session.db` must be a transaction. Throws invalid_request at `/labels/<n>`, quota_exceeded.
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

/** A new label. */
export function createLabelDraft(
  id: string,
  at: number,
  name: ReturnType<typeof checkGroupName>,
  color: string | null = null,
): GroupDraft<LabelRow> {
  return { ...newStamps(id, at), ...name, color, size_bytes: textBytes(name.name, color) }
}

/** The labels of a task (JSON) with another name for one of them, or without it if that is null. */
export function replaceLabelName(labels: string, name_key: string, name: string | null): string {
  const names: string[] = JSON.parse(labels)
  return JSON.stringify(names.flatMap((old) => (titleKey(old) === name_key ? (name ?? []) : old)))
}

/** The labels of a task (JSON) once a label has its present name: what is the name of none of its labels was that of this one. */
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
