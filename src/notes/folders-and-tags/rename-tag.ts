import type { Context } from '../../db/context'
import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { WorkKind } from '../../imports/kind'
import { tagKey } from '../filters'
import { runOrConflict } from '../links/rename-steps'
import { scanMarkdown } from '../markdown/scan-markdown'
import { normalizeTags, patchRow, relocateRow } from '../note'
import { getNote, type NoteRow } from '../store'
import { getTagSpellings } from '../tag-store'
import type { NoteWriter } from '../writer'
import { listNotesWithTag } from './store'

/** How many times a run goes over all notes at most: to find notes that got the old tag meanwhile. */
const MAX_ROUNDS = 5
/** Ids of unchanged notes that a run reports at most. */
const MAX_NOTES_LEFT = 100

/** A tag that gets another name: JSON. */
export interface RenameTagOrder {
  readonly from: string
  readonly to: string
  readonly inline: boolean
  /** Whether there is such a tag already. */
  readonly merged: boolean
  /** Notes that have it. */
  readonly total: number
}

export interface RenameTagState {
  /** The key of the last note that was met in this round. */
  readonly key: number
  readonly round: number
  /** Notes changed in this round, and in all. */
  readonly written: number
  readonly changed: number
  readonly merged: boolean
  readonly left: readonly string[]
}

interface Deps extends Pick<Context, 'now'> {
  readonly writer: NoteWriter
  /** True: a note that cannot take the name stays as it is and is reported. False: then nothing is done at all. */
  readonly lenient: boolean
}

/** The steps that rename a tag in all notes. */
export function createRenameTagSteps({
  writer,
  now,
  lenient,
}: Deps): Pick<WorkKind<RenameTagOrder, RenameTagState>, 'step'> {
  return {
    async step(session, order, from, size) {
      const { merged, total } = order
      let state: RenameTagState = from ?? { key: 0, round: 1, written: 0, changed: 0, merged, left: [] }
      const some = await listNotesWithTag(session.db, session.workspace.id, tagKey(order.from), state.key, size)
      for (const { key, id } of some) {
        state = { ...state, key }
        const note = await getNote(session.db, session.workspace.id, id)
        const next = note && (await renameTagOrLeave(session, order, note, now(), lenient))
        if (next === 'left') state = { ...state, left: addNoteLeft(state.left, id) }
        else if (note && next) {
          await writer.replace(session, note, next)
          state = { ...state, written: state.written + 1, changed: state.changed + 1 }
        }
      }
      const isRoundOver = some.length < size
      const isDone = isRoundOver && (state.written === 0 || state.round === MAX_ROUNDS || isNested(order))
      if (isRoundOver) state = { ...state, key: 0, round: state.round + 1, written: 0 }
      return { state, done: state.changed, total: Math.max(total, state.changed), more: !isDone }
    },
  }
}

/** Whether one tag is below the other: a note with the new tag would be found again by the old one, so each is changed once. */
function isNested({ from, to }: RenameTagOrder): boolean {
  const [old, next] = [tagKey(from), tagKey(to)]
  return isTagUnder(old, next) || isTagUnder(next, old)
}

async function renameTagOrLeave(session: Session, order: RenameTagOrder, note: NoteRow, at: number, lenient: boolean) {
  try {
    return await renameTagInNote(session, order, note, at)
  } catch (error) {
    if (lenient && error instanceof ApiError) return 'left' as const
    throw error
  }
}

/** The note under its new tags; null where that changes nothing. @throws ApiError conflict if it cannot take them */
export async function renameTagInNote(
  { db, workspace }: Session,
  { from, to, inline }: Pick<RenameTagOrder, 'from' | 'to' | 'inline'>,
  note: NoteRow,
  at: number,
): Promise<NoteRow | null> {
  const isSame = tagKey(from) === tagKey(to)
  const plain = createTagRenaming(from, to, new Map())
  const had: string[] = [...JSON.parse(note.tags), ...JSON.parse(note.inline_tags)]
  // A tag in use is spelled as the workspace spells it; one that only changes its spelling is itself.
  const wanted = isSame ? [] : had.flatMap((tag) => plain(tag) ?? []).map(tagKey)
  const rename = createTagRenaming(from, to, await getTagSpellings(db, workspace.id, wanted))
  return runOrConflict(note, (old) => renameTags(old, rename, inline, at))
}

function renameTags(note: NoteRow, rename: TagRenaming, inline: boolean, at: number): NoteRow | null {
  const tags = normalizeTags((JSON.parse(note.tags) as string[]).map((tag) => rename(tag) ?? tag))
  const body = inline ? renameTagInBody(note.body, rename) : note.body
  if (body !== note.body) return patchRow(note, { tags, body }, at)
  const written = JSON.stringify(tags)
  return written === note.tags ? null : relocateRow(note, { folder: note.folder, tags: written }, at)
}

function addNoteLeft(left: readonly string[], id: string): readonly string[] {
  return left.includes(id) || left.length >= MAX_NOTES_LEFT ? left : [...left, id]
}

/** Gives the new name of a tag, or null for one that is neither the renamed tag nor nested below it. */
type TagRenaming = (tag: string) => string | null

/** `spelled` says how the workspace writes a tag already, by its folded form. */
function createTagRenaming(from: string, to: string, spelled: ReadonlyMap<string, string>): TagRenaming {
  const fromKey = tagKey(from)
  const levels = from.split('/').length
  return (tag) => {
    if (!isTagUnder(tagKey(tag), fromKey)) return null
    const renamed = [to, ...tag.normalize('NFC').split('/').slice(levels)].join('/')
    return spelled.get(tagKey(renamed)) ?? renamed
  }
}

/** Whether a folded tag is another or is nested below it. */
export function isTagUnder(key: string, above: string): boolean {
  return key === above || (key.startsWith(`${above}/`) && key.length > above.length + 1)
}

/**
 * The body with its `#tags` renamed; the same string if it has none of them. Throws invalid_request if a new name
 * cannot be written in a body, e.g. because of a space in it.
 */
function renameTagInBody(body: string, rename: TagRenaming): string {
  const parts: string[] = []
  let at = 0
  for (const { name, start, end } of scanMarkdown(body).tags) {
    const renamed = rename(name)
    if (renamed === null) continue
    requireInline(renamed)
    parts.push(body.slice(at, start + 1), renamed)
    at = end
  }
  return parts.join('') + body.slice(at)
}

function requireInline(tag: string): void {
  if (scanMarkdown(`#${tag}`).tags[0]?.name !== tag)
    throw invalid('/to', 'invalid_tag', 'to cannot be written in a body as #tag; send inline: false, or another name')
}
