import { expect, test } from 'bun:test'
import { makeFolder } from '../support/folder'
import { contradictions } from '../support/recount'
import { startServer } from '../support/server'
import { makeKey } from '../support/world'

const LINKING = 300
const SETTINGS = { API_LIMIT_PER_HOUR: '1000000' }
const headers = { 'X-API-Key': makeKey(1), 'Content-Type': 'application/json' }

async function ask(url: string, method: string, path: string, body?: object) {
  const init = body ? { method, headers, body: JSON.stringify(body) } : { method, headers }
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  return (await fetch(`${url}/api/notes${path}`, init)).json() as Promise<any>
}

async function bodies(url: string): Promise<string[]> {
  const pages = [await ask(url, 'GET', '?include=body&limit=200&sort=title')]
  while (pages.at(-1).next_cursor !== null)
    pages.push(await ask(url, 'GET', `?include=body&limit=200&sort=title&cursor=${pages.at(-1).next_cursor}`))
  return pages.flatMap(({ items }) => items).map(({ title, body }) => `${title}: ${body}`)
}

test('a rename that is killed midway leaves all links old or all new', async () => {
  const folder = makeFolder()
  let server = await startServer({ folder, settings: SETTINGS })
  const target = await ask(server.url, 'POST', '', { title: 'Old', body: '' })
  for (let at = 0; at < LINKING; at += 100)
    await ask(server.url, 'POST', '/batch', {
      ops: Array.from({ length: 100 }, () => ({ op: 'create', data: { title: 'from', body: 'see [[Old]]' } })),
    })
  const old = await bodies(server.url)
  const renamed = old.map((text) => text.replace('Old', 'New'))
  const seen = new Set<string>()
  // Killed after so many answers to others, each round later in the rename.
  for (const answers of [0, 1, 2, 4, 8, 16]) {
    const rename = ask(server.url, 'PATCH', `/${target.id}`, { title: 'New' }).catch(() => null)
    for (let n = 0; n < answers; n += 1) await ask(server.url, 'GET', '?limit=1')
    await server.stop('SIGKILL')
    const acknowledged = (await rename) !== null
    expect(contradictions(folder)).toEqual([])
    server = await startServer({ folder, settings: SETTINGS })
    const found = await bodies(server.url)
    const isNew = found[0] === renamed[0] || found.at(-1) === renamed.at(-1)
    expect(found.toSorted()).toEqual((isNew ? renamed : old).toSorted())
    if (acknowledged) expect(isNew).toBe(true)
    seen.add(isNew ? 'new' : 'old')
    if (isNew) await ask(server.url, 'PATCH', `/${target.id}`, { title: 'Old' })
  }
  expect(seen.has('old')).toBe(true)
}, 60_000)
