/** The writes that the server has not confirmed, in their order, as they are stored and sent. */
import { signal } from '@preact/signals'
import type { Copy } from './copy'
import type { Store } from './database'
import { joinChanges } from './name-lists'
import { createOwnRevisions } from './own-revisions'
import { createRefusedWrites, isUnsent } from './refused-writes'
import * as tabs from './tabs'
import { createWriteStorage, type WriteStorage } from './write-storage'
import { asSent, isOfDay, isOfResource, type PendingWrite, TEXTS, textsOf, type Write } from './writes'

/** Ops of one batch: fewer than the 100 that the server takes, so that an answer stays small. */
const MAX_BATCH = 50
/** Bytes of the ops of one batch, unless one alone has more: half of what the server takes. */
const MAX_BATCH_BYTES = 1024 * 1024
interface Deps {
  readonly kept: Store
  readonly copy: Copy
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called when there are writes of an earlier page, or of another tab, to be sent. */
  readonly onTakenUp: () => void
}

/** Makes the queue of this tab, which is empty before `load`. */
export function createWriteQueue({ kept, copy, now, onTakenUp }: Deps) {
  const queue: PendingWrite[] = []
  const stored = createWriteStorage(kept)
  const refused = createRefusedWrites(stored)
  const ownRevisions = createOwnRevisions()
  /** The writes (by `seq`) that are not sent until somebody asks for it. */
  const held = new Set<number>()
  const waiting = signal(0)
  const end = new AbortController()
  let lastSeq = 0

  /** Forgets writes, and no longer shows them: they are taken back, or `settle` has told of them and queued what comes in their place. */
  async function remove(writes: readonly PendingWrite[], settle?: () => Promise<void>): Promise<void> {
    await stored.replace(writes, async () => {
      await settle?.()
      copy.removePending(writes)
      queue.splice(0, queue.length, ...queue.filter((write) => !writes.includes(write)))
      waiting.value = queue.length
    })
  }

  async function takeUp(other: string): Promise<void> {
    if (end.signal.aborted) return
    const left = await stored.move(other, (write) => {
      lastSeq += 1
      return { ...write, tab: tabs.tab, seq: lastSeq }
    })
    copy.showOther(other, [])
    const taken = refused.sort(left ?? [])
    if (taken.length === 0) return
    tabs.announceWrites()
    const { under, contained: done } = await partTaken(taken, queue, copy)
    await stored.replace(done, async () => {
      for (const write of under) if (await join(write)) done.push(write)
    })
    const rest = taken.filter((write) => !done.includes(write))
    copy.addPending(rest, true)
    queueStored(rest)
  }

  /** Takes writes into the queue that are stored as those of this tab. */
  function queueStored(taken: readonly PendingWrite[]): void {
    queue.push(...taken)
    waiting.value = queue.length
    if (taken.length > 0) onTakenUp()
  }

  /** Queues a write behind the others, or as one with an `update` of the same resource that was not sent. */
  function queueWrite(write: Write, isHeld: boolean): PendingWrite {
    const previous = queue.findLast(({ type, op }) => type === write.type && op.id === write.op.id)
    const merged = previous && !previous.batch ? mergeUpdates(previous, write) : null
    if (previous && merged) {
      queue[queue.indexOf(previous)] = merged
      return merged
    }
    lastSeq += 1
    const pending = { ...write, tab: tabs.tab, seq: lastSeq, at: now() }
    if (isHeld) held.add(lastSeq)
    queue.push(pending)
    return pending
  }

  /**
   * Makes one of a write that was refused and the next one that was typed on top of it, to be sent in its place. False:
   * there is none.
   */
  async function join({ batch: _, ...refused }: PendingWrite): Promise<boolean> {
    const next = queue.find((write) => !write.batch && isUpdateOfSame(write, refused as PendingWrite))
    const both = next && mergeUpdates(refused as PendingWrite, next)
    if (!next || !both) return false
    const joined = { ...both, seq: next.seq }
    queue[queue.indexOf(next)] = joined
    copy.addPending([joined])
    await stored.put([joined])
    return true
  }

  /**
   * Takes back the last completion or skip of a task, by the name of its date, if it was never sent; false: it was, or
   * the last one is of another date.
   */
  async function withdrawStep(taskId: string, occurrence: string | null): Promise<boolean> {
    const write = lastStep(queue, taskId)
    if (!write || write.batch || write.occurrence !== (occurrence ?? undefined)) return false
    await remove([write.pending])
    return true
  }

  return {
    waiting,
    refused,
    latestOwn: ownRevisions.latest,
    noteRevision: ownRevisions.note,

    /** Takes up the writes of this tab from before it opened another workspace, and those of tabs that are closed. */
    async load(): Promise<void> {
      await tabs.isNamed
      const all = (await stored.listOf(tabs.tab)) ?? []
      lastSeq = all.at(-1)?.seq ?? 0
      const own = refused.sort(all)
      copy.addPending(own)
      queueStored(own)
      const left = (await kept.use((db) => db.getAllKeys('writes'))) ?? []
      const others = new Set(left.map(([other]) => other).filter((other) => other !== tabs.tab))
      tabs.watchTabs(others, takeUp, end.signal)
      await showOthers(stored, copy, others, end.signal)
    },

    /** Shows and stores writes. Those that are held are sent after `release`. Resolves when they are stored. */
    async add(writes: readonly Write[], { isHeld }: { isHeld: boolean }): Promise<void> {
      const added = writes.map((write) => queueWrite(write, isHeld))
      waiting.value = queue.length
      copy.addPending(added)
      tabs.announceWrites()
      await stored.put(added)
    },

    /** Lets the next batches have the writes that were held. */
    release: () => held.clear(),

    /** The next batch: the first writes of one type, or again those of a batch whose answer never came. */
    nextBatch: () => firstBatch(queue.filter(({ seq }) => !held.has(seq))),

    /** Gives writes the key that they are sent under, also again, at a time of the server. Resolves when it is stored. */
    async nameBatch(writes: readonly PendingWrite[], batch: string, serverNow: number): Promise<PendingWrite[]> {
      const named = writes.map((write) => ({ ...(write.batch ? write : asSent(write, now(), serverNow)), batch }))
      for (const write of named) queue[queue.findIndex(({ seq }) => seq === write.seq)] = write
      await stored.put(named)
      return named
    },

    remove,
    join,
    withdrawStep,

    /** Lets the writes that were made on top of others name the revision that those have become. */
    async followRevisions(): Promise<void> {
      const changed: PendingWrite[] = []
      for (const [place, write] of queue.entries()) {
        if (write.batch !== undefined || !('if_revision' in write.op) || write.op.if_revision === undefined) continue
        const body = write.type === 'note' ? write.base?.body : undefined
        const if_revision = ownRevisions.latest(write.type, write.op.id, write.op.if_revision, body)
        if (if_revision === write.op.if_revision) continue
        const next = { ...write, op: { ...write.op, if_revision } } as PendingWrite
        queue[place] = next
        changed.push(next)
      }
      await stored.put(changed)
    },

    /** What was not sent yet of a type, of this and other tabs. */
    async listUnsent<Type extends Write['type']>(type: Type) {
      const writes = (await kept.use((db) => db.getAll('writes'))) ?? queue
      const unsent = writes.filter((write) => write.type === type && isUnsent(write))
      return unsent.map(({ op }) => op as Extract<Write, { type: Type }>['op'])
    },

    /** Takes back a card, an answer to one, or a line of a day, that was never sent; false: it was, or there is none of this id. */
    async withdraw(id: string): Promise<boolean> {
      const write = queue.find((each) => !isOfResource(each) && each.op.id === id && !each.batch)
      if (write) await remove([write])
      return write !== undefined
    },

    /** Takes up no more writes. */
    close(): void {
      end.abort()
    },
  }
}

