/** A server on the clock of a set, and workspaces with what the set says. */
import { makeFolder, removeFolder } from '../../bench/server'
import { Faketime } from '../../test/support/faketime'
import { makeKey } from '../../test/support/keys'
import { startSatchel } from '../satchel'
import type { OwnSet, Resources } from './set'

/** Operations of one batch that the API accepts. */
const BATCH = 100
const PAGE = 200

export type Api = ReturnType<Awaited<ReturnType<typeof startSatchel>>['as']>
type Members = Readonly<Record<string, unknown>>

/** The notes, tasks and facts of a workspace by id, each with its members that people see. */
export interface State {
  readonly since: number
  readonly items: ReadonlyMap<string, { readonly type: string; readonly members: Members }>
}

export interface Workspace extends Api {
  /** The ids of notes and tasks by the keys of the set, and of projects by `project NAME`. */
  readonly ids: ReadonlyMap<string, string>
  readonly state: State
}

/** Starts it at ten in the morning of the day of the set. */
export async function startWorld(set: OwnSet) {
  const folder = makeFolder()
  const clock = new Faketime(folder)
  const setClock = () => clock.set(instantOf(set) - Date.now())
  setClock()
  const satchel = await startSatchel([], false, { ...clock.environment, NEW_KEYS_PER_DAY: '0' })
  let opened = 0
  return {
    /** Fills a new workspace with these. */
    async open(resources: Resources): Promise<Workspace> {
      setClock()
      const api = satchel.as(makeKey(++opened))
      const ids = await fill(api, set, resources)
      return { ...api, ids, state: await pull(api, { since: 0, items: new Map() }) }
    },
    async close() {
      await satchel.close()
      removeFolder(folder)
    },
  }
}

function instantOf({ today, time_zone: timeZone }: OwnSet): number {
  const utc = Date.parse(`${today}T10:00:00Z`)
  const local = new Date(utc).toLocaleString('sv', { timeZone }).replace(' ', 'T')
  return utc - (Date.parse(`${local}Z`) - utc)
}

async function fill({ post, send }: Api, set: OwnSet, { notes, tasks, cards }: Resources) {
  const zone = set.time_zone
  await send('PATCH', '/api/workspace/settings', { time_zone: zone })
  async function name(path: string, names: Iterable<string>): Promise<Map<string, string>> {
    const made = new Map<string, string>()
    for (const one of names) made.set(one, (await post(path, { name: one })).id)
    return made
  }
  const projects = await name('/api/tasks/projects', set.projects)
  const decks = await name('/api/flashcards/decks', new Set(cards.map(({ deck }) => deck)))
  const ids = new Map([...notes, ...tasks].map(({ key }): [string, string] => [key, Bun.randomUUIDv7()]))
  for (const [one, id] of projects) ids.set(`project ${one}`, id)
  async function create(path: string, all: readonly { readonly key: string; readonly data: object }[]) {
    const ops = all.map(({ key, data }) => ({ op: 'create', id: ids.get(key), data }))
    for (let at = 0; at < ops.length; at += BATCH) await post(path, { atomic: true, ops: ops.slice(at, at + BATCH) })
  }
  await create(
    '/api/notes/batch',
    notes.map(({ key, title, tags, body }) => ({ key, data: { title, tags, body } })),
  )
  const toTask = (task: Resources['tasks'][number]) => {
    const [date, time = null] = task.due?.split('T') ?? []
    return {
      title: task.title,
      notes: task.description ?? '',
      due: date === undefined ? null : { date, time, time_zone: time && zone },
      recurrence: task.repeat ? { rrule: task.repeat } : null,
      project_id: task.project ? projects.get(task.project) : null,
      labels: task.labels ?? [],
      priority: task.priority ?? 0,
    }
  }
  await create(
    '/api/tasks/batch',
    tasks.map((task) => ({ key: task.key, data: toTask(task) })),
  )
  for (const { key, done } of tasks)
    if (done) await post(`/api/tasks/${ids.get(key)}/complete`, { completed_at: `${done}T10:00:00Z` })
  const facts = cards.map(({ deck, prompt, answer }) => ({
    type: 'basic',
    deck_id: decks.get(deck),
    front: prompt,
    back: answer,
  }))
  for (let at = 0; at < facts.length; at += BATCH)
    await post('/api/flashcards/facts/batch', { atomic: true, items: facts.slice(at, at + BATCH) })
  return ids
}

const SEEN: Readonly<Record<string, readonly string[]>> = {
  note: ['title', 'body', 'tags', 'folder'],
  task: ['title', 'notes', 'status', 'priority', 'due', 'start', 'recurrence', 'labels', 'project_id', 'parent_id'],
  fact: ['front', 'back', 'text', 'deck_id'],
}

interface ChangePage {
  readonly items: readonly { type: string; id: string; op: 'upsert' | 'delete'; resource: Members | null }[]
  readonly next_cursor: string | null
  readonly latest_seq: number
}

/** Reads what changed since, and returns the new state. */
export async function pull({ send }: Api, { since, items }: State): Promise<State> {
  const next = new Map(items)
  for (let from: string | number = since; ; ) {
    const query = `since=${from}&limit=${PAGE}&types=${Object.keys(SEEN).join(',')}&include=resource`
    const page: ChangePage = await send('GET', `/api/changes?${query}`)
    for (const { type, id, op, resource } of page.items) {
      if (op === 'delete' || !resource || resource.deleted_at) next.delete(id)
      else next.set(id, { type, members: Object.fromEntries((SEEN[type] ?? []).map((one) => [one, resource[one]])) })
    }
    if (page.next_cursor === null || page.items.length === 0) return { since: page.latest_seq, items: next }
    from = page.next_cursor
  }
}
