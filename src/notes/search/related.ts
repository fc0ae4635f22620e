import type { Session } from '../../db/database'
import type { SearchEngine } from '../../search/engine'
import { toSummary } from '../note'
import { requireNote } from '../service'
import type { ListRelated, RelatedNotes } from './schema'
import { getSummaries } from './store'

/** Notes listed where no other number is asked for. */
const DEFAULT_RELATED = 10

export type ListRelatedNotes = ReturnType<typeof createRelatedNotes>

/** Notes about the same, best first; of a note in the trash none. Throws not_found. */
export function createRelatedNotes({ related }: Pick<SearchEngine, 'related'>) {
  return async (session: Session, id: string, { limit }: ListRelated): Promise<RelatedNotes> => {
    const { db, workspace } = session
    const note = await requireNote(db, session, id)
    const { keys, by } = await related(session, 'note', note.key, Number(limit ?? DEFAULT_RELATED))
    const rows = await getSummaries(db, workspace.id, keys)
    const living = keys.flatMap((key) => rows.get(key) ?? []).filter((row) => row.deleted_at === null)
    return { items: living.map(toSummary), by }
  }
}
