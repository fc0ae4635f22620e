/**
 * Keeps what was typed into a note that was meanwhile changed or deleted elsewhere: merged with what the note has now, else
 * as a note of its own.
 */
import { signal } from '@preact/signals'
import { type Api, Refused } from '../api/client'
import type { Note } from '../api/types'
import type { Copy } from './copy'
import { mayPass, type Outbox, type RefusedWrite } from './outbox'
import { type Body, partNote } from './resources'
import type { Write } from './writes'

/** A note that was changed elsewhere, and the note that has what was typed here. */
export interface KeptText {
  readonly id: string
  readonly title: string
  readonly copyId: string
  /** What was typed. */
  readonly text: string
}

/** A note whose text was changed here and elsewhere, and now has both. */
export interface MergedText {
  readonly id: string
  /** What it was here. */
  readonly from: string
  /** What it became. */
  readonly to: string
  /** What it was elsewhere. */
  readonly theirs: Body
  /** Makes the same change in a text that was made of `from`; null: it changes the same lines. */
  readonly apply: (text: string) => string | null
}

/** The note is another one by now, is erased, or is in the trash. */
const CODES = new Set(['precondition_failed', 'not_found', 'conflict'])
const MAX_TITLE = 500
const SUFFIX = ' (conflicting copy)'
/** What was merged so often and refused each time is written by a program without rest: both are kept. */
const MAX_MERGES = 10

interface Deps {
  readonly api: Api
  readonly copy: Copy
  readonly add: Outbox['add']
  readonly join: Outbox['join']
  readonly newId: () => string
}

type Update = Extract<Write, { type: 'note' }> & { readonly op: { readonly op: 'update' } }
type Merge = typeof import('./merge-lines').mergeLines

export function createKeeper({ api, copy, add, join, newId }: Deps) {
  const kept = signal<readonly KeptText[]>([])
  const merged = signal<MergedText | null>(null)

  /** Reads the note as it is now; null if there is none for this key. Throws what may pass. */
  async function readNow(id: string): Promise<Note | null> {
    try {
      const note = await api.call<Note>({ path: `api/notes/${id}` })
      const { summary, body } = partNote(note)
      await copy.confirm([{ type: 'note', id, resource: note.deleted_at === null ? summary : null, body }])
      return note
    } catch (error) {
      if (error instanceof Refused && !mayPass(error)) return null
      throw error
    }
  }

  /** Writes what a note has now together with what was typed. Returns false if both changed the same lines. */
  async function keepMerged(write: Update, text: string, now: Note, merge: Merge | null): Promise<boolean> {
    const { op, base, merges = 0 } = write
    const mayMerge = merge && base !== undefined && merges < MAX_MERGES
    const whole = now.body === text ? text : mayMerge ? merge(base, now.body, text) : null
    if (whole === null) return false
    const { body: _, ...others } = op.data
    const isNew = whole !== now.body
    const data = { ...others, ...(isNew && { body: whole }) }
    const condition = isNew ? { if_revision: now.revision } : {}
    const next = { op: 'update', id: op.id, ...condition, data } as const
    const stored =
      Object.keys(data).length > 0
        ? add([{ type: 'note', op: next, ...(isNew && { base: now.body, merges: merges + 1 }) }])
        : null
    // In the same moment: what is typed from now on is made of the merged text.
    merged.value = {
      id: op.id,
      from: text,
      to: whole,
      theirs: partNote(now).body,
      apply: (typed) => (typed === text ? whole : (merge?.(text, whole, typed) ?? null)),
    }
    await stored
    return true
  }

  async function keepApart({ op }: Update, body: string, now: Note | null): Promise<void> {
    const { id } = op
    const { body: _, title, properties: __, ...rest } = op.data
    const isHere = now?.deleted_at === null
    const name = title ?? now?.title ?? copy.shown.note.peek().get(id)?.title ?? 'Untitled'
    const copyId = newId()
    const data = {
      title: [...name].slice(0, MAX_TITLE - SUFFIX.length).join('') + SUFFIX,
      body,
      ...(now && { folder: now.folder, tags: now.tags }),
    }
    const stored = add([
      ...(isHere && Object.keys(rest).length > 0 ? [update(id, rest)] : []),
      { type: 'note', op: { op: 'create', id: copyId, data } },
    ])
    kept.value = [...kept.peek(), { id, title: name, copyId, text: body }]
    await stored
  }

  return {
    /** What was kept, until the person has seen it. */
    kept,

    /** What was merged last. */
    merged,

    /**
     * Reads what is needed to keep the texts of refused writes; throws if nobody can be asked now. What it resolves with keeps
     * one of them, and returns false if it has none, or was refused for another reason.
     */
    async prepare(refused: readonly RefusedWrite[]): Promise<(write: RefusedWrite) => Promise<boolean>> {
      const notes = new Map<string, Note | null>()
      for (const { write, code } of refused)
        if (CODES.has(code) && isTyped(write) && !notes.has(write.op.id))
          notes.set(write.op.id, await readNow(write.op.id))
      const merge = notes.size > 0 ? await loadMerge() : null
      return async ({ write, code }) => {
        if (!CODES.has(code) || !isTyped(write)) return false
        const { body } = write.op.data
        const now = notes.get(write.op.id) ?? null
        if (body === undefined) return false
        // What was typed next has all of it: that is kept.
        if (await join(write)) return true
        if (now?.deleted_at === null && (await keepMerged(write, body, now, merge))) return true
        await keepApart(write, body, now)
        return true
      }
    },
  }
}

/** Conflicts are rare: what merges is loaded when it is needed. Null where it cannot be. */
const loadMerge = () =>
  import('./merge-lines').then(
    ({ mergeLines }) => mergeLines,
    () => null,
  )

function isTyped<Each extends Write>(write: Each): write is Each & Update {
  return write.type === 'note' && write.op.op === 'update' && write.op.data.body !== undefined
}

function update(id: string, data: Update['op']['data']): Write {
  return { type: 'note', op: { op: 'update', id, data } }
}
