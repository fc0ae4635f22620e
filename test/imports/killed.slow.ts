import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../support/folder'
import { contentOf, fileOf, makeKit, notes } from './kit'

const children = new Set<Bun.Subprocess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts a server of its own process on a folder. */
async function start(folder: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'kit-child.ts'), folder], { stdout: 'pipe' })
  children.add(child)
  const { value } = await child.stdout.getReader().read()
  const url = new TextDecoder().decode(value).trim()
  return {
    url,
    ask: async (path: string, init?: RequestInit) => {
      const response = await fetch(`${url}${path}`, { ...init, headers: { 'X-Workspace': 'a', ...init?.headers } })
      // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
      return { status: response.status, headers: response.headers, body: (await response.json()) as any }
    },
    async end(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal)
      await child.exited
      children.delete(child)
    },
  }
}

/** A file some of whose lines name others, are there twice, or cannot be read. */
const LINES = notes(2000).flatMap<object>((line, i) =>
  i % 100 === 50
    ? [{ ...line, of: `k${i - 40}` }, { unreadable: 'No.' }, { key: `k${i - 45}`, body: 'twice' }]
    : [line],
)

async function undisturbed() {
  const kit = await makeKit({ folder: makeFolder() })
  const { body } = await kit.send(LINES, { headers: KEY })
  const content = await contentOf(kit.db)
  await kit.close()
  return { body, content }
}

const KEY = { 'Idempotency-Key': 'killed' }
const post = (headers: Record<string, string>, path = '/api/lines'): [string, RequestInit] => [
  path,
  { method: 'POST', body: fileOf(LINES), headers: { 'Content-Type': 'application/x-ndjson', ...headers } },
]
/** What of a report is the same in every run of the same file. */
const tellable = ({
  id,
  created_at,
  updated_at,
  items,
  next_cursor,
  dry_run,
  eta_seconds,
  ...rest
}: Record<string, unknown>) => ({
  ...rest,
  items: (items as { id: string | null }[]).map(({ id, ...item }) => item),
})

describe('an import whose server is killed', () => {
  // Each as a part of the work; the first before a file is read, the last before the end is told.
  const MOMENTS = [0, 0, 0.02, 0.1, 0.2, 0.35, 0.5, 0.55, 0.7, 0.9, 0.99]

  test('goes on by itself, and makes what an undisturbed one makes; so does a repeat', async () => {
    const folder = makeFolder()
    let server = await start(folder)
    const { body: begun } = await server.ask(...post({ ...KEY, Prefer: 'respond-async' }))
    let kills = 0
    for (const moment of MOMENTS) {
      let run = (await server.ask(`/api/imports/${begun.id}`)).body
      while (run.state !== 'done' && (run.total === null ? moment > 0 : run.done < run.total * moment))
        run = (await server.ask(`/api/imports/${begun.id}`)).body
      expect(['waiting', 'reading', 'running', 'done']).toContain(run.state)
      if (run.state !== 'done') kills++
      await server.end('SIGKILL')
      server = await start(folder)
    }
    expect(kills).toBeGreaterThan(5)
    const { status, body } = await server.ask(...post(KEY))
    expect([status, body.id]).toEqual([200, begun.id])
    await server.end('SIGKILL')
    const expected = await undisturbed()
    expect(tellable(body)).toEqual(tellable(expected.body))
    const kit = await makeKit({ folder })
    expect(await contentOf(kit.db)).toEqual(expected.content)
    await kit.close()
  })

  test('goes on as a dry run too, and changes nothing', async () => {
    const folder = makeFolder()
    let server = await start(folder)
    const { body: begun } = await server.ask(...post({ Prefer: 'respond-async' }, '/api/lines/dry'))
    let run = begun
    while (run.state === 'waiting' || run.state === 'reading') run = (await server.ask(`/api/imports/${begun.id}`)).body
    await server.end('SIGKILL')
    server = await start(folder)
    while (run.state !== 'done') run = (await server.ask(`/api/imports/${begun.id}`)).body
    await server.end('SIGKILL')
    expect(run.totals).toEqual((await undisturbed()).body.totals)
    const kit = await makeKit({ folder })
    expect(await contentOf(kit.db)).toEqual({ rows: [], totals: null })
    await kit.close()
  })

  test('has failed, with a sentence, where its file is gone, as after a backup was restored', async () => {
    const folder = makeFolder()
    const server = await start(folder)
    const { body: begun } = await server.ask(...post({ Prefer: 'respond-async' }))
    await server.end('SIGKILL')
    rmSync(join(folder, 'imports'), { recursive: true })
    const kit = await makeKit({ folder })
    await kit.imports.resume()
    let run = begun
    while (!run.error) run = (await kit.call('GET', `/api/imports/${begun.id}`)).body
    expect(run).toMatchObject({ state: 'failed', error: { code: 'unavailable' } })
    await kit.close()
  })
})
