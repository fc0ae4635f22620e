import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { MAX_NOTE_BODY_BYTES, patchRow } from '../note'
import { getNote, getNoteLocations, type NoteRow } from '../store'
import type { NoteWriter } from '../writer'
import { releaseLinks, resolveLinksAgain } from './write-hook'
import { deleteFormerNames, keepFormerNames, listFormerNames, listRenamedNotes } from './former-store'
import { listNoteNames, toFolderKey } from './names'
import { type NoteLocation, planLinkRewrites, type Rename } from './plan-rewrites'
import { type LinkRewrite, rewriteLinks } from './rewrite-links'
import { addNames, deleteNames, getNames, listLinksFrom, listLinksTo, type NoteName, type ResolvedLink } from './store'

/** Ids of unchanged notes that a rename reports at most. */
const MAX_NOTES_LEFT = 100
/** How many times a rename goes over everything at most: to find what was written meanwhile with an old name. */
const MAX_ROUNDS = 5

/** The notes that one rename moves to another folder. */
export interface FolderMove {
  /** The first of the notes to move whose keys follow `after`. */
  listNext(
    session: Session,
    after: number,
    limit: number,
  ): Promise<readonly { readonly key: number; readonly id: string }[]>
  /** The note in its new folder. @throws ApiError conflict if it cannot be there */
  relocate(note: NoteRow): NoteRow
  /** The new folder of a note that is to move; null for others. */
  getNewFolder(place: NoteLocation): string | null
  /** Whether moved notes are found again among those to move (a move into a folder above): then each note is moved once. */
  readonly movesUp: boolean
}

export interface RenameOrder extends Rename {
  /** Null: the note has its new name already, and only links are to be rewritten. */
  readonly moves: FolderMove | null
  /** The key of a note whose own links stay as they are now. */
  readonly own: number | null
  /** True: a note that cannot take its new text stays as it is and is reported. False: then nothing is done at all. */
  readonly lenient: boolean
}

/** How far a rename has come: JSON. */
export interface RenameState {
  /** `names`: links may be spelled with the new names; then the notes move, each link is rewritten, old names are forgotten. */
  readonly phase: 'names' | 'move' | 'links' | 'forget'
  readonly round: number
  /** Notes written in this round. */
  readonly written: number
  /** The last note that was met in this phase; of `links` the one that is linked to, and behind which of its links. */
  readonly key: number
  readonly source: number
  readonly target: string
  readonly moved: number
  readonly rewritten: number
  readonly left: readonly string[]
}

const PHASE_START = { key: 0, source: 0, target: '' }

export function createRenameState(phase: 'names' | 'links'): RenameState {
  return { phase, round: 1, written: 0, ...PHASE_START, moved: 0, rewritten: 0, left: [] }
}

interface Deps extends Pick<Context, 'now'> {
  readonly writer: NoteWriter
}

export type RenameSteps = ReturnType<typeof createRenameSteps>

/**
 * The steps of a rename, in one transaction or in many. A renamed note is also found by its former names until the last
 * link is rewritten: so between two steps every link leads to the right note.
 */
