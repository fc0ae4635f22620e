/** A note while it is edited: what is typed is stored soon, sent when it rests, and follows what happens to the note. */
import { effect, signal } from '@preact/signals'
import type { NoteSummary } from '../api/types'
import type { Body } from '../data/resources'
import type { Workspace } from '../data/workspace'
import { begun, noteWrite, SEND_AFTER_MS } from './note-actions'

/** What is typed is stored after this time, in milliseconds, … */
const STORE_AFTER_MS = 400
/** … or so much later, once the page rests: to store a long text takes longer than a frame. */
const REST_WITHIN_MS = 100

export type EditSession = ReturnType<typeof createEditSession>

/** What is edited: `body` null is a note that does not exist yet. */
interface Start {
  readonly id: string
  readonly title: string
  readonly body: Body | null
}

function createEditSession({ copy, outbox, kept, merged }: Workspace, start: Start) {
  const id = signal(start.id)
  const title = signal(start.title)
  const body = signal(start.body?.body ?? '')
  /**
   * What was shown or given to the outbox last: what is typed is made of this. `revision` is that of the server's note then;
   * 0: it has not confirmed that there is one.
   */
  let seen = { title: title.peek(), body: body.peek(), revision: start.body?.revision ?? 0 }
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Stores what was typed, and sends it when nothing was typed for some seconds. */
  async function save(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const typed = { title: title.peek(), body: body.peek() }
    const hasBody = typed.body !== seen.body
    if (!hasBody && typed.title === seen.title) return
    const isUntitled = typed.title.trim() === ''
    const data = {
      ...(hasBody && { body: typed.body }),
      // Without a title the note gets it from its body, as that is now.
      ...((typed.title !== seen.title || isUntitled) && { title: isUntitled ? null : typed.title }),
    }
    const before = seen
    seen = { ...seen, ...typed }
    const fresh = begun.get(id.peek())
    if (fresh) {
      begun.delete(id.peek())
      const { folder, tags } = fresh
      const all = { ...data, body: typed.body, tags: [...tags], ...(folder !== null && { folder }) }
      return outbox.add([noteWrite({ op: 'create', id: id.peek(), data: all })], SEND_AFTER_MS)
    }
    const if_revision = outbox.latestOwn('note', id.peek(), before.revision, before.body)
    const write = noteWrite(
      { op: 'update', id: id.peek(), if_revision, data },
      {
        ...(hasBody && { body: before.body }),
        ...(typeof data.title === 'string' && { title: before.title }),
      },
    )
    return outbox.add([write], SEND_AFTER_MS)
  }

  /** A merge of before this session says nothing of what is opened now. */
  const earlierMerge = merged.peek()
  const stopFollowing = effect(() => {
    const merge = merged.value
    if (merge === earlierMerge || merge?.id !== id.peek() || merge.from !== seen.body) return
    const text = merge.apply(body.peek())
    // Typed meanwhile into what was changed elsewhere: the server will refuse it, and it is kept.
    if (text === null) return
    seen = { ...seen, body: merge.to, revision: merge.revision }
    body.value = text
  })

  /** Those were told before: who opens the note again means the note. */
  const earlierMoves = new Set(kept.peek())
  const stop = effect(() => {
    const moved = kept.value.find((each) => each.id === id.peek() && each.text === seen.body && !earlierMoves.has(each))
    if (!moved) return
    id.value = moved.copyId
    seen = { ...seen, revision: 0 }
    sessions.set(moved.copyId, session)
  })

  const session = {
    /** The same as long as the session lasts. */
    key: start.id,
    /** Changes when what was typed was moved to a note of its own, since the note was changed elsewhere. */
    id,
    title,
    body,
    save,

    /** Takes what was typed. */
    type(typed: { readonly title?: string; readonly body?: string }): void {
      if (typed.title !== undefined) title.value = typed.title
      if (typed.body !== undefined) body.value = typed.body
      timer ??= setTimeout(() => whenAtRest(save), STORE_AFTER_MS)
    },

    /** Takes over what the note has now. What was typed and not stored stays: it is merged once it is sent. */
    async takeOver(note: NoteSummary): Promise<void> {
      const stored = copy.pendingBody(note.id)
      const confirmed = await copy.confirmedBody(note.id)
      if (!confirmed || note.id !== id.peek()) return
      const own = outbox.latestOwn('note', note.id, seen.revision, seen.body)
      // It was read before what was written here was confirmed.
      if (confirmed.revision < own) return
      if (body.peek() !== seen.body || title.peek() !== seen.title) {
        if (confirmed.body === seen.body && ['', note.title].includes(seen.title)) seen.revision = confirmed.revision
        return
      }
      if (title.peek() !== '') title.value = note.title
      // What another tab has typed, or an earlier page could not send, is not at the server yet.
      const waiting = copy.pendingBody(note.id) ?? stored
      const now = waiting ?? (confirmed.revision > seen.revision ? confirmed : seen)
      body.value = now.body
      seen = { title: title.peek(), body: now.body, revision: now.revision ?? confirmed.revision }
    },

    /** Stores what was typed, and sends it now. */
    async leave(): Promise<void> {
      await save()
      await outbox.flush()
    },

    /** Ends the session. */
    close(): void {
      stop()
      stopFollowing()
      for (const [key, each] of sessions) if (each === session) sessions.delete(key)
      void session.leave()
    },
  }
  return session
}

/** Does something when no key waits to be shown. Not every browser tells. */
function whenAtRest(work: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: REST_WITHIN_MS })
  else work()
}

/** The open sessions by the ids of their notes, also those that they had before. */
const sessions = new Map<string, EditSession>()

/** The session that edits a note; undefined: there is none. */
export const findSession = (id: string): EditSession | undefined => sessions.get(id)

/** Begins to edit a note, or goes on with what was begun. */
export function openEditSession(workspace: Workspace, start: Start): EditSession {
  const session = sessions.get(start.id) ?? createEditSession(workspace, start)
  sessions.set(start.id, session)
  return session
}
