import { expect, test } from 'bun:test'
import { makeFolder } from '../support/folder'
import { FULL } from '../support/full'
import { contradictions } from '../support/recount'
import { type Server, startServer } from '../support/server'
import { makeKey } from '../support/world'

const SETTINGS = { API_LIMIT_PER_HOUR: '1000000' }
const headers = { 'X-API-Key': makeKey(1), 'Content-Type': 'application/json' }

async function ask({ url }: Server, method: string, path: string, body?: object) {
  const init = body ? { method, headers, body: JSON.stringify(body) } : { method, headers }
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  return (await fetch(`${url}/api${path}`, init)).json() as Promise<any>
}

async function notes(server: Server) {
  const path = '/notes?include=body&limit=200&sort=title'
  const pages = [await ask(server, 'GET', path)]
  while (pages.at(-1).next_cursor !== null)
    pages.push(await ask(server, 'GET', `${path}&cursor=${pages.at(-1).next_cursor}`))
  return pages.flatMap(({ items }) => items)
}

async function bodies(server: Server): Promise<string[]> {
  return (await notes(server)).map(({ title, body }) => `${title}: ${body}`)
}

/** So many notes that link to one in a folder with them. */
async function fill(server: Server, count: number): Promise<string> {
  const { id } = await ask(server, 'POST', '/notes', { title: 'Old', folder: 'Old' })
  const data = { title: 'from', folder: 'Old', tags: ['old'], body: 'see [[Old]] or [[Old/Old]] #old' }
  for (let at = 0; at < count; at += 50)
    await ask(server, 'POST', '/notes/batch', { ops: Array.from({ length: 50 }, () => ({ op: 'create', data })) })
  return id
}

test('a rename in one transaction that is killed midway leaves all links old or all new', async () => {
  const folder = makeFolder()
  let server = await startServer({ folder, settings: SETTINGS })
  const id = await fill(server, 200)
  const old = await bodies(server)
  const renamed = old.map((text) => text.replace('[[Old]]', '[[New]]').replace('/Old', '/New').replace('Old:', 'New:'))
  const seen = new Set<string>()
  // Killed after so many answers to others, each round later in the rename.
  for (const answers of [0, 1, 2, 4, 8, 16]) {
    const rename = ask(server, 'PATCH', `/notes/${id}`, { title: 'New' }).catch(() => null)
    for (let n = 0; n < answers; n += 1) await ask(server, 'GET', '/notes?limit=1')
    await server.stop('SIGKILL')
    const acknowledged = (await rename) !== null
    expect(await contradictions(folder)).toEqual([])
    server = await startServer({ folder, settings: SETTINGS })
    const found = await bodies(server)
    const isNew = found[0] === renamed[0] || found.at(-1) === renamed.at(-1)
    expect(found.toSorted()).toEqual((isNew ? renamed : old).toSorted())
    if (acknowledged) expect(isNew).toBe(true)
    seen.add(isNew ? 'new' : 'old')
    if (isNew) await ask(server, 'PATCH', `/notes/${id}`, { title: 'Old' })
  }
  expect(seen.has('old')).toBe(true)
})

/** Waits until no run is under way; how many there were. */
async function settled(server: Server): Promise<number> {
  for (;;) {
    const { items } = await ask(server, 'GET', '/imports')
    if (items.every(({ state }: { state: string }) => state === 'done')) return items.length
  }
}

const LINKING = 300
const RENAMES = [
  ['POST', '/notes/tags/rename', { from: 'old', to: 'new' }, 'see [[Old]] or [[Old/Old]] #new'],
  ['POST', '/notes/folders/rename', { from: 'Old', to: 'New' }, 'see [[Old]] or [[New/Old]] #old'],
  ['PATCH', null, { title: 'New' }, 'see [[New]] or [[Old/New]] #old'],
] as const

// They go by the same steps: one of them in the quick run.
for (const [method, path, order, text] of FULL ? RENAMES : RENAMES.slice(-1))
  test(`a rename in steps that is killed midway goes on by itself: ${path ?? 'title'}`, async () => {
    const ways = new Set<string>()
    // How far it is after so many answers depends on the machine.
    for (let answers = 0; answers <= 16 || (answers <= 48 && !ways.has('midway')); answers += 4) {
      const folder = makeFolder()
      let server = await startServer({ folder, settings: SETTINGS })
      const id = await fill(server, LINKING)
      const rename = ask(server, method, path ?? `/notes/${id}`, order).catch(() => null)
      for (let n = 0; n < answers; n += 1) await ask(server, 'GET', '/notes?limit=1')
      await server.stop('SIGKILL')
      const acknowledged = (await rename) !== null
      expect(await contradictions(folder)).toEqual([])

      server = await startServer({ folder, settings: SETTINGS })
      const isBegun = (await settled(server)) > 0
      const found = await notes(server)
      const linking = found.filter(({ title }) => title === 'from')
      expect(linking).toHaveLength(LINKING)
      for (const { body, revision, links } of linking)
        expect([body, revision, links.unresolved]).toEqual(
          isBegun ? [text, 2, 0] : ['see [[Old]] or [[Old/Old]] #old', 1, 0],
        )
      if (acknowledged) expect(isBegun).toBe(true)
      ways.add(acknowledged ? 'acknowledged' : isBegun ? 'midway' : 'not begun')
      await server.stop('SIGTERM')
      expect(await contradictions(folder)).toEqual([])
    }
    expect(ways).toContain('midway')
  })
