import { type Tagged, writeEtag } from '../../http/conditional'
import { titleKey } from '../../lib/text'
import type { checkGroupName } from '../named/name'
import { textBytes, newGroupMembers, toGroupMembers } from '../named/stamps'
import type { GroupDraft } from '../named/store'
import type { Label } from './schema'
import type { LabelledTask, LabelRow } from './store'

/** A new label. */
export function newLabel(
  id: string,
  at: number,
  name: ReturnType<typeof checkGroupName>,
  color: string | null = null,
): GroupDraft<LabelRow> {
  return { ...newGroupMembers(id, at), ...name, color, size_bytes: textBytes(name.name, color) }
}

/** The labels of a task (JSON) with another name for one of them, or without it if that is null. */
export function labelUpdate(labels: string, name_key: string, name: string | null): string {
  const names: string[] = JSON.parse(labels)
  return JSON.stringify(names.flatMap((old) => (titleKey(old) === name_key ? (name ?? []) : old)))
}

/** The labels of a task (JSON) once a label has its present name: what is the name of none of its labels was that of this one. */
export function respelledIn({ labels, name_keys }: LabelledTask, { name, name_key }: LabelRow): string {
  const known = new Set<string>(JSON.parse(name_keys))
  known.delete(name_key)
  const names: string[] = JSON.parse(labels)
  return JSON.stringify(names.map((old) => (known.has(titleKey(old)) ? old : name)))
}

export function toLabel(row: LabelRow): Tagged<Label> {
  const { color, count } = row
  return {
    resource: { ...toGroupMembers(row), color, count },
    etag: writeEtag(row.revision, row.computed_revision),
  }
}
