/** Sends the writes to the server, in their order, in as few requests as possible. */
import { signal } from '@preact/signals'
import { type Api, clockSkewMs, hour, Refused, Unreachable } from '../api/client'
import type { BatchAnswersOutcome, BatchFactsOutcome, Card, CardChange, Note, NoteSummary, Task } from '../api/types'
import { say } from '../words/say'
import type { Confirmed, Copy } from './copy'
import type { Store } from './database'
import { type Body, partNote } from './resources'
import { createWriteQueue } from './write-queue'
import {
  isOfDay,
  isOfResource,
  isTimed,
  type PendingWrite,
  type ResourceWrite,
  type Write,
  writtenBody,
} from './writes'

/** Waiting times after failures, in milliseconds: doubled up to the longest. */
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000

/** A write that the server refused for good, with the sentence why. */
export interface RefusedWrite {
  readonly write: PendingWrite
  readonly code: string
  readonly message: string
}

interface Deps {
  readonly api: Api
  readonly kept: Store
  readonly copy: Copy
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  /**
   * Called with the writes that the server refuses of a batch. What it resolves with is called once their answers are known
   * here; the writes stay stored until that is done. It may reject as requests do: it is then called again later.
   */
  readonly onRefused: (refused: readonly RefusedWrite[]) => Promise<() => Promise<void>>
  /** Called with what answers to cards came to. They stay stored until what it resolves with is stored. */
  readonly onAnswered: (items: BatchAnswersOutcome['items']) => Promise<void>
  /** Called with a card that was changed. */
  readonly onCard: (card: Card) => Promise<void>
}

/** What became of one write: of a note or task the resource or the problem, of an answer to a card what it came to. */
interface BatchItem {
  readonly status: number
  /** Undefined: the copy has it already. */
  readonly body: unknown
  /** The resource was already so: its revision is one that others may have made. */
  readonly unchanged?: true
}

/** What the server answered to a write of a note or a task. */
interface Done {
  readonly write: ResourceWrite
  readonly resource: NoteSummary | Task | null
  /** Whether the revision is that of the write. */
  readonly isMade: boolean
}

interface Problem {
  readonly code?: string
  readonly detail?: string
  /** What has the id, or the name, that was to be given. */
  readonly existing_id?: string
}

/** Why what is to be sent waits: there is no way to the server, the hour is used up, or the server failed, as it said. */
type Wait = { readonly why: 'offline' | 'limit' } | { readonly why: 'fault'; readonly message: string }

/** `waiting`: `until` is when the server is asked again (ms since 1970). */
export type OutboxState =
  | { readonly is: 'idle' }
  | { readonly is: 'sending' }
  | ({ readonly is: 'waiting'; readonly until: number } & Wait)

export type Outbox = ReturnType<typeof createOutbox>

