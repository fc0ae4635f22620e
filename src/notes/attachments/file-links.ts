import type { Context, Session } from '../../db/database'
import type { WorkKind } from '../../imports/kind'
import { MAX_ROWS_INLINE, runWorkInline } from '../../imports/run-work'
import type { Imports } from '../../imports/service'
import { isFileTarget } from '../../lib/file-target'
import { replaceParts } from '../../lib/text'
import { MAX_NOTE_BODY_BYTES } from '../limits'
import { mayHaveLinks } from '../links/body-links'
import { toLinkPath } from '../links/names'
import { addNoteLeft, createRewriteError, MAX_REWRITTEN_NOTES, type RenameSteps } from '../links/rename-steps'
import { isSpellable, toRelativePath } from '../links/rewrite-links'
import { countLinkingToFiles, listLinkedFiles, listLinkingToFile } from '../links/store'
import type { LinksUpdated } from '../links-updated'
import { encodeNotePath, type NotePath, readFilePath } from '../markdown/note-path'
import { scanMarkdown } from '../markdown/scan-markdown'
import { type NotesContext, type NoteWriter, patchRow } from '../note'
import { getNote, getNotesByKey } from '../store'
import { type FilesByName, findByPath, findFile, groupByName, isLoose, listCandidates } from './nearest'
import { type AttachmentRow, listByKeys } from './store'
import type { AttachmentWriter } from './writer'

/** What the services of notes share that know their attachments. */
export interface AttachmentContext extends NotesContext {
  readonly attachmentWriter: AttachmentWriter
  readonly renaming: RenameSteps
  readonly relinkNotes: RelinkNotes
  readonly relink: RelinkAttachment
}

interface FileLink {
  /** Decoded in a Markdown link. */
  readonly target: string
  /** The position of the target as written. */
  readonly from: number
  readonly to: number
  /** Null for a wiki link. */
  readonly markdown: { readonly destination: string; readonly path: NotePath } | null
}

/** Attachments that were renamed or moved, whose links are still written for their former paths. */
export interface RenamedFiles {
  /** Names that they have now and may not have had before, see name_key. */
  readonly newNames: readonly string[]
  /** Returns one of them at its former path, any other attachment as it is. */
  toFormer(row: AttachmentRow): AttachmentRow
}

interface NoteFolders {
  readonly from: string | null
  readonly to: string | null
}

/** The attachments that links of a note may lead to, before and now. */
interface FileStates {
  readonly before: FilesByName
  readonly now: FilesByName
  readonly byKey: ReadonlyMap<number, AttachmentRow>
  readonly folders: NoteFolders
}

/**
 * Returns the body of a note that moves to another folder, or whose files were renamed, with the links to files in it
 * that would not lead to them any more: each leads to the file that it led to before. Links that led to no file stay as
 * they are. `left` tells that some link cannot be written so, and is as it was.
 */
export async function keepFileLinks(
  session: Session,
  body: string,
  folders: NoteFolders,
  renamed: RenamedFiles | null = null,
): Promise<{ readonly body: string; readonly left: boolean }> {
  const unchanged = { body, left: false }
  if ((folders.from === folders.to && renamed === null) || !mayHaveLinks(body)) return unchanged
  const links = listFileLinks(body)
  if (links.length === 0) return unchanged
  const files = await listCandidates(
    session,
    links.map(({ target }) => target),
    renamed?.newNames,
  )
  const toFormer = (row: AttachmentRow) => renamed?.toFormer(row) ?? row
  // Where another file has the former path of a renamed one by now, the link led to the renamed one.
  const isRenamed = files.map((row) => toFormer(row) !== row)
  const before = [...files.filter((_, i) => isRenamed[i]).map(toFormer), ...files.filter((_, i) => !isRenamed[i])]
  const byKey = new Map(files.map((row) => [row.key, row]))
  const states: FileStates = { before: groupByName(before), now: groupByName(files), byKey, folders }
  const spelled = links.map((link) => spell(link, states))
  const left = spelled.includes(null)
  if (!spelled.some(Boolean)) return { body, left }
  const rewritten = replaceParts(
    body,
    links.flatMap(({ from, to }, i) => (spelled[i] ? [{ from, to, text: spelled[i].written }] : [])),
  )
  return isReadAsWanted(links, spelled, rewritten) ? { body: rewritten, left } : { body, left: true }
}

