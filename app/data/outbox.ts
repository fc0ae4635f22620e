/** Sends the writes to the server, in their order, in as few requests as possible. */
import { signal } from '@preact/signals'
import { type Api, Refused, Unreachable } from '../api/client'
import type { BatchAnswersOutcome, CardAnswer, NoteSummary, Task } from '../api/types'
import type { Confirmed, Copy } from './copy'
import type { Database, Store } from './database'
import type { Body } from './resources'
import { isOfResource, type PendingWrite, type ResourceWrite, type Write, writtenBody } from './writes'

/** Ops of one batch: fewer than the 100 that the server takes, so that an answer stays small. */
const MAX_BATCH = 50
/** Bytes of the ops of one batch, unless one alone has more: half of what the server takes. */
const MAX_BATCH_BYTES = 1024 * 1024
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
  /** Which tab this is, and when others are closed: see tabs.ts. */
  readonly tabs: typeof import('./tabs')
  /** Called for each write that the server refuses. The write stays stored until what it resolves with is stored. */
  readonly onRefused: (refused: RefusedWrite) => Promise<void>
  /** Called with what answers to cards came to. */
  readonly onAnswered: (items: BatchAnswersOutcome['items']) => void
}

/** What became of one write: of a note or task the resource or the problem, of an answer to a card what it came to. */
interface BatchItem {
  readonly status: number
  readonly body: unknown
}

/** `waiting`: the server was busy, gone or the hour is used up; `until` is when it is asked again (ms since 1970). */
export type OutboxState =
  | { readonly is: 'idle' }
  | { readonly is: 'sending' }
  | { readonly is: 'waiting'; readonly until: number; readonly why: 'offline' | 'limit' }

export type Outbox = ReturnType<typeof createOutbox>