export function createOutbox({ api, kept, copy, now, newId, onRefused, onAnswered, onCard }: Deps) {
  const queue = createWriteQueue({ kept, copy, now, onTakenUp: sendUnlessLimited })
  const state = signal<OutboxState>({ is: 'idle' })
  let retryMs = FIRST_RETRY_MS
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending: Promise<void> | null = null
  const end = new AbortController()

  /** @param isRepeat they may have been carried out: the answer never came */
  async function sendBatch(writes: readonly PendingWrite[], isRepeat: boolean): Promise<void> {
    const [first] = writes
    if (!first) return
    if (first.type === 'day') {
      const { appendLines } = await loadDayLines()
      const confirmed = await appendLines({ api, copy, now }, writes.filter(isOfDay), isRepeat)
      // In the same moment: what was added is shown once.
      copy.removePending(writes)
      await copy.confirm(confirmed)
      return queue.remove(writes)
    }
    if (first.type === 'card') {
      const { id, ...body }: CardChange = Object.assign({}, ...writes.map(({ op }) => op))
      await onCard(await api.call<Card>({ method: 'PATCH', path: `api/flashcards/cards/${id}`, body }))
      return queue.remove(writes)
    }
    const request = { method: 'POST', headers: { 'Idempotency-Key': first.batch ?? '' } } as const
    if (first.type === 'review') {
      const { items } = await api.call<BatchAnswersOutcome>({
        ...request,
        path: 'api/flashcards/reviews/batch',
        query: { preview: true },
        body: { items: writes.map(({ op }) => op) },
      })
      await onAnswered(items)
      return settle(writes, items.map(withoutResource))
    }
    if (first.type === 'fact') {
      const { items } = await api.call<BatchFactsOutcome>({
        ...request,
        path: 'api/flashcards/facts/batch',
        body: { items: writes.map(({ op }) => op) },
      })
      return settle(writes, items.map(withoutResource))
    }
    const { items } = await api.call<{ readonly items: readonly BatchItem[] }>({
      ...request,
      path: first.type === 'note' ? 'api/notes/batch' : 'api/tasks/batch',
      body: { atomic: false, ops: writes.map(({ op }) => op) },
    })
    await settle(writes, isRepeat ? await withoutRestored({ api, copy }, writes, items) : items)
  }

  async function settle(writes: readonly PendingWrite[], items: readonly BatchItem[]): Promise<void> {
    const answered = writes.map((write, index) => ({ write, item: items[index] }))
    const done = answered.flatMap(({ write, item }) =>
      item && item.status < 300 && item.body !== undefined && isOfResource(write)
        ? [{ write, resource: item.body as NoteSummary | Task | null, isMade: !item.unchanged }]
        : [],
    )
    const refused = answered.flatMap(({ write, item }) => {
      if (item && item.status < 300) return []
      const problem = (item?.body ?? {}) as Problem
      const { code = 'unknown', detail = say`The server did not take the change.` } = problem
      // It was made when it was sent before: the server knows the key of a batch for a day.
      return problem.existing_id === write.op.id ? [] : [{ write, code, message: detail }]
    })
    const handle = await prepareRefused(refused)
    if (!handle) return
    for (const { write, resource, isMade } of done) if (resource && isMade) queue.noteRevision(write, resource.revision)
    const valid = done.filter(({ write, resource }) => resource !== null || isLast(write, writes))
    await copy.confirm(await Promise.all(valid.map(confirmedBy)))
    await queue.remove(writes, async () => {
      await handle()
      await queue.followRevisions()
    })
  }

  async function confirmedBy({ write, resource, isMade }: Done): Promise<Confirmed> {
    const { type, op } = write
    const body = type === 'note' && resource ? await bodyAfter(write, resource.revision, isMade) : null
    return { type, id: op.id, resource, ...(body && { body }) }
  }

  /** The body of a note at the revision that a write made or found; null if only the server knows it. */
  async function bodyAfter(write: ResourceWrite, revision: number, isMade: boolean): Promise<Body | null> {
    const { id } = write.op
    const written = writtenBody(write)
    if (written !== undefined) return { id, revision, body: written }
    const before = await copy.confirmedBody(id)
    const isKept = before?.revision === (isMade ? revision - 1 : revision) && keepsBody(write, before.body)
    return isKept ? { ...before, revision } : null
  }

  /** Asks the server for anything if its clock is needed and not known: the page was opened without network. Throws what passes. */
  async function learnClock(writes: readonly PendingWrite[]): Promise<void> {
    if (clockSkewMs() !== null || !writes.some(isTimed)) return
    await api.call({ path: 'api/workspace/settings' }).catch((error: unknown) => {
      if (mayPass(error)) throw error
    })
  }

  async function sendAll(): Promise<void> {
    for (let due = queue.nextBatch(); due.length > 0 && !end.signal.aborted; due = queue.nextBatch()) {
      // Nothing that is known not to have been sent gets into a batch: it can still be taken back.
      if (navigator.onLine === false) return waitFor(retryMs, { why: 'offline' })
      state.value = { is: 'sending' }
      try {
        await learnClock(due)
        // Meanwhile more may have been typed into the same, or what was due may have been taken back.
        const taken = queue.nextBatch()
        const key = taken[0]?.batch
        const sent = await queue.nameBatch(taken, key ?? newId(), now() + (clockSkewMs() ?? 0))
        await sendBatch(sent, key !== undefined).catch((error: unknown) => refuseAll(sent, error))
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (!mayPass(error)) throw error
        if (!(error instanceof Refused)) return waitFor(retryMs, { why: 'offline' })
        const { status, retryAfter, message } = error
        const wait = status === 429 ? { why: 'limit' as const } : { why: 'fault' as const, message }
        return waitFor(retryAfter === null ? retryMs : retryAfter * 1000, wait)
      }
    }
    state.value = { is: 'idle' }
  }

  /** Handles a batch that was refused as a whole. Throws what passes. */
  async function refuseAll(writes: readonly PendingWrite[], error: unknown): Promise<void> {
    if (!(error instanceof Refused) || mayPass(error)) throw error
    const { code, message } = error
    const handle = await prepareRefused(writes.map((write) => ({ write, code, message })))
    if (!handle) return
    await queue.remove(writes, handle)
  }

  /**
   * Finds out what becomes of refused writes. Null once this outbox is closed: whoever opens the workspace next asks again
   * under the same key, and would do the same as well.
   */
  async function prepareRefused(refused: readonly RefusedWrite[]): Promise<(() => Promise<void>) | null> {
    if (refused.length === 0) return async () => {}
    const handle = await onRefused(refused)
    return end.signal.aborted ? null : handle
  }

  /** Plans to send again what could not be sent. */
  function waitFor(ms: number, wait: Wait): void {
    retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)
    state.value = { is: 'waiting', until: now() + ms, ...wait }
    clearTimeout(timer)
    timer = setTimeout(tryNow, ms)
  }

  function send(): Promise<void> {
    clearTimeout(timer)
    sending ??= sendAll().finally(() => {
      sending = null
      // One that came when the last batch had just been settled.
      if (queue.nextBatch().length > 0 && state.peek().is === 'idle' && !end.signal.aborted) send()
    })
    return sending
  }

  /** Sends, unless the server has said until when the requests of the hour are used up. */
  async function sendUnlessLimited(): Promise<void> {
    const current = state.peek()
    if (current.is !== 'waiting' || current.why !== 'limit') await send()
  }

  /** Sends what waits, whatever was said of the hour. */
  function tryNow(): Promise<void> {
    queue.release()
    return send()
  }

  const onOnline = () => {
    const current = state.peek()
    if (current.is === 'waiting' && current.why !== 'limit') tryNow()
  }
  window.addEventListener('online', onOnline, { signal: end.signal })
  // The answer to another request says that the limit was raised.
  const endFollowing = hour.subscribe((latest) => {
    const current = state.peek()
    if (current.is === 'waiting' && current.why === 'limit' && latest && latest.remaining > 0) tryNow()
  })

  return {
    state,
    /** How many writes wait for the server. */
    waiting: queue.waiting,
    /** What the server never takes, until the person has seen it. */
    refused: queue.refused,
    tryNow,
    latestOwn: queue.latestOwn,
    join: queue.join,
    load: queue.load,
    listUnsent: queue.listUnsent,
    withdraw: queue.withdraw,
    withdrawStep: queue.withdrawStep,

    /**
     * Shows writes at once and stores them, and sends them after `delayMs`, so that several become one request. An `update`
     * that follows an unsent `update` of the same resource becomes one with it. Resolves when they are stored.
     * @param delayMs null: they are sent with others, or by `flush`
     */
    async add(writes: readonly Write[], delayMs: number | null = 0): Promise<void> {
      await queue.add(writes, { isHeld: delayMs === null })
      if (state.peek().is === 'waiting' || sending || delayMs === null) return
      clearTimeout(timer)
      timer = setTimeout(send, delayMs)
    },

    /** Sends what waits, now. Resolves when all is sent or has to wait. */
    flush(): Promise<void> {
      queue.release()
      return sendUnlessLimited()
    },

    /** Stops sending; what waits is stored. */
    close(): void {
      queue.close()
      endFollowing()
      end.abort()
      clearTimeout(timer)
    },
  }
}

