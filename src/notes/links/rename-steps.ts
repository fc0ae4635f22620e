import type { Context, Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import { MAX_NOTE_BODY_BYTES } from '../limits'
import type { HeadingRename } from '../markdown/headings'
import { type NoteWriter, patchRow } from '../note'
import { getNote, getNotesByKey, LOCATION, type NoteRow } from '../store'
import { releaseLinks, resolveLinksAgain } from './body-links'
import { deleteFormerNames, keepFormerNames, listFormerNames, listRenamedNotes } from './former-store'
import { listNoteNames, matchFirst, toFolderKey, toTargetKey, toTargetQuery } from './names'
import { rewriteHeadings } from './rename-heading'
import { type LinkRewrite, type NoteLocation, planLinkRewrites, type Rename, rewriteLinks } from './rewrite-links'
import {
  addNames,
  deleteNames,
  getNames,
  listLinkGroups,
  listLinksFrom,
  listLinksTo,
  type NoteName,
  type ResolvedLink,
} from './store'

/** Notes that one rename may rewrite besides those that it renames. */
export const MAX_REWRITTEN_NOTES = 5000
export const MAX_NOTES_LEFT = 100
/**
 * Passes of a rename over all links. More than one is needed to find links that were written with an old name during
 * the rename.
 */
const MAX_ROUNDS = 5

/**
 * Returns a body whose links to files lead from the new folder of its note where they led from the old one. `left`: some
 * links cannot be written so, and are as they were.
 */
export type KeepFileLinks = (
  session: Session,
  body: string,
  folders: { readonly from: string | null; readonly to: string | null },
) => Promise<{ readonly body: string; readonly left: boolean }>

export interface FolderMove {
  /** Used for the notes that move, whose files may have moved before them. */
  readonly keepFileLinks: KeepFileLinks

  listNext(
    session: Session,
    after: number,
    limit: number,
  ): Promise<readonly { readonly key: number; readonly id: string }[]>
  /** Returns the note in its new folder. @throws ApiError conflict if it cannot be moved there */
  relocate(note: NoteRow): NoteRow
  getNewFolder(location: NoteLocation): string | null
  /**
   * Whether the new folder contains the old one. listNext then finds moved notes again, so only one round moves notes.
   */
  readonly movesUp: boolean
}

export interface RenameOrder extends Rename {
  /** Null: the note already has its new name, and only links have to be rewritten. */
  readonly moves: FolderMove | null
  /** The key of a note whose own links are not rewritten. */
  readonly own: number | null
  /** The headings of that note that got other texts, in order. */
  readonly headings?: readonly HeadingRename[]
  /** True: a note that cannot be changed is skipped and reported. False: the whole rename then fails. */
  readonly lenient: boolean
}

export interface RenameState {
  /**
   * `names` gives the notes their new names, so that links can use them; `move` moves the notes; `links` rewrites the
   * links; `forget` deletes the former names.
   */
  readonly phase: 'names' | 'move' | 'links' | 'forget'
  readonly round: number
  /** Notes written in this round. */
  readonly written: number
  /** The position in this phase: the last note; in `links` the note that is linked to, and the last link to it. */
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
  readonly keepFileLinks: KeepFileLinks
}

export type RenameSteps = ReturnType<typeof createRenameSteps>

/**
 * Runs the steps of a rename, in one transaction or in many. Links find a renamed note also by its former names until
 * the last link is rewritten, so every link resolves to the right note between two steps.
 */
export function createRenameSteps({ now, writer, keepFileLinks }: Deps) {
  /** Gives a note the names of `next`; links of this rename still find it by its former names. */
  async function takeNewNames(session: Session, rename: Rename, next: NoteRow): Promise<void> {
    const names = listNoteNames(next)
    if (haveSameNames(names, await getNames(session, next.key))) return
    await keepFormerNames(session, rename.id, next.key)
    await deleteNames(session, next.key)
    await addNames(session, next, toFolderKey(next.folder), names)
  }

  /**
   * Gives a note the names of `next`, as takeNewNames does. If it has a file name, keeps the links to other notes that
   * would lead to it from now on, as Obsidian does: this rename rewrites them as well. Returns the keys of these notes.
   */
  async function takeNewNamesOfFile(session: Session, rename: Rename, next: NoteRow): Promise<number[]> {
    await takeNewNames(session, rename, next)
    if (next.file_name === null) return []
    const names = listNoteNames(next).map(({ key }) => key)
    const groups = await listLinkGroups(session, names)
    const hits = await matchFirst(session, groups.map(toTargetQuery))
    const taken = groups.flatMap(({ resolved }, i) =>
      resolved !== null && resolved !== next.key && hits[i]?.key === next.key ? [resolved] : [],
    )
    for (const key of new Set(taken)) await keepFormerNames(session, rename.id, key)
    return [...new Set(taken)]
  }

  /** Stores a note under its new name. Rewrites its own links in the same revision unless `keepsBody` is set. */
  async function moveNote(
    session: Session,
    rename: Rename,
    { old, next, keepsBody = false }: { old: NoteRow; next: NoteRow; keepsBody?: boolean },
    locate: (keys: readonly number[]) => Promise<ReadonlyMap<number, NoteLocation>>,
    keepLinks = keepFileLinks,
  ): Promise<{ note: NoteRow; rewritten: number; left: boolean }> {
    await takeNewNames(session, rename, next)
    // A body that was sent with the new title is stored as sent.
    const mayRewrite = !keepsBody && next.body === old.body
    const links = mayRewrite ? await listLinksFrom(session, old.key) : []
    const plan = await planLinkRewrites(session, rename, links, locate, next)
    const { body, left } = mayRewrite
      ? await keepLinks(session, next.body, { from: old.folder, to: next.folder })
      : { ...next, left: false }
    const revised = withOwnLinks(next, body, old.folder, plan.get(old.key))
    return { note: await writer.replace(session, old, revised), rewritten: Number(revised !== next), left }
  }

  async function moveBatch(session: Session, order: RenameOrder, moves: FolderMove, from: RenameState, size: number) {
    const batch = await moves.listNext(session, from.key, size)
    let state = from
    for (const { key, id } of batch) {
      const at = { ...state, key }
      const old = await getNote(session, id)
      if (!old) continue
      try {
        if (from.phase === 'names') {
          await takeNewNamesOfFile(session, order, moves.relocate(old))
          state = at
          continue
        }
        const next = moves.relocate(old)
        const locate = (keys: readonly number[]) => getLocations(session, keys, moves, state.key)
        const { rewritten, left } = await moveNote(session, order, { old, next }, locate, moves.keepFileLinks)
        const { moved, written } = state
        state = { ...at, moved: moved + 1, written: written + 1, rewritten: state.rewritten + rewritten }
        if (left) state = addNoteLeft(state, id)
      } catch (error) {
        state = skipNote(at, order, id, error)
      }
    }
    if (batch.length === size) return state
    return { ...state, ...PHASE_START, phase: from.phase === 'names' ? ('move' as const) : ('links' as const) }
  }

  /**
   * Lists the next links that resolve to renamed notes, after the position of `state`, and whether there may be more.
   */
  async function listLinkBatch(session: Session, order: RenameOrder, state: RenameState, size: number) {
    const links: ResolvedLink[] = []
    // Of a note that keeps its name, only the links to its parts matter.
    const keyOfHeadings = mayRenameHeadings(order, state) ? (order.own ?? -1) : -1
    let at = { key: state.key, source: state.source, target: state.target }
    const named = await listRenamedNotes(session, order.id, state.key, size)
    const keys = state.key <= keyOfHeadings && !named.includes(keyOfHeadings) ? [...named, keyOfHeadings] : named
    for (const key of keys) {
      const from = key === at.key ? at : { ...PHASE_START, key }
      links.push(...(await listLinksTo(session, key, from, size - links.length, !named.includes(key))))
      const last = links.at(-1)
      if (last && links.length === size)
        return { links, at: { key, source: last.source, target: last.target_key }, more: true }
      at = { ...PHASE_START, key: key + 1 }
    }
    return { links, at, more: keys.length === size }
  }

  async function rewriteBatch(session: Session, order: RenameOrder, from: RenameState, size: number) {
    const locate = (keys: readonly number[]) => getLocations(session, keys)
    const { links, at, more } = await listLinkBatch(session, order, from, size)
    let state: RenameState = { ...from, ...at }
    const namesPart = ({ resolved, has_parts }: ResolvedLink) => resolved === order.own && has_parts === 1
    const ofHeadings = mayRenameHeadings(order, from) ? links.filter(namesPart) : []
    const sources = [...(await planLinkRewrites(session, order, links, locate)).keys()]
    for (const source of new Set([...sources, ...ofHeadings.map((link) => link.source)])) {
      if (source === order.own) continue
      // Rewrite all affected links of the note in one revision.
      const allLinks = await listLinksFrom(session, source)
      const spellings =
        (await planLinkRewrites(session, order, allLinks, locate)).get(source) ?? new Map<string, LinkRewrite>()
      // With the first of the links to the note all of them are rewritten, and none twice.
      const toOwn = allLinks.filter(namesPart).map((link) => link.target_key)
      const isFirst = ofHeadings.some((link) => link.source === source && link.target_key === toOwn[0])
      const headings = isFirst ? (order.headings ?? []) : []
      const id = (await getLocations(session, [source])).get(source)?.id ?? ''
      const note = spellings.size + headings.length > 0 ? await getNote(session, id) : null
      if (!note) continue
      try {
        const body = renameHeadings(note, note.body, headings, new Set(toOwn))
        const changed = patchRow(note, { body: rewriteBody({ ...note, body }, note.folder, spellings) }, now())
        if (!changed) continue
        await writer.replace(session, note, changed)
        state = { ...state, rewritten: state.rewritten + 1, written: state.written + 1 }
      } catch (error) {
        state = skipNote(state, order, id, error)
      }
    }
    if (more) return state
    if (state.written === 0 || state.round === MAX_ROUNDS) return { ...state, ...PHASE_START, phase: 'forget' as const }
    const phase: RenameState['phase'] = order.moves && !order.moves.movesUp ? 'move' : 'links'
    return { ...state, ...PHASE_START, phase, round: state.round + 1, written: 0 }
  }

  return {
    takeNewNamesOfFile,
    moveNote,

    /**
     * Runs one step of a rename, of about `size` rows. `more` is false at the end. `session.db` must be a transaction.
     */
    async step(session: Session, order: RenameOrder, from: RenameState, size: number) {
      if (from.phase === 'forget') return { state: from, more: await deleteFormerNameBatch(session, order, size) }
      const { moves } = order
      const state =
        moves && from.phase !== 'links'
          ? await moveBatch(session, order, moves, from, size)
          : await rewriteBatch(session, order, from, size)
      return { state, more: true }
    },

    deleteFormerNameBatch,
  }
}

/** Deletes the former names of at most `size` renamed notes. Returns whether there may be more. */
async function deleteFormerNameBatch(session: Session, { id }: Pick<Rename, 'id'>, size: number): Promise<boolean> {
  const keys = await listRenamedNotes(session, id, 0, size)
  for (const [key, location] of await getLocations(session, keys)) {
    const note = await getNote(session, location.id)
    if (note?.deleted_at === null) await restoreNames(session, note)
    const former = (await listFormerNames(session, id, [key])).map((name) => name.key)
    if (await releaseLinks(session, key, former, size)) return true
    await deleteFormerNames(session, key, id)
    await resolveLinksAgain(session, former, 0)
  }
  return keys.length === size
}

/** Restores the names of a note that could not be moved. */
async function restoreNames(session: Session, note: NoteRow): Promise<void> {
  const names = listNoteNames(note)
  if (haveSameNames(names, await getNames(session, note.key))) return
  const deleted = await deleteNames(session, note.key)
  await addNames(session, note, toFolderKey(note.folder), names)
  await resolveLinksAgain(session, [...new Set([...deleted, ...names.map(({ key }) => key)])], 0)
}

/**
 * Returns the locations of notes by their keys: the new one for notes of `moves` after the key `after`, which still
 * have to move.
 */
async function getLocations(
  session: Session,
  keys: readonly number[],
  moves: FolderMove | null = null,
  after = 0,
): Promise<ReadonlyMap<number, NoteLocation>> {
  const rows = await getNotesByKey(session, keys, LOCATION)
  return new Map(
    rows.map(({ key, ...location }) => {
      const folder = moves && key > after ? moves.getNewFolder(location) : null
      return [key, folder === null ? location : { ...location, folder }]
    }),
  )
}

/**
 * Adds a note that could not be changed to the state.
 * @throws ApiError the error, unless the rename can skip the note
 */
function skipNote(state: RenameState, { lenient }: RenameOrder, id: string, error: unknown): RenameState {
  const canSkip = error instanceof ApiError && ['rewrite_impossible', 'conflict'].includes(error.code)
  if (!lenient || !canSkip) throw error
  return addNoteLeft(state, id)
}

/** Adds the id of a note that could not be changed to the first 100 of a state. */
export function addNoteLeft<State extends { readonly left: readonly string[] }>(state: State, id: string): State {
  const { left } = state
  return left.includes(id) || left.length >= MAX_NOTES_LEFT ? state : { ...state, left: [...left, id] }
}

function haveSameNames(a: readonly NoteName[], b: readonly NoteName[]): boolean {
  const toKeys = (names: readonly NoteName[]) => new Set(names.map(({ step, key }) => `${step} ${key}`))
  return toKeys(a).symmetricDifference(toKeys(b)).size === 0
}

/** Links to headings are rewritten once: later rounds only find links by former names. */
function mayRenameHeadings({ headings = [] }: RenameOrder, { round }: RenameState): boolean {
  return headings.length > 0 && round === 1
}

/** Returns a body of a note with renamed headings in the links with these targets. Throws rewrite_impossible. */
function renameHeadings(
  note: NoteRow,
  body: string,
  headings: readonly HeadingRename[],
  targets: ReadonlySet<string>,
): string {
  if (headings.length === 0) return body
  const folder = toFolderKey(note.folder)
  const rewritten = rewriteHeadings(body, headings, (target) => targets.has(toTargetKey(target, folder)))
  if (rewritten === null) throw createRewriteError(toUnchangeable(note))
  return rewritten
}

/** Renames headings in the links of their note to itself, in the revision that renames them. */
export async function renameOwnHeadings(
  session: Session,
  next: NoteRow,
  headings: readonly HeadingRename[],
): Promise<NoteRow> {
  const own = (await listLinksFrom(session, next.key)).filter(({ resolved }) => resolved === next.key)
  const targets = new Set(['', ...own.map((link) => link.target_key)])
  return withOwnLinks(next, renameHeadings(next, next.body, headings, targets), next.folder)
}

const toUnchangeable = ({ id }: NoteRow): string =>
  `The links of note ${id} cannot be rewritten without changing other text of the note.`

/** Rewrites the note's own links in the same revision that renames it. */
function withOwnLinks(
  note: NoteRow,
  body: string,
  from: string | null,
  spellings: ReadonlyMap<string, LinkRewrite> = new Map(),
): NoteRow {
  if (spellings.size === 0 && body === note.body) return note
  const rewritten = rewriteBody({ ...note, body }, from, spellings)
  const revised = patchRow(note, { body: rewritten }, note.updated_at)
  return revised ? { ...revised, revision: note.revision } : note
}

/** Returns the body with rewritten links. `from` is the folder before the rename. Throws rewrite_impossible. */
function rewriteBody(note: NoteRow, from: string | null, spellings: ReadonlyMap<string, LinkRewrite>): string {
  const body = rewriteLinks(note.body, spellings, { from, to: note.folder })
  if (body === null) throw createRewriteError(toUnchangeable(note))
  if (Buffer.byteLength(body) > MAX_NOTE_BODY_BYTES)
    throw createRewriteError(`The body of note ${note.id} would exceed ${MAX_NOTE_BODY_BYTES} bytes.`)
  return body
}

export function createRewriteError(detail: string): ApiError {
  return new ApiError('rewrite_impossible', `${detail} Nothing was changed.`)
}

/**
 * Returns the result of `next`, and turns its ApiError into conflict with the note's id: if a new name or body is too
 * long, the request itself is valid.
 */
export function runOrConflict<Note extends Pick<NoteRow, 'id'>, Next>(old: Note, next: (note: Note) => Next): Next {
  try {
    return next(old)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new ApiError('conflict', `Note ${old.id} cannot take the new name: ${error.detail}`, { note_id: old.id })
  }
}