/** Shows what other tabs have typed and not sent, of those that are known and those that announce writes from now on. */
async function showOthers(
  stored: WriteStorage,
  copy: Copy,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  async function show(other: string): Promise<void> {
    const writes = await stored.listOf(other)
    const unsent = writes?.filter(isUnsent)
    if (unsent && !signal.aborted) copy.showOther(other, unsent)
  }
  tabs.watchWrites(show, signal)
  await Promise.all([...known].map(show))
}

/**
 * Parts what a closed tab has left. `under`: what is typed here, and not confirmed, was made on top of it; `contained`: what
 * the server has of a note by now was.
 */
async function partTaken(taken: readonly PendingWrite[], queue: readonly PendingWrite[], copy: Copy) {
  const under = taken.filter((write) => queue.some((own) => isMadeOf(own, write)))
  const rest = taken.filter((write) => !under.includes(write))
  const isContained = await Promise.all(
    rest.map(async (write) => {
      if (!isOfResource(write) || !('data' in write.op) || Object.keys(write.op.data ?? {}).length > 1) return false
      const confirmed = await copy.confirmedBody(write.op.id)
      return confirmed !== null && copy.isContained(write, confirmed.body)
    }),
  )
  return { under, contained: rest.filter((_, place) => isContained[place]) }
}

