import { importOf, linkedNote } from '../../bench/import'
import { readDirectory, readEntryBytes, sourceOf } from '../../src/zip/read'
import { MANY_CALLERS, makeKey } from '../support/keys'
import { contradictions } from '../support/recount'
import { chance, Place, Report, type Row } from './row'

/** Longer than any run here takes, in milliseconds: a run that has not ended by then never will. */
const RUN_MS = 60_000
const LOOK_MS = 20
/** The last instant of a run at which it is killed, in milliseconds after it was sent; by then most have ended. */
const KILL_MS = 1500

interface File {
  readonly path: string
  readonly type: string
  readonly body: Blob | string
}

/** Imports of each kind of file, killed at any instant: each goes on by itself, and comes to the same as one in peace. */
export const imports: Row = async ({ seed, quick }) => {
  const kills = quick ? 5 : 50
  await using place = new Place()
  const random = chance(seed)
  let server = await place.start({ settings: MANY_CALLERS })
  const files = await filesOf(server.url, quick ? 60 : 600)
  const expected: string[] = []
  for (const [n, file] of files.entries()) {
    await finished(server.url, makeKey(10 + n), await send(server.url, makeKey(10 + n), file))
    expected.push(await contentOf(server.url, makeKey(10 + n)))
  }
  const unlike: string[] = []
  const halves: string[] = []
  const left: string[] = []
  let interrupted = 0
  for (let round = 0; round < kills; round++) {
    const [key, n] = [makeKey(100 + round), round % files.length]
    const file = files[n]
    if (!file) continue
    const sending = send(server.url, key, file).catch(() => null)
    await Bun.sleep(random() * KILL_MS * (quick ? 0.2 : 1))
    const [answer] = await Promise.all([sending, server.stop('SIGKILL')])
    halves.push(...contradictions(place.folder))
    server = await place.start({ settings: MANY_CALLERS })
    const runs = await runsOf(server.url, key)
    if (runs.some(({ state }) => !ENDED.includes(state))) interrupted++
    // Without an answer the caller does not know whether the file has arrived, and sends it again.
    await finished(server.url, key, answer ?? (await send(server.url, key, file)))
    for (const run of runs) await ended(server.url, key, run.id)
    if ((await contentOf(server.url, key)) !== expected[n]) unlike.push(`round ${round}: ${file.path}`)
  }
  for (const [n, file] of files.entries()) {
    const key = makeKey(200 + n)
    const both = await Promise.all([send(server.url, key, file), send(server.url, key, file)])
    for (const answer of both) await finished(server.url, key, answer)
    if ((await contentOf(server.url, key)) !== expected[n]) left.push(file.path)
  }
  const report = new Report(`${kills} kills of imports, ${interrupted} of them in the middle of a run`)
  report.claim('every run went on and came to what one in peace does', unlike)
  report.claim('no half change, integrity_check ok', halves)
  report.claim('two imports of the same file at once come to one', left)
  report.claim('some kills met a run', interrupted > 0 || quick)
  return report
}

interface Run {
  readonly id: string
  readonly state: string
}

const ENDED: readonly string[] = ['done', 'failed', 'cancelled']

async function ask(url: string, key: string, path: string, init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(url + path, { ...init, headers: { 'X-API-Key': key, ...init.headers } })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer
}

async function send(url: string, key: string, { path, type, body }: File): Promise<Run> {
  const headers = { 'Content-Type': type, Prefer: 'respond-async' }
  return (await (await ask(url, key, path, { method: 'POST', headers, body })).json()) as Run
}

async function runsOf(url: string, key: string): Promise<readonly Run[]> {
  return ((await (await ask(url, key, '/api/imports')).json()) as { items: Run[] }).items
}

/** Waits for the end of a run. @throws Error if it failed */
async function finished(url: string, key: string, { id }: Run): Promise<void> {
  const state = await ended(url, key, id)
  if (state !== 'done') throw new Error(`the import ended as ${state}`)
}

async function ended(url: string, key: string, id: string): Promise<string> {
  for (let waited = 0; waited < RUN_MS; waited += LOOK_MS) {
    const { state } = (await (await ask(url, key, `/api/imports/${id}`)).json()) as Run
    if (ENDED.includes(state)) return state
    await Bun.sleep(LOOK_MS)
  }
  throw new Error('an import never ended')
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g
/** Of what is stored, with its ids. */
const DIGEST = /(?<=_hash":")[^"]+/g

/** All that a workspace holds, as text, but for ids and moments, which are new in each import. */
async function contentOf(url: string, key: string): Promise<string> {
  const bytes = sourceOf(await (await ask(url, key, '/api/export?readable=false')).bytes())
  const entries = readDirectory(bytes, { entries: 1000, bytes: 2 ** 30, ratio: () => 10_000 })
  const texts = entries
    .filter(({ name }) => name.startsWith('data/'))
    .map((entry) => `${entry.name}\n${sortedLines(Buffer.from(readEntryBytes(bytes, entry)).toString())}`)
  return texts.sort().join('\n')
}

function sortedLines(text: string): string {
  return text
    .replaceAll(ID, 'id')
    .replaceAll(MOMENT, 'moment')
    .replaceAll(DIGEST, 'digest')
    .split('\n')
    .sort()
    .join('\n')
}

/** One file of each kind, with so many resources. */
async function filesOf(url: string, count: number): Promise<readonly File[]> {
  const facts = Array.from({ length: count }, (_, at) => `What is ${at}?,It is ${at}.,tag${at % 7}`).join('\n')
  const todos = Array.from({ length: count }, (_, at) =>
    [
      'BEGIN:VTODO',
      `UID:${at}@example.org`,
      `SUMMARY:Task ${at}`,
      ...(at % 3 ? [`RELATED-TO:${at - 1}@example.org`] : []),
      'END:VTODO',
    ].join('\r\n'),
  )
  const files: File[] = [
    { path: '/api/notes/import', type: 'application/zip', body: await importOf(count, linkedNote(count)) },
    {
      path: '/api/tasks/import',
      type: 'text/calendar',
      body: ['BEGIN:VCALENDAR', 'VERSION:2.0', ...todos, 'END:VCALENDAR', ''].join('\r\n'),
    },
    { path: '/api/flashcards/import?format=csv', type: 'text/csv', body: `front,back,tags\n${facts}\n` },
  ]
  const all = makeKey(9)
  for (const file of files) await finished(url, all, await send(url, all, file))
  const exported = (path: string) => ask(url, all, path).then((answer) => answer.blob())
  return [
    ...files,
    {
      path: '/api/flashcards/import?format=apkg',
      type: 'application/octet-stream',
      body: await exported('/api/flashcards/export?format=apkg'),
    },
    { path: '/api/import', type: 'application/zip', body: await exported('/api/export') },
  ]
}
