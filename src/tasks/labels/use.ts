import type { RecordChange } from '../../db/change-feed'
import type { Session } from '../../db/database'
import { distinctNames } from '../named/name'
import { createGroupRecords } from '../named/named'
import type { UsedLabels, UseLabels } from '../writer'
import { newLabel, toLabel } from './label'
import { labelStore, labelsOfNames } from './store'

export interface LabelDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly record: RecordChange
}

/** What labels share with other things that have names. */
export function labelRecords({ now, record }: Pick<LabelDeps, 'now' | 'record'>) {
  return createGroupRecords({ now, record, store: labelStore, type: 'task_label', noun: 'label', show: toLabel })
}

/**
 * Finds the labels with these names, compared without case, and makes those that there are not. One in the trash stays
 * there: its name is free. `session.db` must be a transaction. Throws invalid_request at `/labels/<n>`, quota_exceeded.
 */
export function createUseLabels({ now, ids, record }: LabelDeps): UseLabels {
  const labels = labelRecords({ now, record })
  return async (session, names) => {
    const distinct = distinctNames(names)
    if (distinct.size === 0) return { keys: [], names: [] }
    const found = await labelsOfNames(session.db, session.workspace.id, [...distinct.keys()])
    const known = new Map(found.map((label) => [label.name_key, label]))
    const used: UsedLabels = { keys: [], names: [] }
    for (const [key, name] of distinct) {
      const label = known.get(key) ?? (await labels.insert(session, newLabel(ids(), now(), name)))
      used.keys.push(label.key)
      used.names.push(label.name)
    }
    return used
  }
}
