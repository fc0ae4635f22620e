/** The copy of a workspace that the screens show: what the server said last, with the writes it has not confirmed. */
import { batch, type ReadonlySignal, signal } from '@preact/signals'
import type { NoteSummary, Task } from '../api/types'
import { allStored, type Database, type Store } from './database'
import { keepResources, readKept } from './kept-resources'
import { createOtherTexts } from './other-texts'
import { type Body, COPIED_TYPES, type Copied, type CopiedType, type CopiedTypes } from './resources'
import { createVersions, type Version } from './versions'
import {
  applyToNote,
  applyToTask,
  type DayWrite,
  isOfDay,
  isOfResource,
  loadDeriving,
  type PendingWrite,
  type ResourceWrite,
  writtenBody,
} from './writes'

type Tables = Readonly<Record<CopiedType, Map<string, Copied>>>
type Shown = { readonly [Type in CopiedType]: ReadonlySignal<ReadonlyMap<string, CopiedTypes[Type]>> }

/** A resource as the server answered it; null: it is in the trash or erased. */
export interface Confirmed {
  readonly type: CopiedType
  readonly id: string
  readonly resource: Copied | null
  readonly body?: Body
  /** Undefined: it has just been answered to a request for the resource. */
  readonly version?: Version
}

/** Where in the server's change feed the copy is, and whether it has had all that the server has, once. */
interface FeedPlace {
  readonly cursor: string
  readonly isWhole: boolean
}

/** A body that the server has not confirmed, and the revision that it was made of; undefined: none is known. */
interface PendingBody {
  readonly body: string
  readonly revision: number | undefined
}

export type Copy = ReturnType<typeof createCopy>

const byType = <Value>(make: () => Value) =>
  Object.fromEntries(COPIED_TYPES.map((type) => [type, make()])) as Record<CopiedType, Value>

/**
 * Makes an empty copy. What `kept` does not keep lives in memory only.
 * @param announce tells other tabs what the server answered to this one
 * @param now milliseconds since 1970
 */
