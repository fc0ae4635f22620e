/** A note while it is edited: what is typed is stored soon, sent when it rests, and follows what happens to the note. */
import { effect, signal } from '@preact/signals'
import type { NoteSummary } from '../api/types'
import type { Body } from '../data/resources'
import type { Workspace } from '../data/workspace'
import { begun, noteWrite, SEND_AFTER_MS } from './note-actions'

/** What is typed is stored within this time, in milliseconds: what a crash can cost. */
const STORE_WITHIN_MS = 400

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
  /** What the outbox was given last, or the server has. */
  let saved = { title: title.peek(), body: body.peek() }
  /** What is typed was made of this. Revision 0: the server has not confirmed that there is such a note. */
  let base: Pick<Body, 'revision' | 'body'> = { revision: start.body?.revision ?? 0, body: body.peek() }
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Stores what was typed, and sends it when nothing was typed for some seconds. */
  async function save(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const typed = { title: title.peek(), body: body.peek() }
    const hasBody = typed.body !== saved.body
    if (!hasBody && typed.title === saved.title) return
    const isUntitled = typed.title.trim() === ''
    const data = {
      ...(hasBody && { body: typed.body }),
      // Without a title the note gets it from its body, as that is now.
      ...((typed.title !== saved.title || isUntitled) && { title: isUntitled ? null : typed.title }),
    }
    const before = saved.body
    saved = typed
    const fresh = begun.get(id.peek())
    if (fresh) {
      begun.delete(id.peek())
      const { folder, tags } = fresh
      const all = { ...data, body: typed.body, tags: [...tags], ...(folder !== null && { folder }) }
      return outbox.add([noteWrite({ op: 'create', id: id.peek(), data: all })], SEND_AFTER_MS)
    }
    const if_revision = outbox.latestOwn('note', id.peek(), base.revision, before)
    const condition = hasBody && if_revision > 0 ? { if_revision } : {}
    const write = noteWrite({ op: 'update', id: id.peek(), ...condition, data }, hasBody ? before : undefined)
    return outbox.add([write], SEND_AFTER_MS)
  }

  /** A merge of before this session says nothing of what is opened now. */
  const earlierMerge = merged.peek()
  const stopFollowing = effect(() => {
    const merge = merged.value
    if (merge === earlierMerge || merge?.id !== id.peek() || merge.from !== saved.body) return
    const text = merge.apply(body.peek())
    // Typed meanwhile into what was changed elsewhere: the server will refuse it, and it is kept.
    if (text === null) return
    base = merge.theirs
    saved = { ...saved, body: merge.to }
    body.value = text
  })

  /** Those were told before: who opens the note again means the note. */
  const earlierMoves = new Set(kept.peek())
  const stop = effect(() => {
    const moved = kept.value.find(
      (each) => each.id === id.peek() && each.text === saved.body && !earlierMoves.has(each),
    )
    if (!moved) return
    id.value = moved.copyId
    base = { revision: 0, body: saved.body }
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
      timer ??= setTimeout(save, STORE_WITHIN_MS)
    },

    /** Takes over what the server has. A text that was changed here stays: the server will refuse it, and it is kept. */
    async takeOver(note: NoteSummary): Promise<void> {
      const confirmed = await copy.confirmedBody(note.id)
      if (!confirmed || note.id !== id.peek()) return
      const own = outbox.latestOwn('note', note.id, base.revision, saved.body)
      if (confirmed.revision === own) base = confirmed
      const isUntouched = body.peek() === saved.body && saved.body === base.body
      if (confirmed.revision > own && (isUntouched || confirmed.body === base.body)) base = confirmed
      if (!isUntouched) return
      if (title.peek() === saved.title && title.peek() !== '') title.value = note.title
      // What an earlier page could not send is taken up a moment after this one was opened.
      body.value = copy.pendingBody(note.id) ?? base.body
      saved = { title: title.peek(), body: body.peek() }
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
