import { expect, test } from 'bun:test'
import { makeFolder } from '../support/folder'
import { contradictions } from '../support/recount'
import { type Server, startServer } from '../support/server'
import { makeKey } from '../support/world'

const NOTES = 300
const SETTINGS = { API_LIMIT_PER_HOUR: '1000000' }
const headersOf = (key: string) => ({ 'X-API-Key': key, 'Content-Type': 'application/json' })
const [mine, others] = [headersOf(makeKey(1)), headersOf(makeKey(2))]

async function ask({ url }: Server, headers: Record<string, string>, method: string, path: string, body?: object) {
  const answer = await fetch(`${url}/api${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
  const text = await answer.text()
  expect([path, answer.ok]).toEqual([path, true])
  return text === '' ? null : JSON.parse(text)
}

/** One note that lives, and many in the trash. */
async function fill(server: Server, headers: Record<string, string>): Promise<void> {
  await ask(server, headers, 'POST', '/notes', { title: 'Lives' })
  for (let at = 0; at < NOTES; at += 100) {
    const create = Array.from({ length: 100 }, () => ({
      op: 'create',
      data: { title: 'n', folder: 'old', body: 'a few words' },
    }))
    await ask(server, headers, 'POST', '/notes/batch', { ops: create })
    const { items } = await ask(server, headers, 'GET', '/notes?limit=100&folder=old')
    const drop = items.map(({ id }: { id: string }) => ({ op: 'delete', id }))
    await ask(server, headers, 'POST', '/notes/batch', { ops: drop })
  }
}

const count = async (server: Server, headers: Record<string, string>): Promise<number> =>
  (await ask(server, headers, 'GET', '/usage')).workspace.resources

/** Waits until no run of the workspace is under way. */
async function settled(server: Server): Promise<void> {
  for (;;) {
    const { items } = await ask(server, mine, 'GET', '/imports')
    if (items.every(({ state }: { state: string }) => state === 'done')) return
  }
}

test('an emptying of the trash that is killed midway goes on by itself, and harms nothing else', async () => {
  const ways = new Set<string>()
  // Killed after so many answers to others, each round later in the work.
  for (const answers of [0, 1, 4, 8, 16]) {
    const folder = makeFolder()
    let server = await startServer({ folder, settings: SETTINGS })
    await fill(server, mine)
    await fill(server, others)
    const emptied = fetch(`${server.url}/api/trash?confirm=erase`, { method: 'DELETE', headers: mine })
      .then(({ status }) => status)
      .catch(() => null)
    for (let n = 0; n < answers; n++) await ask(server, others, 'GET', '/notes?limit=1')
    await server.stop('SIGKILL')
    const acknowledged = (await emptied) === 200
    expect(await contradictions(folder)).toEqual([])

    server = await startServer({ folder, settings: SETTINGS })
    const begun = (await ask(server, mine, 'GET', '/imports')).items.length > 0
    await settled(server)
    expect(await count(server, mine)).toBe(begun ? 1 : NOTES + 1)
    expect(await count(server, others)).toBe(NOTES + 1)
    if (acknowledged) expect(begun).toBe(true)
    await server.stop('SIGTERM')
    expect(await contradictions(folder)).toEqual([])
    ways.add(acknowledged ? 'acknowledged' : begun ? 'midway' : 'not begun')
  }
  expect(ways).toContain('midway')
}, 60_000)
