import type { Session } from '../../db/database'
import { ApiError, invalid } from '../../http/api-error'
import type { WorkKind } from '../../imports/kind'
import { replaceParts } from '../../lib/text'
import { tagKey } from '../filters'
import { addNoteLeft, runOrConflict } from '../links/rename-steps'
import { scanMarkdown } from '../markdown/scan-markdown'
import { type NotesContext, normalizeTags, patchRow, relocateRow } from '../note'
import { getNote, type NoteRow } from '../store'
import { getTagSpellings } from '../tag-and-property-store'
import { listNotesWithTag } from './store'

/** Passes of a run over all notes. More than one is needed to find notes that got the old tag during the run. */
const MAX_ROUNDS = 5

export interface RenameTagOrder {
  readonly from: string
  readonly to: string
  readonly inline: boolean
  readonly merged: boolean
  readonly total: number
}

export interface RenameTagState {
  /** The key of the last note in this round. */
  readonly key: number
  readonly round: number
  readonly written: number
  readonly changed: number
  readonly merged: boolean
  readonly left: readonly string[]
}

/** @param lenient see RenameOrder */
export function createRenameTagSteps(
  { writer, now }: Pick<NotesContext, 'writer' | 'now'>,
  lenient: boolean,
): Pick<WorkKind<RenameTagOrder, RenameTagState>, 'step'> {
  return {
    async step(session, order, from, size) {
      const { merged, total } = order
      let state: RenameTagState = from ?? { key: 0, round: 1, written: 0, changed: 0, merged, left: [] }
      const batch = await listNotesWithTag(session, tagKey(order.from), state.key, size)
      for (const { key, id } of batch) {
        state = { ...state, key }
        const note = await getNote(session, id)
        const next = note && (await renameTagOrSkip(session, order, note, now(), lenient))
        if (next === 'left') state = addNoteLeft(state, id)
        else if (note && next) {
          await writer.replace(session, note, next)
          state = { ...state, written: state.written + 1, changed: state.changed + 1 }
        }
      }
      const isRoundOver = batch.length < size
      const isDone = isRoundOver && (state.written === 0 || state.round === MAX_ROUNDS || isNested(order))
      if (isRoundOver) state = { ...state, key: 0, round: state.round + 1, written: 0 }
      return { state, done: state.changed, total: Math.max(total, state.changed), more: !isDone }
    },
  }
}

/**
 * Whether one tag is nested below the other. The next round would then find notes that have the new tag by the old one,
 * so there is only one round.
 */
function isNested({ from, to }: RenameTagOrder): boolean {
  const [old, next] = [tagKey(from), tagKey(to)]
  return isTagUnder(old, next) || isTagUnder(next, old)
}

/** Renames the tag in a note like renameTagInNote. If `lenient`, returns `left` for a note that cannot be changed. */
async function renameTagOrSkip(session: Session, order: RenameTagOrder, note: NoteRow, at: number, lenient: boolean) {
  try {
    return await renameTagInNote(session, order, note, at)
  } catch (error) {
    if (lenient && error instanceof ApiError) return 'left' as const
    throw error
  }
}

/**
 * Returns the note with its new tags; null if nothing changes.
 * @throws ApiError conflict if the note cannot have them
 */
export async function renameTagInNote(
  session: Session,
  { from, to, inline }: Pick<RenameTagOrder, 'from' | 'to' | 'inline'>,
  note: NoteRow,
  at: number,
): Promise<NoteRow | null> {
  const isSame = tagKey(from) === tagKey(to)
  const renameAsGiven = createTagRenaming(from, to, new Map())
  const oldTags: string[] = [...JSON.parse(note.tags), ...JSON.parse(note.inline_tags)]
  // An existing tag keeps the workspace's spelling, unless the rename only changes the spelling.
  const wanted = isSame ? [] : oldTags.flatMap((tag) => renameAsGiven(tag) ?? []).map(tagKey)
  const rename = createTagRenaming(from, to, await getTagSpellings(session, wanted))
  return runOrConflict(note, (old) => renameTags(old, rename, inline, at))
}

function renameTags(note: NoteRow, rename: TagRenaming, inline: boolean, at: number): NoteRow | null {
  const tags = normalizeTags((JSON.parse(note.tags) as string[]).map((tag) => rename(tag) ?? tag))
  const body = inline ? renameTagInBody(note.body, rename) : note.body
  if (body !== note.body) return patchRow(note, { tags, body }, at)
  const written = JSON.stringify(tags)
  return written === note.tags ? null : relocateRow(note, { folder: note.folder, tags: written }, at)
}

/** Returns the new name of a tag; null for a tag that is neither the renamed tag nor nested below it. */
type TagRenaming = (tag: string) => string | null

/** Makes the function that renames tags. `spellings` are the workspace's spellings of existing tags, by folded tag. */
function createTagRenaming(from: string, to: string, spellings: ReadonlyMap<string, string>): TagRenaming {
  const fromKey = tagKey(from)
  const levels = from.split('/').length
  return (tag) => {
    if (!isTagUnder(tagKey(tag), fromKey)) return null
    const renamed = [to, ...tag.normalize('NFC').split('/').slice(levels)].join('/')
    return spellings.get(tagKey(renamed)) ?? renamed
  }
}

export function isTagUnder(key: string, above: string): boolean {
  return key === above || (key.startsWith(`${above}/`) && key.length > above.length + 1)
}

/**
 * Renames the `#tags` of a body; returns the same string if none changes. Throws invalid_request if a new name cannot
 * be written in a body, e.g. because it contains a space.
 */
function renameTagInBody(body: string, rename: TagRenaming): string {
  const replacements = scanMarkdown(body).tags.flatMap(({ name, start, end }) => {
    const text = rename(name)
    if (text === null) return []
    requireInline(text)
    return [{ from: start + 1, to: end, text }]
  })
  return replaceParts(body, replacements)
}

function requireInline(tag: string): void {
  if (scanMarkdown(`#${tag}`).tags[0]?.name !== tag)
    throw invalid('/to', 'invalid_tag', 'to cannot be written in a body as #tag; send inline: false, or another name')
}
