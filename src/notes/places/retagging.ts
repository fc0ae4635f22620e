import type { Session } from '../../db/database'
import { ApiError } from '../../http/api-error'
import type { WorkKind } from '../../imports/kind'
import { tagKey } from '../filters'
import { checkedTags, moved, withChanges } from '../note'
import { getNote, type NoteRow } from '../store'
import { spellings } from '../tag-store'
import type { Writer } from '../writer'
import { fitting } from './fitting'
import { isUnder, renamedInBody, type TagRenaming, tagRenaming } from './rename-tag'
import { someOfTag } from './store'

/** How many times a run goes over all notes at most: a note that was written meanwhile with the old tag is met again. */
const ROUNDS = 5
/** Ids of notes that a run left as they were, and that are told. */
const TOLD_LEFT = 100

/** A tag that gets another name: JSON. */
export interface TagOrder {
  readonly from: string
  readonly to: string
  readonly inline: boolean
  /** Whether there is such a tag already. */
  readonly merged: boolean
  /** Notes that have it. */
  readonly total: number
}

export interface TagState {
  /** The key of the last note that was met in this round. */
  readonly key: number
  readonly round: number
  /** Notes changed in this round, and in all. */
  readonly written: number
  readonly changed: number
  readonly merged: boolean
  readonly left: readonly string[]
}

interface Deps {
  readonly writer: Writer
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A note that cannot take the name is left as it is, and told; else nothing is done at all. */
  readonly lenient: boolean
}

/** The steps that rename a tag in all notes. */
export function retagging({ writer, now, lenient }: Deps): Pick<WorkKind<TagOrder, TagState>, 'step'> {
  return {
    async step(session, order, from, size) {
      const { merged, total } = order
      let state: TagState = from ?? { key: 0, round: 1, written: 0, changed: 0, merged, left: [] }
      const some = await someOfTag(session.db, session.workspace.id, tagKey(order.from), state.key, size)
      for (const { key, id } of some) {
        state = { ...state, key }
        const note = await getNote(session.db, session.workspace.id, id)
        const next = note && (await fitted(session, order, note, now(), lenient))
        if (next === 'left') state = { ...state, left: told(state.left, id) }
        else if (note && next) {
          await writer.save(session, note, next)
          state = { ...state, written: state.written + 1, changed: state.changed + 1 }
        }
      }
      const isRoundOver = some.length < size
      const isDone = isRoundOver && (state.written === 0 || state.round === ROUNDS || overlap(order))
      if (isRoundOver) state = { ...state, key: 0, round: state.round + 1, written: 0 }
      return { state, done: state.changed, total: Math.max(total, state.changed), more: !isDone }
    },
  }
}

/** Whether a note that has the new tag may be met again by the old one: then each is met once. */
function overlap({ from, to }: TagOrder): boolean {
  const [old, next] = [tagKey(from), tagKey(to)]
  return isUnder(old, next) || isUnder(next, old)
}

async function fitted(session: Session, order: TagOrder, note: NoteRow, at: number, lenient: boolean) {
  try {
    return await retagged(session, order, note, at)
  } catch (error) {
    if (lenient && error instanceof ApiError) return 'left' as const
    throw error
  }
}

/** The note under its new tags; null where that changes nothing. @throws Refusal conflict where it cannot take them */
export async function retagged(
  { db, workspace }: Session,
  { from, to, inline }: Pick<TagOrder, 'from' | 'to' | 'inline'>,
  note: NoteRow,
  at: number,
): Promise<NoteRow | null> {
  const isSame = tagKey(from) === tagKey(to)
  const plain = tagRenaming(from, to, new Map())
  const had: string[] = [...JSON.parse(note.tags), ...JSON.parse(note.inline_tags)]
  // A tag in use is spelled as the workspace spells it; one that only changes its spelling is itself.
  const wanted = isSame ? [] : had.flatMap((tag) => plain(tag) ?? []).map(tagKey)
  const rename = tagRenaming(from, to, await spellings(db, workspace.id, wanted))
  return fitting(note, (old) => renamed(old, rename, inline, at))
}

function renamed(note: NoteRow, rename: TagRenaming, inline: boolean, at: number): NoteRow | null {
  const tags = checkedTags((JSON.parse(note.tags) as string[]).map((tag) => rename(tag) ?? tag))
  const body = inline ? renamedInBody(note.body, rename) : note.body
  if (body !== note.body) return withChanges(note, { tags, body }, at)
  const written = JSON.stringify(tags)
  return written === note.tags ? null : moved(note, { folder: note.folder, tags: written }, at)
}

function told(left: readonly string[], id: string): readonly string[] {
  return left.includes(id) || left.length >= TOLD_LEFT ? left : [...left, id]
}
