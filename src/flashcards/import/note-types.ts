import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import type { ParsedNoteType } from '../formats/parsed'
import { findNoteTypeByHash } from '../note-type-store'
import type { NoteTypeWriter } from '../note-type-writer'
import type { ItemReport } from './item-report'

interface Deps extends Pick<Context, 'now' | 'ids'> {
  readonly noteTypeWriter: NoteTypeWriter
}

export type ImportNoteType = (session: Session, item: ParsedNoteType, report: ItemReport) => Promise<void>

/** Creates ImportNoteType, which stores a note type unless the workspace has one with the same content. */
export function createNoteTypeImport({ now, ids, noteTypeWriter }: Deps): ImportNoteType {
  return async (session, { hash, noteType }, report) => {
    const { db, workspace } = session
    const known = await findNoteTypeByHash(db, workspace.id, hash)
    if (known) return report.setResult('unchanged', known.id)
    const at = now()
    const stamps = { id: ids(), revision: 1, created_at: at, updated_at: at }
    report.setResult('created', (await noteTypeWriter.insert(session, stamps, noteType)).id)
  }
}
