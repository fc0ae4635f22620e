import { invalid } from '../http/api-error'
import type { FactMembers, FactPatch } from './fact'
import type { UpdateFact } from './fact-schema'
import { markdownToField } from './html/field-html'
import { findPlainSides, listAskedOrdinals, type NoteFields, readNoteContent, SIDES } from './note'
import type { NoteTypeContent } from './note-type'

/**
 * Applies a merge patch to a fact with a note type, so that fields and texts stay in step: a new text changes its field,
 * and new fields change the texts. Throws invalid_request.
 */
export function patchNote(
  noteType: NoteTypeContent,
  old: FactMembers,
  { fields, ...patch }: Omit<UpdateFact, 'deck_id'>,
): FactPatch {
  if (fields === null) return { ...patch, note_type: null, fields: null, ordinals: null }
  const sides = SIDES.filter((side) => patch[side] !== undefined)
  if (fields !== undefined) {
    const [side] = sides
    if (side) throw invalid(`/${side}`, 'not_allowed', `${side} and fields must not be given together`)
    return { ...patch, ...patchFields(noteType, old, fields) }
  }
  if (patch.type !== undefined && patch.type !== old.type)
    throw invalid('/type', 'type_fixed', TYPE_FIXED[old.type === 'custom' ? 'custom' : 'plain'])
  const plain = findPlainSides(noteType)
  if (old.type === 'custom' || !plain) return patch
  const changed = sides.flatMap((side) => {
    const name = plain[side]
    return name === null || patch[side] === old[side] ? [] : [[name, markdownToField(patch[side] ?? '')]]
  })
  return { ...patch, fields: { ...old.fields, ...Object.fromEntries(changed) } }
}

const TYPE_FIXED = {
  plain: 'the note type decides the type: remove it with "fields": null first',
  custom: 'the note type decides the type',
}

function patchFields(
  noteType: NoteTypeContent,
  old: FactMembers,
  patch: Readonly<Record<string, string | null>>,
): FactPatch {
  const unknown = Object.keys(patch).find((name) => !noteType.fields.includes(name))
  if (unknown !== undefined)
    throw invalid('/fields', 'unknown_field', `the note type has no such field; it has: ${noteType.fields.join(', ')}`)
  const cleared = Object.entries(patch).map(([name, html]) => [name, html ?? ''])
  const fields: NoteFields = { ...old.fields, ...Object.fromEntries(cleared) }
  // Cards whose template or number was gone before are kept.
  const asked = new Set(listAskedOrdinals(noteType, old.fields ?? {}))
  const kept = (old.ordinals ?? []).filter((ordinal) => !asked.has(ordinal))
  const cards = [...new Set([...listAskedOrdinals(noteType, fields), ...kept])].sort((a, b) => a - b)
  return { fields, ...readNoteContent(noteType, { fields, cards }) }
}
