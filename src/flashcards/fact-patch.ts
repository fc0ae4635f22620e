import type { Session } from '../db/database'
import { invalid } from '../http/api-error'
import { type FactMembers, patchFact, toFactMembers } from './fact'
import type { UpdateFact } from './fact-schema'
import type { FactRow } from './fact-store'
import { getNoteTypesByKeys, noteTypeOfRow } from './note-type-store'

/** Returns the members of a stored fact after a merge patch; see patchFact and patchNote. Throws invalid_request. */
export async function patchStoredFact(
  { db, workspace }: Session,
  fact: FactRow,
  { deck_id: _, ...patch }: UpdateFact,
): Promise<FactMembers> {
  const old = toFactMembers(fact)
  if (fact.note_type === null) {
    const { fields, ...others } = patch
    if (fields != null) throw invalid('/fields', 'not_allowed', 'fields belongs to facts with a note type')
    return patchFact(old, others)
  }
  const [row] = await getNoteTypesByKeys(db, workspace.id, [fact.note_type])
  if (!row) throw new Error(`fact ${fact.id} has no note type`)
  // Only notes need the HTML libraries, so they are loaded on first use.
  const { patchNote } = await import('./note-patch')
  return patchFact(old, patchNote(noteTypeOfRow(row), old, patch))
}
