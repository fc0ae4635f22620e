import type { RecordChange } from '../../db/change-feed'
import type { Session } from '../../db/database'
import { checkedName } from '../named/name'
import { createNamed } from '../named/named'
import { newLabel, toLabel } from './label'
import { labelStore, labelsOfNames } from './store'

export interface LabelDeps {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new UUIDv7. */
  readonly ids: () => string
  readonly record: RecordChange
}

/** Labels of a task: each once, in the order of the names, as the workspace spells them. `keys` are those of their rows. */
export interface UsedLabels {
  readonly keys: number[]
  readonly names: string[]
}

/** See `createUseLabels`. */
export type UseLabels = (session: Session, names: readonly string[]) => Promise<UsedLabels>

/** What labels share with other things that have names. */
export function namedLabels({ now, record }: Pick<LabelDeps, 'now' | 'record'>) {
  return createNamed({ now, record, store: labelStore, type: 'task_label', noun: 'label', show: toLabel })
}

/** Names by how they are compared: each once, as it is spelled first. Throws invalid_request at `/labels/<n>`. */
export function distinctNames(names: readonly string[]): Map<string, ReturnType<typeof checkedName>> {
  const distinct = new Map<string, ReturnType<typeof checkedName>>()
  for (const [i, sent] of names.entries()) {
    const name = checkedName(sent, `/labels/${i}`)
    if (!distinct.has(name.name_key)) distinct.set(name.name_key, name)
  }
  return distinct
}

/**
 * Finds the labels with these names, compared without case, and makes those that there are not. One in the trash stays
 * there: its name is free. `session.db` must be a transaction. Throws invalid_request at `/labels/<n>`, quota_exceeded.
 */
export function createUseLabels({ now, ids, record }: LabelDeps): UseLabels {
  const labels = namedLabels({ now, record })
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