export function createCopy(kept: Store, announce: (resources: readonly Confirmed[]) => void, now: () => number) {
  const confirmed: Tables = byType(() => new Map())
  const versions = createVersions()
  const shown = byType(() => signal<ReadonlyMap<string, Copied>>(new Map()))
  /** Bodies in memory where nothing is stored. */
  const bodies = new Map<string, Body>()
  /** The unconfirmed writes of each resource, by type and id, in their order. */
  const pending = new Map<string, ResourceWrite[]>()
  const lines = signal<readonly DayWrite[]>([])
  const others = createOtherTexts()

  /** The unconfirmed writes of a resource that are shown, of all tabs. */
  const writesOf = (type: CopiedType, id: string) => others.shownWith(pending.get(`${type} ${id}`) ?? [], type, id)

  /** Computes what is shown of resources again. A signal gets a new map, once for all of them. */
  function show(changed: Iterable<{ readonly type: CopiedType; readonly id: string }>): void {
    const maps = new Map<CopiedType, Map<string, Copied>>()
    for (const { type, id } of changed) {
      const map = maps.get(type) ?? new Map(shown[type].peek())
      maps.set(type, map)
      const resource = withPending(confirmed[type].get(id) ?? null, writesOf(type, id))
      if (resource) map.set(id, resource)
      else map.delete(id)
    }
    batch(() => {
      for (const [type, map] of maps) shown[type].value = map
    })
  }

  async function confirmedBody(id: string): Promise<Body | null> {
    return bodies.get(id) ?? (await kept.use((db) => db.get('bodies', id))) ?? null
  }

  function pendingBody(id: string): PendingBody | undefined {
    const write = writesOf('note', id).findLast((each) => writtenBody(each) !== undefined)
    if (!write) return undefined
    return { body: writtenBody(write) ?? '', revision: 'if_revision' in write.op ? write.op.if_revision : undefined }
  }

  /** The revision of a resource, or of its deletion, that the server confirmed last; 0: none. */
  function revisionOf(type: CopiedType, id: string): number {
    return versions.of(type, id)?.revision ?? confirmed[type].get(id)?.revision ?? 0
  }

  function versionOf({ type, id, resource, version }: Confirmed): Version {
    if (version) return version
    const known = revisionOf(type, id)
    // What was gone already was not deleted again, so its restore is newer than this.
    const isGone = known > 0 && !confirmed[type].has(id)
    const revision = resource?.revision ?? (isGone ? known : known + 1)
    return { revision, seq: undefined, askedAt: undefined, at: now() }
  }

  /** Takes over all that is not older than what is known, and returns that. */
  function takeOver(resources: readonly Confirmed[]): Confirmed[] {
    const taken: Confirmed[] = []
    for (const each of resources) {
      const { type, id, resource } = each
      const version = versionOf(each)
      if (!versions.take(type, id, version)) continue
      taken.push({ ...each, version })
      if (resource) confirmed[type].set(id, resource)
      else confirmed[type].delete(id)
      if (each.body) others.noteConfirmed(each.body)
    }
    keepInMemory(taken)
    show(taken)
    return taken
  }

  /** Keeps bodies that the browser does not keep. */
  function keepInMemory(resources: readonly Confirmed[]): void {
    if (kept.fault.peek() === null) return
    for (const { id, resource, body } of resources) {
      if (!resource) bodies.delete(id)
      else if (body) bodies.set(id, body)
    }
  }

  return {
    /** What is shown of each type, by id. */
    shown: shown as unknown as Shown,

    /** What was added to the notes of days and is not confirmed, in its order. */
    lines: lines as ReadonlySignal<readonly DayWrite[]>,

    revisionOf,

    /** Fills the copy from what the browser has stored. */
    async load(): Promise<void> {
      const stored = (await kept.use(readKept)) ?? []
      // What another tab was answered meanwhile is newer.
      const known = stored.filter(({ type, id }) => !versions.of(type, id))
      for (const { type, id, resource } of known) confirmed[type].set(id, resource)
      show(known)
    },

    /** Takes over what the server answered, here and in the other tabs of the workspace. */
    async confirm(resources: readonly Confirmed[], place?: FeedPlace): Promise<void> {
      const taken = takeOver(resources)
      // After something was not stored, the copy is read from where nothing was missing.
      await kept.use((db) => store(db, taken, kept.fault.peek() === null ? place : undefined))
      keepInMemory(taken)
      announce(taken)
    },

    /** Takes over what another tab has stored. What is older than what is known here is stored as it is known. */
    async receive(resources: readonly Confirmed[]): Promise<void> {
      const taken = new Set(takeOver(resources).map(({ type, id }) => `${type} ${id}`))
      const older = resources.filter(({ type, id }) => !taken.has(`${type} ${id}`))
      if (older.length === 0) return
      const known = older.map(({ type, id }) => ({ type, id, resource: confirmed[type].get(id) ?? null }))
      await kept.use((db) => store(db, known, undefined))
    },

    /** Shows writes before the server has confirmed them; `isOlder`: below those that were made after them. */
    addPending(writes: readonly PendingWrite[], isOlder = false): void {
      const changes = writes.filter(isOfResource)
      for (const write of changes) {
        addTo(pending, write, isOlder)
        others.noteSource(write)
      }
      showWritten(changes, show)
      const added = writes.filter(isOfDay)
      if (added.length > 0) lines.value = [...lines.peek(), ...added]
    },

    /** Shows what another tab has typed into notes and not sent, in place of what it had then. */
    showOther(tab: string, writes: readonly PendingWrite[]): void {
      showWritten(others.set(tab, writes), show)
    },

    isContained: others.isContained,
    isMadeOf: others.isMadeOf,

    /** Forgets writes: they are confirmed, or refused. */
    removePending(writes: readonly PendingWrite[]): void {
      const changes = writes.filter(isOfResource)
      const gone = new Set(changes.map(({ seq }) => seq))
      for (const { type, op } of changes) {
        const key = `${type} ${op.id}`
        const left = (pending.get(key) ?? []).filter(({ seq }) => !gone.has(seq))
        if (left.length > 0) pending.set(key, left)
        else pending.delete(key)
      }
      show(changes.map(({ type, op }) => ({ type, id: op.id })))
      const sent = new Set(writes.filter(isOfDay).map(({ seq }) => seq))
      if (sent.size > 0) lines.value = lines.peek().filter(({ seq }) => !sent.has(seq))
    },

    /** The body of a note with the writes that are not confirmed; null: there is no copy of it. */
    async body(id: string): Promise<Body | null> {
      const stored = await confirmedBody(id)
      const latest = pendingBody(id)
      if (latest === undefined) return stored
      return { id, revision: latest.revision ?? stored?.revision ?? 0, body: latest.body }
    },

    /** The body of a note that the server confirmed last; null: there is no copy of it. */
    confirmedBody,

    /** The body that a note has by the last write of it that is not confirmed; undefined: none changes it. */
    pendingBody,

    /** Forgets all that the server said, to read it again; the writes stay. */
    async clear(): Promise<void> {
      const all = COPIED_TYPES.flatMap((type) => [...confirmed[type].keys()].map((id) => ({ type, id })))
      for (const { type, id } of all) confirmed[type].delete(id)
      show(all)
      versions.forgetAll()
      bodies.clear()
      await kept.use(clearStored)
    },
  }
}

