import { importOf, linkedNote } from '../../bench/import'
import { readDirectory, readEntryBytes, toZipSource } from '../../src/lib/zip/read'
import { makeKey } from '../support/keys'

/** What rows that disturb imports, and other work in steps, ask of a server. */

/** Longer than any run here takes, in milliseconds: a run that has not ended by then never will. */
const RUN_MS = 60_000
const LOOK_MS = 5

export interface Run {
  readonly id: string
  readonly state: string
  readonly done: number
  readonly total: number | null
}

/** Something that is done as a run. */
export interface Work {
  readonly name: string
  /** Fills the workspace of a key with what the work needs. */
  readonly prepare?: (url: string, key: string) => Promise<void>
  /** Begins it; the answer comes once the server will finish it by itself. Null: there is nothing to do. */
  begin(url: string, key: string): Promise<Run | null>
}

/** @throws Error unless it is answered with 2xx */
export async function ask(url: string, key: string, path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url + path, { ...init, headers: { 'X-API-Key': key, ...init.headers } })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer
}

/** Sends it so that it is answered at once; see Work.begin. */
async function begin(url: string, key: string, path: string, init: RequestInit): Promise<Run | null> {
  const answer = await ask(url, key, path, { ...init, headers: { ...init.headers, Prefer: 'respond-async' } })
  const body = (await answer.json()) as Run
  return answer.status === 202 ? body : null
}

/** All runs of a workspace that the server knows, the newest first. */
export async function runsOf(url: string, key: string): Promise<readonly Run[]> {
  return ((await (await ask(url, key, '/api/imports')).json()) as { items: Run[] }).items
}

export const hasEnded = ({ state }: Pick<Run, 'state'>) => ['done', 'failed', 'cancelled'].includes(state)

/** Looks at a run until `isThere`, or its end. @throws Error if neither comes */
export async function runUntil(url: string, key: string, id: string, isThere: (run: Run) => boolean): Promise<Run> {
  const end = performance.now() + RUN_MS
  while (performance.now() < end) {
    const run = (await (await ask(url, key, `/api/imports/${id}?limit=1`)).json()) as Run
    if (hasEnded(run) || isThere(run)) return run
    await Bun.sleep(LOOK_MS)
  }
  throw new Error('a run never ended')
}

/** Waits for the end of a run, whatever it is; with the first items of its report. */
export async function ended(url: string, key: string, { id }: Pick<Run, 'id'>): Promise<Run> {
  await runUntil(url, key, id, () => false)
  return (await (await ask(url, key, `/api/imports/${id}?limit=200`)).json()) as Run
}

/** Does a work wholly. @throws Error unless it comes to its end */
export async function finish(url: string, key: string, work: Work): Promise<Run> {
  const begun = await work.begin(url, key)
  const run = begun && (await ended(url, key, begun))
  if (run?.state !== 'done') throw new Error(`${work.name} ended as ${run?.state ?? 'nothing'}`)
  return run
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
/** Of what is stored, with its ids. */
const DIGEST = /(?<=_hash":")[^"]+/g

const withoutNew = (text: string) => text.replaceAll(ID, 'id').replaceAll(MOMENT, 'moment').replaceAll(DIGEST, 'digest')

/** What a run tells of its end, but for ids and moments, which are new in each. */
export const reportOf = (run: Run) => withoutNew(JSON.stringify({ ...run, next_cursor: null }))

/** All that a workspace holds, as text, but for ids and moments. */
export async function contentOf(url: string, key: string): Promise<string> {
  const bytes = toZipSource(await (await ask(url, key, '/api/export?readable=false')).bytes())
  const entries = readDirectory(bytes, { entries: 1000, bytes: 2 ** 30, ratio: () => 10_000 })
  const lists = entries.filter(({ name }) => name.startsWith('data/'))
  const texts = lists.map((entry) => {
    const lines = withoutNew(Buffer.from(readEntryBytes(bytes, entry)).toString()).split('\n')
    return [entry.name, ...lines.sort()].join('\n')
  })
  return texts.sort().join('\n')
}

/** A work of each kind that there is, of about so many resources. */
export async function worksOf(url: string, count: number): Promise<readonly Work[]> {
  const file = (name: string, path: string, type: string, body: Blob | string): Work => ({
    name,
    begin: (url, key) => begin(url, key, path, { method: 'POST', headers: { 'Content-Type': type }, body }),
  })
  const archive = (body: Blob) => file('archive', '/api/import', 'application/zip', body)
  const notes = file('notes', '/api/notes/import', 'application/zip', await importOf(count, linkedNote(count)))
  const tasks = file('calendar', '/api/tasks/import', 'text/calendar', calendarOf(count))
  const cards = file('csv', '/api/flashcards/import?format=csv', 'text/csv', csvOf(count))
  const [full, trashed] = [makeKey(9), makeKey(8)]
  const make = async (key: string, ...works: Work[]) => {
    for (const work of works) await finish(url, key, work)
  }
  const fill = async () => {
    await make(trashed, notes)
    await trashNotes(url, trashed)
  }
  await Promise.all([make(full, notes, tasks, cards), fill()])
  const exported = async (key: string, path: string) => (await ask(url, key, path)).blob()
  const trash = archive(await exported(trashed, '/api/export?readable=false'))
  const anki = await exported(full, '/api/flashcards/export?format=apkg')
  // The first two are those of the quick run.
  return [
    notes,
    {
      name: 'trash',
      prepare: async (url, key) => void (await finish(url, key, trash)),
      begin: (url, key) => begin(url, key, '/api/trash?confirm=erase', { method: 'DELETE' }),
    },
    archive(await exported(full, '/api/export')),
    tasks,
    cards,
    file('anki', '/api/flashcards/import?format=apkg', 'application/octet-stream', anki),
  ]
}

/** Tasks, most of which lie below the one before. */
export function calendarOf(count: number): string {
  const todos = Array.from({ length: count }, (_, at) =>
    [
      'BEGIN:VTODO',
      `UID:${at}@example.org`,
      `SUMMARY:Task ${at}`,
      ...(at % 3 ? [`RELATED-TO:${at - 1}@example.org`] : []),
      'END:VTODO',
    ].join('\r\n'),
  )
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...todos, 'END:VCALENDAR', ''].join('\r\n')
}

function csvOf(count: number): string {
  const facts = Array.from({ length: count }, (_, at) => `What is ${at}?,It is ${at}.,tag${at % 7}`)
  return ['front,back,tags', ...facts, ''].join('\n')
}

async function trashNotes(url: string, key: string): Promise<void> {
  for (;;) {
    const { items } = (await (await ask(url, key, '/api/notes?limit=100')).json()) as { items: { id: string }[] }
    if (items.length === 0) return
    const body = JSON.stringify({ ops: items.map(({ id }) => ({ op: 'delete', id })) })
    await ask(url, key, '/api/notes/batch', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  }
}