/** The last completion or skip of a task that names its date; null: there is none. */
function lastStep(queue: readonly PendingWrite[], taskId: string) {
  const pending = queue.findLast(
    ({ type, op }) => type === 'task' && op.id === taskId && (op.op === 'complete' || op.op === 'skip'),
  )
  if (pending?.type !== 'task' || !('data' in pending.op)) return null
  const { data } = pending.op
  return data && 'occurrence' in data ? { pending, batch: pending.batch, occurrence: data.occurrence } : null
}

/**
 * As many of the first writes as one request takes. What is added to notes of days comes last: it fits behind any text, but
 * a text that was typed before it was added would be refused.
 */
function firstBatch(due: readonly PendingWrite[]): PendingWrite[] {
  const writes = [...due.filter((write) => !isOfDay(write)), ...due.filter(isOfDay)]
  const [first] = writes
  if (!first) return []
  const end = writes.findIndex(
    (write) => write.type !== first.type || write.batch !== first.batch || placeOf(write) !== placeOf(first),
  )
  const batch = writes.slice(0, end < 0 ? MAX_BATCH : Math.min(end, MAX_BATCH))
  let bytes = 0
  const fitting = batch.findIndex(({ op }, place) => {
    bytes += new TextEncoder().encode(JSON.stringify(op)).length
    return place > 0 && bytes > MAX_BATCH_BYTES
  })
  return fitting < 0 ? batch : batch.slice(0, fitting)
}

/** The day whose note a write adds to, or the card that it changes: one request changes one. */
const placeOf = ({ type, op }: PendingWrite) => (type === 'day' ? op.date : type === 'card' ? op.id : null)

const isUpdateOfSame = (write: PendingWrite, { type, op }: PendingWrite) =>
  write.type === type && write.op.id === op.id && isOfResource(write) && write.op.op === 'update'

/** Whether a write gives a text that was made of one that another write gives to the same resource. */
function isMadeOf(write: PendingWrite, other: PendingWrite): boolean {
  if (!isOfResource(write) || write.type !== other.type || write.op.id !== other.op.id) return false
  const [texts, before] = [textsOf(write), textsOf(other)]
  return TEXTS.some(
    (name) => before[name] !== undefined && write.base?.[name] === before[name] && texts[name] !== undefined,
  )
}

/**
 * One write in place of an `update`, or the `create` of a note, and an `update` of the same resource; null if they are
 * others, or the second has a text that was not made of that of the first. The first revision that was seen stays.
 */
function mergeUpdates(first: PendingWrite, second: Write): PendingWrite | null {
  if (!isOfResource(first) || !isOfResource(second)) return null
  const isNew = first.type === 'note' && first.op.op === 'create'
  if ((first.op.op !== 'update' && !isNew) || second.op.op !== 'update') return null
  if (!('data' in first.op) || first.type !== second.type) return null
  const texts = textsOf(first)
  const isOfOther = (name: (typeof TEXTS)[number]) =>
    texts[name] !== undefined && second.base?.[name] !== undefined && texts[name] !== second.base[name]
  if (TEXTS.some(isOfOther)) return null
  const data = joinChanges(first.type, first.op.data, second.op.data, isNew)
  if (!data) return null
  if (isNew) return { ...first, op: { ...first.op, data } } as PendingWrite
  const if_revision = ('if_revision' in first.op ? first.op.if_revision : undefined) ?? second.op.if_revision
  const op = { ...first.op, data, ...(if_revision !== undefined && { if_revision }) }
  // A text that the first gives keeps the base of the first.
  const bases = Object.entries(second.base ?? {}).filter(([name]) => !(name in texts))
  const base = { ...first.base, ...Object.fromEntries(bases) }
  return { ...first, op, ...(Object.keys(base).length > 0 && { base }) } as PendingWrite
}