export function createOutbox({ api, kept, copy, now, newId, tabs, onRefused, onAnswered }: Deps) {
  const queue: PendingWrite[] = []
  /** The revision that a confirmed write made of another one, by type, id and that other one. */
  const successors = new Map<string, number>()
  /** The writes (by `seq`) that are not sent until somebody asks for it. */
  const held = new Set<number>()
  const state = signal<OutboxState>({ is: 'idle' })
  /** How many writes wait for the server. */
  const waiting = signal(0)
  let lastSeq = 0
  let retryMs = FIRST_RETRY_MS
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending: Promise<void> | null = null
  let closed = false

  async function remember(writes: readonly PendingWrite[]): Promise<void> {
    if (writes.length === 0) return
    await kept.use((db) => storeWrites(db, { put: writes }))
  }

  async function forget(writes: readonly PendingWrite[]): Promise<void> {
    queue.splice(0, queue.length, ...queue.filter((write) => !writes.includes(write)))
    waiting.value = queue.length
    await kept.use((db) => storeWrites(db, { remove: writes }))
  }

  async function takeUp(other: string): Promise<void> {
    if (closed) return
    const taken = await kept.use(async (db) => {
      const tx = db.transaction('writes', 'readwrite')
      const left = await tx.store.getAll(rangeOf(other))
      const own = left.map((write) => {
        lastSeq += 1
        return { ...write, tab: tabs.tab, seq: lastSeq }
      })
      await Promise.all([
        ...left.map(({ tab, seq }) => tx.store.delete([tab, seq])),
        ...own.map((write) => tx.store.put(write)),
        tx.done,
      ])
      return own
    })
    if (taken) queueStored(taken)
  }

  /** Takes writes into the queue that are stored as those of this tab. */
  function queueStored(taken: readonly PendingWrite[]): void {
    queue.push(...taken)
    waiting.value = queue.length
    copy.addPending(taken)
    if (taken.length > 0) send()
  }

  /** The next batch: the first writes of one type, or again those of a batch whose answer never came. */
  function nextBatch(): PendingWrite[] {
    const free = queue.filter(({ seq }) => !held.has(seq))
    const [first] = free
    if (!first) return []
    const end = free.findIndex((write) => write.type !== first.type || write.batch !== first.batch)
    const batch = free.slice(0, end < 0 ? MAX_BATCH : Math.min(end, MAX_BATCH))
    let bytes = 0
    const fitting = batch.findIndex(({ op }, place) => {
      bytes += new TextEncoder().encode(JSON.stringify(op)).length
      return place > 0 && bytes > MAX_BATCH_BYTES
    })
    return fitting < 0 ? batch : batch.slice(0, fitting)
  }

  async function sendBatch(writes: readonly PendingWrite[]): Promise<void> {
    const [first] = writes
    if (!first) return
    const request = { method: 'POST', headers: { 'Idempotency-Key': first.batch ?? '' } } as const
    if (first.type === 'review') {
      const { items } = await api.call<BatchAnswersOutcome>({
        ...request,
        path: 'api/flashcards/reviews/batch',
        query: { preview: true },
        body: { items: writes.map(({ op }) => op) },
      })
      await settle(
        writes,
        items.map(({ status, error }) => ({ status, body: error })),
      )
      return onAnswered(items)
    }
    const { items } = await api.call<{ readonly items: readonly BatchItem[] }>({
      ...request,
      path: first.type === 'note' ? 'api/notes/batch' : 'api/tasks/batch',
      body: { atomic: false, ops: writes.map(({ op }) => op) },
    })
    await settle(writes, items)
  }

  async function settle(writes: readonly PendingWrite[], items: readonly BatchItem[]): Promise<void> {
    const answered = writes.map((write, index) => ({ write, item: items[index] }))
    const done = answered.flatMap(({ write, item }) =>
      item && item.status < 300 && isOfResource(write)
        ? [{ write, resource: item.body as NoteSummary | Task | null }]
        : [],
    )
    for (const { write, resource } of done)
      if (resource) successors.set(`${write.type} ${write.op.id} ${resource.revision - 1}`, resource.revision)
    await copy.confirm(await Promise.all(done.map(({ write, resource }) => confirmedBy(write, resource))))
    for (const { write, item } of answered) {
      if (item && item.status < 300) continue
      const { code, detail } = (item?.body ?? {}) as { code?: string; detail?: string }
      await onRefused({ write, code: code ?? 'unknown', message: detail ?? 'The server did not take the change.' })
    }
    copy.removePending(writes)
    await forget(writes)
    await followSuccessors()
  }

  /** What the server answered to a write of a note or a task. */
  async function confirmedBy(write: ResourceWrite, resource: NoteSummary | Task | null): Promise<Confirmed> {
    const { type, op } = write
    const body = type === 'note' && resource ? await bodyAfter(write, resource.revision) : null
    return { type, id: op.id, resource, ...(body && { body }) }
  }

  /** The body of a note at the revision that a write made; null if only the server knows it. */
  async function bodyAfter(write: ResourceWrite, revision: number): Promise<Body | null> {
    const { id } = write.op
    const written = writtenBody(write)
    if (written !== undefined) return { id, revision, body: written }
    const before = await copy.confirmedBody(id)
    const isKept = before?.revision === revision - 1 && keepsBody(write, before.body)
    return isKept ? { ...before, revision } : null
  }

  /** The revision that this outbox has made of a revision of a resource by its writes alone. */
  function latestOwn(type: Write['type'], id: string, revision: number): number {
    let latest = revision
    for (let next: number | undefined = latest; next !== undefined; next = successors.get(`${type} ${id} ${latest}`))
      latest = next
    return latest
  }

  /** Lets the writes that were made on top of others name the revision that those have become. */
  async function followSuccessors(): Promise<void> {
    const changed: PendingWrite[] = []
    for (const [place, write] of queue.entries()) {
      if (write.batch !== undefined || !('if_revision' in write.op) || write.op.if_revision === undefined) continue
      const if_revision = latestOwn(write.type, write.op.id, write.op.if_revision)
      if (if_revision === write.op.if_revision) continue
      const next = { ...write, op: { ...write.op, if_revision } } as PendingWrite
      queue[place] = next
      changed.push(next)
    }
    await remember(changed)
  }

  async function sendAll(): Promise<void> {
    for (let taken = nextBatch(); taken.length > 0 && !closed; taken = nextBatch()) {
      state.value = { is: 'sending' }
      const key = taken[0]?.batch ?? newId()
      const sent = taken.map((write) => ({ ...write, batch: key }))
      for (const write of sent) queue[queue.findIndex(({ seq }) => seq === write.seq)] = write
      await remember(sent)
      try {
        await sendBatch(sent)
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (await refuseAll(sent, error)) continue
        return
      }
    }
    state.value = { is: 'idle' }
  }

  /** Handles a failed batch: true if it was refused for good, false if it is to be sent again later. */
  async function refuseAll(writes: readonly PendingWrite[], error: unknown): Promise<boolean> {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error
    // An answer of another make is that of a proxy, which may find the server again.
    const mayPass =
      error instanceof Unreachable ||
      error.code === 'unknown' ||
      [408, 429].includes(error.status) ||
      error.status >= 500
    if (mayPass) {
      const limit = error instanceof Refused && error.status === 429
      const wait = error instanceof Refused && error.retryAfter !== null ? error.retryAfter * 1000 : retryMs
      retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)
      state.value = { is: 'waiting', until: now() + wait, why: limit ? 'limit' : 'offline' }
      clearTimeout(timer)
      timer = setTimeout(send, wait)
      return false
    }
    for (const write of writes) await onRefused({ write, code: error.code, message: error.message })
    copy.removePending(writes)
    await forget(writes)
    return true
  }

  function send(): Promise<void> {
    clearTimeout(timer)
    sending ??= sendAll().finally(() => {
      sending = null
      // One that came when the last batch had just been settled.
      if (nextBatch().length > 0 && state.peek().is === 'idle' && !closed) send()
    })
    return sending
  }

  /** Sends what waits, now. Resolves when all is sent or has to wait. */
  function flush(): Promise<void> {
    held.clear()
    return send()
  }

  return {
    state,
    waiting,
    flush,
    latestOwn,

    /**
     * Takes up the writes of this tab from before it opened another workspace, and those that other tabs could not send:
     * of a tab that is open, when it is closed.
     */
    async load(): Promise<void> {
      await tabs.isNamed
      const own = (await kept.use((db) => db.getAll('writes', rangeOf(tabs.tab)))) ?? []
      lastSeq = own.at(-1)?.seq ?? 0
      queueStored(own)
      const left = (await kept.use((db) => db.getAllKeys('writes'))) ?? []
      for (const other of new Set(left.map(([name]) => name)))
        if (other !== tabs.tab) tabs.whenClosed(other).then(() => takeUp(other))
    },

    /**
     * Shows writes at once and stores them, and sends them after `delayMs`, so that several become one request. An `update`
     * that follows an unsent `update` of the same resource becomes one with it. Resolves when they are stored.
     * @param delayMs null: they are sent with others, or by `flush`
     */
    async add(writes: readonly Write[], delayMs: number | null = 0): Promise<void> {
      const added = writes.map((write): PendingWrite => {
        const previous = queue.findLast(({ type, op }) => type === write.type && op.id === write.op.id)
        const merged = previous && !previous.batch ? mergeUpdates(previous, write) : null
        if (previous && merged) {
          queue[queue.indexOf(previous)] = merged
          return merged
        }
        lastSeq += 1
        const pending = { ...write, tab: tabs.tab, seq: lastSeq, at: now() }
        if (delayMs === null) held.add(lastSeq)
        queue.push(pending)
        return pending
      })
      waiting.value = queue.length
      copy.addPending(added)
      await remember(added)
      if (state.peek().is === 'waiting' || sending || delayMs === null) return
      clearTimeout(timer)
      timer = setTimeout(send, delayMs)
    },

    /** The answers to cards that were not sent yet, of this and other tabs. */
    async listAnswers(): Promise<CardAnswer[]> {
      const writes = (await kept.use((db) => db.getAll('writes'))) ?? queue
      return writes.flatMap(({ type, op }) => (type === 'review' ? [op] : []))
    },

    /** Takes back an answer to a card that was never sent; false: it was, or there is none of this id. */
    async withdraw(reviewId: string): Promise<boolean> {
      const write = queue.find(({ type, op, batch }) => type === 'review' && op.id === reviewId && !batch)
      if (write) await forget([write])
      return write !== undefined
    },

    /** Stops sending; what waits is stored. */
    close(): void {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** The places of the writes of a tab, in their order. */
const rangeOf = (tab: string) => IDBKeyRange.bound([tab], [tab, Number.POSITIVE_INFINITY])

async function storeWrites(
  db: Database,
  { put = [], remove = [] }: { readonly put?: readonly PendingWrite[]; readonly remove?: readonly PendingWrite[] },
): Promise<void> {
  const tx = db.transaction('writes', 'readwrite')
  await Promise.all([
    ...put.map((write) => tx.store.put(write)),
    ...remove.map(({ tab, seq }) => tx.store.delete([tab, seq])),
    tx.done,
  ])
}

/**
 * One write in place of an `update`, or the `create` of a note, and an `update` of the same resource; null if they are
 * others. The first revision that was seen stays.
 */
function mergeUpdates(first: PendingWrite, second: Write): PendingWrite | null {
  if (first.type === 'review' || second.type === 'review') return null
  const isNew = first.type === 'note' && first.op.op === 'create'
  if ((first.op.op !== 'update' && !isNew) || second.op.op !== 'update') return null
  if (
    !('data' in first.op) ||
    first.type !== second.type ||
    'tags_add' in first.op.data ||
    'tags_add' in second.op.data
  )
    return null
  const data = { ...first.op.data, ...second.op.data }
  if (isNew) return { ...first, op: { ...first.op, data } } as PendingWrite
  const if_revision = ('if_revision' in first.op ? first.op.if_revision : undefined) ?? second.op.if_revision
  return { ...first, op: { ...first.op, data, ...(if_revision !== undefined && { if_revision }) } } as PendingWrite
}

/** Whether a write leaves the body of a note as it is: a new title or folder changes links of the note to itself. */
function keepsBody({ op }: ResourceWrite, body: string): boolean {
  if (op.op !== 'update') return op.op === 'restore'
  return !('title' in op.data || 'folder' in op.data) || (!body.includes('](') && !body.includes('[['))
}