export function listFileLinks(body: string): FileLink[] {
  const { links, markdownLinks } = scanMarkdown(body)
  const wiki = links.map(
    ({ target, targetStart, targetEnd }): FileLink => ({ target, from: targetStart, to: targetEnd, markdown: null }),
  )
  const markdown = markdownLinks.flatMap(({ destination, from }): FileLink[] => {
    const path = readFilePath(destination)
    return path
      ? [{ target: path.path, from: from + path.from, to: from + path.to, markdown: { destination, path } }]
      : []
  })
  return [...wiki.filter(({ target }) => isFileTarget(target)), ...markdown].sort((a, b) => a.from - b.from)
}

interface Spelling {
  readonly target: string
  readonly written: string
}

/** Returns the new target of a link; undefined if it needs none, null if it has none. */
function spell(link: FileLink, states: FileStates): Spelling | null | undefined {
  const { before, now, byKey, folders } = states
  const was = findFile(folders.from, link.target, before)
  const file = was && byKey.get(was.key)
  if (!was || !file || isStillRight(link, was, file, states)) return undefined
  for (const target of listSpellings(link, was, file, folders)) {
    if (findFile(folders.to, target, now)?.key !== file.key || isAmbiguous(target, file, states)) continue
    if (link.markdown) return { target, written: encodeNotePath(target, link.markdown.destination, link.markdown.path) }
    if (isSpellable(target)) return { target, written: target }
  }
  return null
}

/** Whether a target is the path of another file too, from the folder of the note or the root: programs differ in the order. */
function isAmbiguous(target: string, file: AttachmentRow, { byKey, folders }: FileStates): boolean {
  const others = [...byKey.values()].filter(({ key }) => key !== file.key)
  const from = target.startsWith('.') ? [folders.to] : [folders.to, null]
  return from.some((folder) => findByPath(folder, target, others) !== null)
}

/** Whether a link leads to its file still. By its name it does from anywhere; a path must be one of the file, as it was. */
function isStillRight(
  { target }: FileLink,
  was: AttachmentRow,
  file: AttachmentRow,
  { now, folders: { from, to } }: FileStates,
): boolean {
  if (findFile(to, target, now)?.key !== file.key) return false
  if (!isPath(target) || isLoose(from, target, was)) return true
  return !isLoose(to, target, file) && (!isPathFrom(from, target, was) || isPathFrom(to, target, file))
}

/** Lists the targets that may lead to a file, the ones most like the present one first. */
function listSpellings(
  { target, markdown }: FileLink,
  was: AttachmentRow,
  file: AttachmentRow,
  { from, to }: NoteFolders,
): string[] {
  const [relative, path] = [toRelativePath(to, file), toLinkPath(file.folder, file.name)]
  const explicit = relative.startsWith('../') ? relative : `./${relative}`
  const fromRoot = [path, `/${path}`]
  const fromFolder = [...(target.startsWith('./') ? [] : [relative]), explicit]
  if (target.startsWith('/')) return [`/${path}`]
  const isRelative = (isPath(target) || markdown !== null) && isPathFrom(from, target, was)
  const paths = isRelative ? [...fromFolder, ...fromRoot] : [...fromRoot, ...fromFolder]
  return isPath(target) ? paths : [file.name, ...paths]
}

function isPath(target: string): boolean {
  return /[/\\]/.test(target)
}

/** Whether a target is the path of a file relative to a folder, and does not merely end in its name. */
function isPathFrom(folder: string | null, target: string, file: AttachmentRow): boolean {
  return findByPath(folder, target, [file]) !== null
}

/** Whether the new body has the same links to files, with the new targets: a backtick in a name may begin code. */
function isReadAsWanted(
  links: readonly FileLink[],
  spelled: readonly (Spelling | null | undefined)[],
  body: string,
): boolean {
  const now = listFileLinks(body)
  return now.length === links.length && now.every(({ target }, i) => target === (spelled[i] ?? links[i])?.target)
}

/** Renamed attachments, and the notes whose links to them are rewritten. */
interface RelinkOrder extends RenamedFiles {
  /** The names that their links may end in, in the order in which notes are found by them. */
  readonly names: readonly string[]
  /** Whether the notes of a folder are left out, since they move and then keep their links. */
  movesNotesOf(folder: string | null): boolean
}

