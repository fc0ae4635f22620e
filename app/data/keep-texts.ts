/**
 * Keeps what was typed into a note or a task that was meanwhile changed or deleted elsewhere: merged with what it has now,
 * else the text of a note as a note of its own, and the notes of a task with those of elsewhere below them. A title is what was
 * typed here; what it was elsewhere is told.
 */
import type { Signal } from '@preact/signals'
import type { Api } from '../api/client'
import type { Note, Task } from '../api/types'
import { say } from '../words/say'
import type { Copy } from './copy'
import { mergeLines } from './merge-lines'
import { changedNames } from './name-lists'
import { type Outbox, type RefusedWrite, readNow } from './outbox'
import { isOfResource, TEXTS, type Texts, textsOf, UNTITLED, type Write } from './writes'

/** A note that was changed elsewhere, and the note that has what was typed here. */
export interface KeptText {
  readonly id: string
  readonly title: string
  readonly copyId: string
  /** What was typed. */
  readonly text: string
}

/** A title that was changed here and elsewhere, and now is what was typed here. */
export interface ReplacedTitle {
  readonly type: 'note' | 'task'
  readonly id: string
  /** The title of the note or task now. */
  readonly title: string
  /** What it was elsewhere. */
  readonly theirs: string
}

/** A note whose text was changed here and elsewhere, and now has both. */
export interface MergedText {
  readonly id: string
  /** What it was here. */
  readonly from: string
  /** What it became. */
  readonly to: string
  /** The revision that it was merged with. */
  readonly revision: number
  /** Makes the same change in a text that was made of `from`; null: it changes the same lines. */
  readonly apply: (text: string) => string | null
}

/** The note is another one by now, is erased, or is in the trash. */
const CODES = new Set(['precondition_failed', 'not_found', 'conflict'])
const MAX_TITLE = 500
const SUFFIX = say` (conflicting copy)`
/** What was merged so often and refused each time is written by a program without rest: both are kept. */
const MAX_MERGES = 10

export interface KeeperDeps {
  readonly api: Api
  readonly copy: Copy
  readonly add: Outbox['add']
  readonly join: Outbox['join']
  readonly newId: () => string
}

type OfResource = Extract<Write, { type: 'note' | 'task' }>
type Change = OfResource & { readonly op: { readonly op: 'update' } }
type Update = Extract<Change, { type: 'note' }>
type Resource = Note | Task

/** What became of texts, until the person has seen it; `merged`: what was merged last. */
export interface Told {
  readonly kept: Signal<readonly KeptText[]>
  readonly merged: Signal<MergedText | null>
  readonly replaced: Signal<readonly ReplacedTitle[]>
}

