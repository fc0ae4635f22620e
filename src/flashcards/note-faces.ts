import type { Session } from '../db/database'
import type { FactRow } from './fact-store'
import { getNoteTypesByKeys, noteTypeOfRow } from './note-type-store'

/** The sides of a card of a custom fact, as Markdown. */
interface NoteFaces {
  readonly prompt: string
  readonly answer: string
  /** What may be typed as the answer. */
  readonly right: readonly string[]
}

export type RenderNote = (fact: Pick<FactRow, 'note_type' | 'fields'>, ordinal: number) => NoteFaces

/** Reads the note types of the custom ones of these facts, and returns what renders their cards. */
export async function loadNoteRenderer(
  { db, workspace }: Pick<Session, 'workspace'> & { readonly db: Pick<Session['db'], 'all'> },
  facts: readonly Pick<FactRow, 'type' | 'note_type'>[],
): Promise<RenderNote> {
  const keys = new Set(facts.flatMap(({ type, note_type }) => (type === 'custom' && note_type ? [note_type] : [])))
  if (keys.size === 0) return refuseNote
  const rows = await getNoteTypesByKeys(db, workspace.id, [...keys])
  const noteTypes = new Map(rows.map((row) => [row.key, noteTypeOfRow(row)]))
  // Only notes need the HTML libraries, so they are loaded on first use.
  const { renderNoteCard } = await import('./note')
  return ({ note_type, fields }, ordinal) => {
    const noteType = noteTypes.get(note_type ?? Number.NaN)
    return noteType ? renderNoteCard(noteType, JSON.parse(fields ?? '{}'), ordinal) : refuseNote()
  }
}

function refuseNote(): never {
  throw new Error('a custom fact has no note type')
}