/** The progress of rewriting links to renamed attachments: JSON. */
export interface RelinkState {
  /** The position: the place in the names of the order, and the key of the last note that links to a file of it. */
  readonly name: number
  readonly source: number
  readonly rewritten: number
  /** Ids of notes with links that cannot be rewritten; the first 100. */
  readonly left: readonly string[]
}

export const RELINK_START: RelinkState = { name: 0, source: 0, rewritten: 0, left: [] }

export type RelinkNotes = ReturnType<typeof createRelinkNotes>

/** Rewrites the links of notes to attachments that have their new paths already, each note once and in one revision. */
export function createRelinkNotes({ now, writer }: Pick<Context, 'now'> & { writer: NoteWriter }) {
  async function relinkNote(session: Session, order: RelinkOrder, state: RelinkState, key: number) {
    const [location] = await getNotesByKey(session, [key], ['id', 'folder'])
    const note = location && !order.movesNotesOf(location.folder) && (await getNote(session, location.id))
    if (!note) return state
    const kept = await keepFileLinks(session, note.body, { from: note.folder, to: note.folder }, order)
    const isTooLarge = Buffer.byteLength(kept.body) > MAX_NOTE_BODY_BYTES
    const reported = kept.left || isTooLarge ? addNoteLeft(state, note.id) : state
    const changed = isTooLarge ? null : patchRow(note, { body: kept.body }, now())
    if (!changed) return reported
    await writer.replace(session, note, changed)
    return { ...reported, rewritten: state.rewritten + 1 }
  }

  /** Whether a note has a link to a file of an earlier name, by which it was found before. */
  async function wasFound(session: Session, { names }: RelinkOrder, nth: number, key: number) {
    if (nth === 0) return false
    const linked = new Set(await listLinkedFiles(session, key))
    return names.slice(0, nth).some((name) => linked.has(name))
  }

  return {
    /**
     * Rewrites the links of about `size` notes, computed from what their bodies are now. `session.db` must be a
     * transaction.
     * @throws ApiError quota_exceeded
     */
    async step(
      session: Session,
      order: RelinkOrder,
      from: RelinkState,
      size: number,
    ): Promise<{ readonly state: RelinkState; readonly more: boolean }> {
      let state = from
      for (let left = size; left > 0 && state.name < order.names.length; left--) {
        const name = order.names[state.name] ?? ''
        const keys = await listLinkingToFile(session, name, state.source, left)
        for (const key of keys) {
          if (!(await wasFound(session, order, state.name, key))) state = await relinkNote(session, order, state, key)
          state = { ...state, source: key }
        }
        if (keys.length < left) state = { ...state, name: state.name + 1, source: 0 }
        left -= keys.length
      }
      return { state, more: state.name < order.names.length }
    },
  }
}

/**
 * Counts the notes that link to files of these names.
 * @throws ApiError rewrite_impossible if they are more than `spare` and those that a rename rewrites
 */
export async function countRelinked(session: Session, names: readonly string[], spare = 0): Promise<number> {
  const limit = MAX_REWRITTEN_NOTES + spare
  const linking = await countLinkingToFiles(session, names, limit + 1)
  if (linking > limit)
    throw createRewriteError(
      `More than ${MAX_REWRITTEN_NOTES} notes show files of the name; a rename rewrites no more.`,
    )
  return linking
}

/** The parameters of a run that rewrites the links to a renamed attachment: JSON. */
interface RelinkParams {
  readonly key: number
  /** Its path before. */
  readonly former: Pick<AttachmentRow, 'name' | 'name_key' | 'folder'>
  /** Its names, the new one first: notes that have only the old one get it, and must not be found again. */
  readonly names: readonly string[]
  readonly total: number
}

interface Deps {
  readonly relink: RelinkNotes
  readonly imports: Pick<Imports, 'registerWork' | 'begin'>
}

/** What became of the links to an attachment: the result, or the id of the run that will have it. */
export type RelinkOutcome = LinksUpdated & { readonly run: string | null }

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

async function toOrder(session: Session, { key, former, names }: RelinkParams): Promise<RelinkOrder> {
  // It may have been renamed again, or erased.
  const newNames = (await listByKeys(session, [key])).map(({ name_key }) => name_key)
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
