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

/** Creates ImportNoteType, which stores a note type unless the workspace has one with the same content. That
 * gets its settings if it has none. */
export function createNoteTypeImport({ now, ids, noteTypeWriter }: Deps): ImportNoteType {
  return async (session, { hash, noteType }, report) => {
    const { db, workspace } = session
    const known = await findNoteTypeByHash(db, workspace.id, hash)
    const at = now()
    const isFuller = known?.settings === null && noteType.settings !== null
    if (known && isFuller) await noteTypeWriter.addSettings(session, known, noteType.settings, at)
    if (known) return report.setResult(isFuller ? 'updated' : 'unchanged', known.id)
    const stamps = { id: ids(), revision: 1, created_at: at, updated_at: at }
    report.setResult('created', (await noteTypeWriter.insert(session, stamps, noteType)).id)
  }
}