/** Makes what keeps the texts of refused writes. */
export function createTextKeeper({ api, copy, add, join, newId }: KeeperDeps, { kept, merged, replaced }: Told) {
  /** Of two bodies of which one was made of the other, here or in another tab, that one has all of the other: it stays. */
  function seenBody(write: Change, theirs: string): Texts {
    const { body = '' } = textsOf(write)
    if (copy.isContained(write, theirs)) return { body }
    return copy.isMadeOf(write, theirs) ? { body: theirs } : {}
  }

  /** Writes the texts of now together with those that were typed. Returns false if both changed the same lines of a note. */
  async function keepMerged(write: Change, now: Resource): Promise<boolean> {
    const { type, op, merges = 0 } = write
    const isRestless = merges >= MAX_MERGES
    const theirs = textsIn(now)
    const seen =
      theirs.body === undefined ? write : { ...write, base: { ...write.base, ...seenBody(write, theirs.body) } }
    const both = mergeTexts(seen, theirs, isRestless)
    if (!both) return false
    const others = Object.fromEntries(Object.entries(op.data).filter(([name]) => !(name in both.typed)))
    const data = { ...others, ...both.texts }
    const base = Object.fromEntries(Object.keys(both.texts).map((name) => [name, theirs[name as keyof Texts]]))
    const hasTexts = Object.keys(base).length > 0
    const condition = hasTexts && (!isRestless || 'body' in base) ? { if_revision: now.revision } : {}
    const next = { op: 'update', id: op.id, ...condition, data } as const
    const stored =
      Object.keys(data).length > 0
        ? add([{ type, op: next, ...(hasTexts && { base, merges: merges + 1 }) } as Write])
        : null
    if (both.replaced !== null) {
      const title = both.texts.title ?? now.title
      replaced.value = [...replaced.peek(), { type, id: op.id, title, theirs: both.replaced }]
    }
    if ('body' in now && both.typed.body !== undefined) follow(now, both.typed.body, both.texts.body ?? now.body)
    await stored
    return true
  }

  /** Tells of a merged text, in the same moment: what is typed from now on is made of it. */
  function follow(now: Note, text: string, whole: string): void {
    merged.value = {
      id: now.id,
      from: text,
      to: whole,
      revision: now.revision,
      apply: (typed) => (typed === text ? whole : mergeLines(text, whole, typed)),
    }
  }

  async function keepApart({ op }: Update, now: Note | null): Promise<void> {
    const { id } = op
    const { body = '', title, properties: _, ...rest } = op.data
    const isHere = now?.deleted_at === null
    const name = title ?? now?.title ?? copy.shown.note.peek().get(id)?.title ?? UNTITLED
    const copyId = newId()
    const data = {
      title: [...name].slice(0, MAX_TITLE - SUFFIX.length).join('') + SUFFIX,
      body,
      ...(now && { folder: now.folder, tags: changedNames('note', rest, now.tags) }),
    }
    const stored = add([
      ...(isHere && Object.keys(rest).length > 0 ? [update(id, rest)] : []),
      { type: 'note', op: { op: 'create', id: copyId, data } },
    ])
    kept.value = [...kept.peek(), { id, title: name, copyId, text: body }]
    await stored
  }

  return {
    /**
     * Reads what is needed to keep the texts of refused writes; throws if nobody can be asked now. What it resolves with keeps
     * one of them, and returns false if it has none, or was refused for another reason.
     */
    async prepare(refused: readonly RefusedWrite[]): Promise<(write: RefusedWrite) => Promise<boolean>> {
      const resources = new Map<string, Resource | null>()
      for (const { write, code } of refused)
        if (mayKeep(write, code) && !resources.has(write.op.id))
          resources.set(write.op.id, await readNow({ api, copy }, write))
      return async ({ write, code }) => {
        if (!mayKeep(write, code)) return false
        const now = resources.get(write.op.id) ?? null
        // What was typed next has all of it: that is kept.
        if (await join(write)) return true
        if (now?.deleted_at === null && (await keepMerged(write, now))) return true
        if (!isTyped(write)) return false
        await keepApart(write, now as Note | null)
        return true
      }
    },
  }
}

const textsIn = ({ title, ...rest }: Resource): Texts => ({
  title,
  ...('body' in rest ? { body: rest.body } : { notes: rest.notes }),
})

/**
 * The texts that a write gives to what others have changed since, but for those that it has already. Null if both changed
 * the same lines of the body of a note.
 */
function mergeTexts(write: Change, now: Texts, isRestless: boolean) {
  const [typed, { base = {} }] = [textsOf(write), write]
  const texts: { -readonly [Member in keyof Texts]: string } = {}
  let replaced: string | null = null
  for (const member of TEXTS) {
    const [ours, theirs, before] = [typed[member], now[member], base[member]]
    if (ours === undefined || theirs === undefined || ours === theirs || ours === before) continue
    const mayMerge = member !== 'title' && before !== undefined && !isRestless
    const whole = theirs === before ? ours : mayMerge ? mergeLines(before, theirs, ours) : null
    if (whole === theirs) continue
    if (whole === null && member === 'body') return null
    if (whole === null && member === 'title' && before !== undefined) replaced = theirs
    // Of a task there is no history, and nobody wants a second one: its notes have both, one below the other.
    texts[member] = whole ?? (member === 'notes' && before !== undefined ? `${ours}\n\n${theirs}` : ours)
  }
  return { typed, texts, replaced }
}

/** Whether a refused write has what can be kept: it was of something that has changed, or is a text for a note that is gone. */
function mayKeep(write: Write, code: string): write is Change {
  if (!isOfResource(write) || write.op.op !== 'update') return false
  return code === 'precondition_failed' || (CODES.has(code) && isTyped(write))
}

function isTyped(write: OfResource): write is Update {
  return write.type === 'note' && write.op.op === 'update' && write.op.data.body !== undefined
}

function update(id: string, data: Update['op']['data']): Write {
  return { type: 'note', op: { op: 'update', id, data } }
}
