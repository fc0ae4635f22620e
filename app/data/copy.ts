/** The copy of a workspace that the screens show: what the server said last, with the writes it has not confirmed. */
import { batch, type ReadonlySignal, signal } from '@preact/signals'
import type { NoteSummary, Task } from '../api/types'
import { allStored, type Database, type Store } from './database'
import { type Body, COPIED_TYPES, type Copied, type CopiedType, type CopiedTypes } from './resources'
import { applyToNote, applyToTask, isOfResource, type PendingWrite, type ResourceWrite, writtenBody } from './writes'

type Tables = Readonly<Record<CopiedType, Map<string, Copied>>>
type Shown = { readonly [Type in CopiedType]: ReadonlySignal<ReadonlyMap<string, CopiedTypes[Type]>> }

/** A resource as the server answered it; null: it is in the trash or erased. */
export interface Confirmed {
  readonly type: CopiedType
  readonly id: string
  readonly resource: Copied | null
  readonly body?: Body
}

export type Copy = ReturnType<typeof createCopy>

const byType = <Value>(make: () => Value) =>
  Object.fromEntries(COPIED_TYPES.map((type) => [type, make()])) as Record<CopiedType, Value>

/**
 * Makes an empty copy. What `kept` does not keep lives in memory only.
 * @param announce tells other tabs what the server answered to this one
 */
export function createCopy(kept: Store, announce: (resources: readonly Confirmed[]) => void) {
  const confirmed: Tables = byType(() => new Map())
  const shown = byType(() => signal<ReadonlyMap<string, Copied>>(new Map()))
  /** Bodies in memory where nothing is stored. */
  const bodies = new Map<string, Body>()
  /** The unconfirmed writes of each resource, by type and id, in their order. */
  const pending = new Map<string, ResourceWrite[]>()

  /** Computes what is shown of resources again. A signal gets a new map, once for all of them. */
  function show(changed: Iterable<{ readonly type: CopiedType; readonly id: string }>): void {
    const maps = new Map<CopiedType, Map<string, Copied>>()
    for (const { type, id } of changed) {
      const map = maps.get(type) ?? new Map(shown[type].peek())
      maps.set(type, map)
      const resource = withPending(confirmed[type].get(id) ?? null, pending.get(`${type} ${id}`) ?? [])
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

  function pendingBody(id: string): string | undefined {
    return (pending.get(`note ${id}`) ?? []).flatMap((write) => writtenBody(write) ?? []).at(-1)
  }

  /** Takes over what another tab has stored. */
  function takeOver(resources: readonly Confirmed[]): void {
    for (const { type, id, resource } of resources) {
      if (resource) confirmed[type].set(id, resource)
      else confirmed[type].delete(id)
    }
    keepInMemory(resources)
    show(resources)
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

    /** The revision of a resource that the server confirmed last; 0: none. */
    revisionOf: (type: CopiedType, id: string) => confirmed[type].get(id)?.revision ?? 0,

    /** Fills the copy from what the browser has stored. */
    async load(): Promise<void> {
      const stored = (await kept.use((db) => db.getAll('resources'))) ?? []
      // A later version of the app may have stored other types.
      const known = stored.filter(({ type }) => type in confirmed) as (Confirmed & { readonly resource: Copied })[]
      for (const { type, id, resource } of known) confirmed[type].set(id, resource)
      show(known)
    },

    /** Takes over what the server answered, here and in the other tabs of the workspace. */
    async confirm(resources: readonly Confirmed[], cursor?: string): Promise<void> {
      takeOver(resources)
      // After something was not stored, the copy is read from where it was whole.
      await kept.use((db) => store(db, resources, kept.fault.peek() === null ? cursor : undefined))
      keepInMemory(resources)
      announce(resources)
    },

    takeOver,

    /** Shows writes before the server has confirmed them. */
    addPending(writes: readonly PendingWrite[]): void {
      const changes = writes.filter(isOfResource)
      for (const write of changes) addTo(pending, write)
      show(changes.map(({ type, op }) => ({ type, id: op.id })))
    },

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
    },

    /** The body of a note with the writes that are not confirmed; null: there is no copy of it. */
    async body(id: string): Promise<Body | null> {
      const stored = await confirmedBody(id)
      const latest = pendingBody(id)
      if (latest === undefined) return stored
      return { id, revision: stored?.revision ?? 0, body: latest }
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
      bodies.clear()
      await kept.use(clearStored)
    },
  }
}

async function store(db: Database, resources: readonly Confirmed[], cursor: string | undefined): Promise<void> {
  const tx = db.transaction(['resources', 'bodies', 'state'], 'readwrite')
  const steps: Promise<unknown>[] = []
  for (const { type, id, resource, body } of resources) {
    const table = tx.objectStore('resources')
    steps.push(resource ? table.put({ type, id, resource }) : table.delete([type, id]))
    if (!resource && type === 'note') steps.push(tx.objectStore('bodies').delete(id))
    else if (body) steps.push(tx.objectStore('bodies').put(body))
  }
  if (cursor !== undefined) steps.push(tx.objectStore('state').put(cursor, 'cursor'))
  await allStored(tx.done, steps)
}

async function clearStored(db: Database): Promise<void> {
  const tx = db.transaction(['resources', 'bodies', 'state', 'queues', 'cards'], 'readwrite')
  await Promise.all([
    tx.objectStore('resources').clear(),
    tx.objectStore('bodies').clear(),
    tx.objectStore('state').clear(),
    tx.objectStore('queues').clear(),
    tx.objectStore('cards').clear(),
    tx.done,
  ])
}

function addTo(pending: Map<string, ResourceWrite[]>, write: ResourceWrite): void {
  const key = `${write.type} ${write.op.id}`
  const before = (pending.get(key) ?? []).filter(({ seq }) => seq !== write.seq)
  pending.set(key, [...before, write])
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