export function createRenameSteps({ now, writer }: Deps) {
  /** Gives a note the names of `next`; links of this rename still find it by its former names. */
  async function takeNewNames({ db, workspace }: Session, rename: Rename, next: NoteRow): Promise<void> {
    const names = listNoteNames(next)
    if (haveSameNames(names, await getNames(db, workspace.id, next.key))) return
    await keepFormerNames(db, workspace.id, rename.id, next.key)
    await deleteNames(db, workspace.id, next.key)
    await addNames(db, workspace.id, next, toFolderKey(next.folder), names)
  }

  /** Stores a note under its new name, with its own links rewritten in the same revision unless `keepsBody` is set. */
  async function moveNote(
    session: Session,
    rename: Rename,
    { old, next, keepsBody = false }: { old: NoteRow; next: NoteRow; keepsBody?: boolean },
    places: (keys: readonly number[]) => Promise<ReadonlyMap<number, NoteLocation>>,
  ): Promise<{ note: NoteRow; rewritten: number }> {
    await takeNewNames(session, rename, next)
    // A body that comes with the new title is stored as it was sent.
    const mayRewrite = !keepsBody && next.body === old.body
    const own = mayRewrite ? await listLinksFrom(session.db, session.workspace.id, old.key) : []
    const plan = await planLinkRewrites(session, rename, own, places, toFolderKey(next.folder))
    const revised = withOwnLinks(next, plan.get(old.key))
    return { note: await writer.replace(session, old, revised), rewritten: Number(revised !== next) }
  }

  async function moveBatch(session: Session, order: RenameOrder, moves: FolderMove, from: RenameState, size: number) {
    const { db, workspace } = session
    const some = await moves.listNext(session, from.key, size)
    let state = from
    for (const { key, id } of some) {
      const at = { ...state, key }
      const old = await getNote(db, workspace.id, id)
      if (!old) continue
      try {
        if (from.phase === 'names') {
          await takeNewNames(session, order, moves.relocate(old))
          state = at
          continue
        }
        const next = moves.relocate(old)
        const places = (keys: readonly number[]) => getLocations(session, keys, moves, state.key)
        const { rewritten } = await moveNote(session, order, { old, next }, places)
        const { moved, written } = state
        state = { ...at, moved: moved + 1, written: written + 1, rewritten: state.rewritten + rewritten }
      } catch (error) {
        state = addNoteLeft(at, order, id, error)
      }
    }
    if (some.length === size) return state
    return { ...state, ...PHASE_START, phase: from.phase === 'names' ? ('move' as const) : ('links' as const) }
  }

  /** Links that lead to renamed notes, from where `state` is; and whether there are more. */
  async function listLinkBatch(session: Session, order: Rename, state: RenameState, size: number) {
    const { db, workspace } = session
    const links: ResolvedLink[] = []
    let at = { key: state.key, source: state.source, target: state.target }
    const keys = await listRenamedNotes(db, workspace.id, order.id, state.key, size)
    for (const key of keys) {
      const from = key === at.key ? at : { ...PHASE_START, key }
      links.push(...(await listLinksTo(db, workspace.id, key, from, size - links.length)))
      const last = links.at(-1)
      if (last && links.length === size)
        return { links, at: { key, source: last.source, target: last.target_key }, more: true }
      at = { ...PHASE_START, key: key + 1 }
    }
    return { links, at, more: keys.length === size }
  }

  async function rewriteBatch(session: Session, order: RenameOrder, from: RenameState, size: number) {
    const places = (keys: readonly number[]) => getLocations(session, keys)
    const { links, at, more } = await listLinkBatch(session, order, from, size)
    let state: RenameState = { ...from, ...at }
    for (const source of (await planLinkRewrites(session, order, links, places)).keys()) {
      if (source === order.own) continue
      // All links of the note that the rename changes, in one revision.
      const own = await listLinksFrom(session.db, session.workspace.id, source)
      const spellings = (await planLinkRewrites(session, order, own, places)).get(source)
      const id = (await getLocations(session, [source])).get(source)?.id ?? ''
      const note = spellings && (await getNote(session.db, session.workspace.id, id))
      if (!note) continue
      try {
        const changed = patchRow(note, { body: rewriteBody(note, spellings) }, now())
        if (!changed) continue
        await writer.replace(session, note, changed)
        state = { ...state, rewritten: state.rewritten + 1, written: state.written + 1 }
      } catch (error) {
        state = addNoteLeft(state, order, id, error)
      }
    }
    if (more) return state
    if (state.written === 0 || state.round === MAX_ROUNDS) return { ...state, ...PHASE_START, phase: 'forget' as const }
    const phase: RenameState['phase'] = order.moves && !order.moves.movesUp ? 'move' : 'links'
    return { ...state, ...PHASE_START, phase, round: state.round + 1, written: 0 }
  }

  return {
    takeNewNames,
    move: moveNote,

    /** Does about `size` more of a rename; `more` is false when it is done. `session.db` must be a transaction. */
    async step(session: Session, order: RenameOrder, from: RenameState, size: number) {
      if (from.phase === 'forget') return { state: from, more: await deleteFormerNameBatch(session, order, size) }
      const { moves } = order
      const state =
        moves && from.phase !== 'links'
          ? await moveBatch(session, order, moves, from, size)
          : await rewriteBatch(session, order, from, size)
      return { state, more: true }
    },

    forgetSome: deleteFormerNameBatch,
  }
}