async function store(db: Database, resources: readonly Confirmed[], place: FeedPlace | undefined): Promise<void> {
  const tx = db.transaction(['resources', 'bodies', 'state'], 'readwrite')
  const steps = keepResources(tx.objectStore('resources'), resources)
  for (const { type, id, resource, body } of resources) {
    if (!resource && type === 'note') steps.push(tx.objectStore('bodies').delete(id))
    else if (body) steps.push(tx.objectStore('bodies').put(body))
  }
  if (place) steps.push(tx.objectStore('state').put(place.cursor, 'cursor'))
  if (place?.isWhole) steps.push(tx.objectStore('state').put('yes', 'whole'))
  await allStored(tx.done, steps)
}

/** Deletes what the server said. */
export async function clearStored(db: Database): Promise<void> {
  const tx = db.transaction(['resources', 'bodies', 'state', 'queues', 'cards', 'files'], 'readwrite')
  await Promise.all([
    tx.objectStore('resources').clear(),
    tx.objectStore('bodies').clear(),
    tx.objectStore('state').clear(),
    tx.objectStore('queues').clear(),
    tx.objectStore('cards').clear(),
    tx.objectStore('files').clear(),
    tx.done,
  ])
}

/** Shows what writes change, and again once their texts can be read. */
function showWritten(
  writes: readonly ResourceWrite[],
  show: (changed: readonly { readonly type: CopiedType; readonly id: string }[]) => void,
): void {
  const changed = writes.map(({ type, op }) => ({ type, id: op.id }))
  show(changed)
  const hasText = writes.some((write) => writtenBody(write) !== undefined)
  if (hasText) void loadDeriving().then((isNew) => isNew && show(changed))
}

function addTo(pending: Map<string, ResourceWrite[]>, write: ResourceWrite, isOlder: boolean): void {
  const key = `${write.type} ${write.op.id}`
  const before = (pending.get(key) ?? []).filter(({ seq }) => seq !== write.seq)
  const all = [...before, write]
  pending.set(key, isOlder ? all.sort((a, b) => a.at - b.at) : all)
}

function withPending(resource: Copied | null, writes: readonly ResourceWrite[]): Copied | null {
  return writes.reduce<Copied | null>(
    (current, write) =>
      write.type === 'note'
        ? applyToNote(current as NoteSummary | null, write, write.at)
        : applyToTask(current as Task | null, write, write.at),
    resource,
  )
}
