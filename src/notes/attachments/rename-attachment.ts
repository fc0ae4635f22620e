import type { Session } from '../../db/database'
import type { WorkKind } from '../../imports/kind'
import { MAX_ROWS_INLINE, runWorkInline } from '../../imports/run-work'
import type { Imports } from '../../imports/service'
import type { LinksUpdated } from '../rename-port'
import { countRelinked, RELINK_START, type RelinkNotes, type RelinkOrder, type RelinkState } from './relink-notes'
import { type AttachmentRow, listByKeys } from './store'

/** The parameters of a run that rewrites the links to a renamed attachment: JSON. */
interface RelinkParams {
  readonly key: number
  /** Its path before. */
  readonly former: Pick<AttachmentRow, 'name' | 'name_key' | 'folder'>
  /** Its names, the new one first: notes that have only the old one get it, and must not be found again. */
  readonly names: readonly string[]
  /** The number of notes that link to files of these names. */
  readonly total: number
}

interface Deps {
  readonly relink: RelinkNotes
  readonly imports: Pick<Imports, 'registerWork' | 'begin'>
}

/** What became of the links to an attachment: the result, or the id of the run that will have it. */
export type RelinkOutcome =
  | (LinksUpdated & { readonly run: null })
  | { readonly links_updated: 0; readonly notes_left: readonly []; readonly run: string }

/** Rewrites the links to an attachment that has its new path already. `session.db` must be a transaction. */
export type RelinkAttachment = (session: Session, old: AttachmentRow, row: AttachmentRow) => Promise<RelinkOutcome>

const KIND = 'attachment_links'

/**
 * Creates the function that rewrites the links to a renamed attachment: of few notes in the same transaction, of more in
 * a run. Links that would lead to it by its new name, and led to another file, are rewritten as well.
 */
export function createRelinkAttachment({ relink, imports }: Deps): RelinkAttachment {
  const work: Pick<WorkKind<RelinkParams, RelinkState>, 'step'> = {
    async step(session, params, from, size) {
      const { state, more } = await relink.step(session, await toOrder(session, params), from ?? RELINK_START, size)
      return { state, done: state.rewritten, total: Math.max(params.total, state.rewritten), more }
    },
  }
  imports.registerWork<RelinkParams, RelinkState, LinksUpdated>({ name: KIND, ...work, result: toResult })

  return async (session, old, row) => {
    const names = [...new Set([row.name_key, old.name_key])]
    const total = await countRelinked(session, names)
    const former = { name: old.name, name_key: old.name_key, folder: old.folder }
    const params: RelinkParams = { key: row.key, former, names, total }
    if (total > MAX_ROWS_INLINE)
      return { links_updated: 0, notes_left: [], run: await imports.begin(session, { kind: KIND, params }) }
    return { ...toResult(await runWorkInline(work, session, params)), run: null }
  }
}

async function toOrder({ db, workspace }: Session, { key, former, names }: RelinkParams): Promise<RelinkOrder> {
  // It may have been renamed again, or erased.
  const newNames = (await listByKeys(db, workspace.id, [key])).map(({ name_key }) => name_key)
  return {
    names,
    newNames,
    toFormer: (row) => (row.key === key ? { ...row, ...former } : row),
    movesNotesOf: () => false,
  }
}

function toResult({ rewritten, left }: RelinkState): LinksUpdated {
  return { links_updated: rewritten, notes_left: left }
}