/** Deletes the former names of some renamed notes. False: there are no more. */
async function deleteFormerNameBatch(session: Session, { id }: Pick<Rename, 'id'>, size: number): Promise<boolean> {
  const { db, workspace } = session
  const keys = await listRenamedNotes(db, workspace.id, id, 0, size)
  for (const [key, place] of await getLocations(session, keys)) {
    const note = await getNote(db, workspace.id, place.id)
    if (note?.deleted_at === null) await restoreNames(session, note)
    const former = (await listFormerNames(db, workspace.id, id, [key])).map((name) => name.key)
    if (await releaseLinks(session, key, former, size)) return true
    await deleteFormerNames(db, workspace.id, key, id)
    await resolveLinksAgain(session, former, 0)
  }
  return keys.length === size
}

/** Gives a note that was to move and did not its own names again. */
async function restoreNames(session: Session, note: NoteRow): Promise<void> {
  const { db, workspace } = session
  const names = listNoteNames(note)
  if (haveSameNames(names, await getNames(db, workspace.id, note.key))) return
  const dropped = await deleteNames(db, workspace.id, note.key)
  await addNames(db, workspace.id, note, toFolderKey(note.folder), names)
  await resolveLinksAgain(session, [...new Set([...dropped, ...names.map(({ key }) => key)])], 0)
}

/** Where notes are, or are to be if they still have to move: those of `moves` behind the key `after`. */
async function getLocations(
  { db, workspace }: Session,
  keys: readonly number[],
  moves: FolderMove | null = null,
  after = 0,
): Promise<ReadonlyMap<number, NoteLocation>> {
  const rows = await getNoteLocations(db, workspace.id, keys)
  return new Map(
    rows.map(({ key, ...place }) => {
      const folder = moves && key > after ? moves.getNewFolder(place) : null
      return [key, folder === null ? place : { ...place, folder }]
    }),
  )
}

/** @throws ApiError the error, unless the rename goes on without the note */
function addNoteLeft(state: RenameState, { lenient }: RenameOrder, id: string, error: unknown): RenameState {
  const isLeft = error instanceof ApiError && ['rewrite_impossible', 'conflict'].includes(error.code)
  if (!lenient || !isLeft) throw error
  const { left } = state
  return left.includes(id) || left.length >= MAX_NOTES_LEFT ? state : { ...state, left: [...left, id] }
}

function haveSameNames(some: readonly NoteName[], others: readonly NoteName[]): boolean {
  const keys = (names: readonly NoteName[]) => new Set(names.map(({ step, key }) => `${step} ${key}`))
  return keys(some).symmetricDifference(keys(others)).size === 0
}

/** The note with its own links rewritten, in the same revision that renames it. */
function withOwnLinks(note: NoteRow, spellings: ReadonlyMap<string, LinkRewrite> = new Map()): NoteRow {
  if (spellings.size === 0) return note
  const revised = patchRow(note, { body: rewriteBody(note, spellings) }, note.updated_at)
  return revised ? { ...revised, revision: note.revision } : note
}

function rewriteBody(note: NoteRow, spellings: ReadonlyMap<string, LinkRewrite>): string {
  const body = rewriteLinks(note.body, spellings)
  if (body === null)
    throw createRewriteError(`The links of note ${note.id} cannot be rewritten without changing other text of it.`)
  if (Buffer.byteLength(body) > MAX_NOTE_BODY_BYTES)
    throw createRewriteError(`Note ${note.id} would outgrow ${MAX_NOTE_BODY_BYTES} bytes.`)
  return body
}

export function createRewriteError(detail: string): ApiError {
  return new ApiError('rewrite_impossible', `${detail} Nothing was changed.`)
}

/** The result of `next`. A name or body that grows too long is no fault of the request's form: 409 with the note's id. */
export function runOrConflict<Note extends Pick<NoteRow, 'id'>, Next>(old: Note, next: (note: Note) => Next): Next {
  try {
    return next(old)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError('conflict', `Note ${old.id} cannot take the new name: ${error.detail}`, { note_id: old.id })
  }
}