/** Loads what adds lines to days. A browser may load it only after a reload; the lines wait as long. @throws Unreachable */
const loadDayLines = () =>
  import('./day-lines').catch(() => {
    throw new Unreachable()
  })

/** What became of a card or of an answer to one: the copy has neither. */
const withoutResource = ({ status, error }: { readonly status: number; readonly error: unknown }): BatchItem => ({
  status,
  body: error,
})

/** The answer to a repeat is that of the first time: what was deleted then may have been restored since. */
function withoutRestored(
  deps: Pick<Deps, 'api' | 'copy'>,
  writes: readonly PendingWrite[],
  items: readonly BatchItem[],
): Promise<BatchItem[]> {
  const now = items.map(async (item, place) => {
    const write = writes[place]
    if (item.status >= 300 || item.body !== null || !write || !isOfResource(write)) return item
    return (await readNow(deps, write))?.deleted_at === null ? { ...item, body: undefined } : item
  })
  return Promise.all(now)
}

/** Whether a batch does nothing more with a resource. A deletion has no revision to compare with that of a later restore. */
const isLast = (write: PendingWrite, batch: readonly PendingWrite[]) =>
  batch.findLast(({ op }) => op.id === write.op.id) === write

/** Reads a note or a task into the copy as it is now; null if there is none for this key. Throws what may pass. */
export async function readNow(
  { api, copy }: Pick<Deps, 'api' | 'copy'>,
  { type, op: { id } }: Extract<Write, { type: 'note' | 'task' }>,
): Promise<Note | Task | null> {
  try {
    const now = await api.call<Note | Task>({ path: `api/${type}s/${id}` })
    const { summary, body } = 'body' in now ? partNote(now) : { summary: now }
    await copy.confirm([{ type, id, resource: now.deleted_at === null ? summary : null, ...(body && { body }) }])
    return now
  } catch (error) {
    if (error instanceof Refused && !mayPass(error)) return null
    throw error
  }
}

/** Whether what failed a request may be over later. An answer of another make is that of a proxy, which may find the server. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Refused)) return error instanceof Unreachable
  return error.code === 'unknown' || [408, 429].includes(error.status) || error.status >= 500
}

/** Whether a write leaves the body of a note as it is: a new title or folder changes links of the note to itself. */
function keepsBody({ op }: ResourceWrite, body: string): boolean {
  if (op.op !== 'update') return op.op === 'restore'
  return !('title' in op.data || 'folder' in op.data) || (!body.includes('](') && !body.includes('[['))
}
