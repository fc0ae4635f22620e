import { expect, test } from 'bun:test'
import { makeFolder } from '../support/folder'
import { contradictions } from '../support/recount'
import { startServer } from '../support/server'
import { makeKey, makeWorld } from '../support/world'

const NOTES = 300
const SETTINGS = { API_LIMIT_PER_HOUR: '1000000' }
const [mine, others] = [{ key: makeKey(1) }, { key: makeKey(2) }]

const headers = (key: string) => ({ 'X-API-Key': key, 'Content-Type': 'application/json' })

async function fill(url: string, { key }: { key: string }): Promise<void> {
  for (let at = 0; at < NOTES; at += 100) {
    const ops = Array.from({ length: 100 }, () => ({
      op: 'create',
      data: { title: 'n', body: 'Qzvxerlin on the quay' },
    }))
    const init = { method: 'POST', headers: headers(key), body: JSON.stringify({ ops }) }
    expect((await fetch(`${url}/api/notes/batch`, init)).status).toBe(200)
  }
}

test('an erasure that is killed midway is not begun or goes on to its end, and harms nobody else', async () => {
  // Killed after so many answers to others, each round later in the erasure.
  const ways = new Set<string>()
  for (const answers of [0, 1, 5, 20]) {
    const folder = makeFolder()
    const server = await startServer({ folder, settings: SETTINGS })
    await fill(server.url, mine)
    await fill(server.url, others)
    const erased = fetch(`${server.url}/api/workspace?confirm=erase`, { method: 'DELETE', headers: headers(mine.key) })
      .then(({ status }) => status)
      .catch(() => null)
    for (let n = 0; n < answers; n++) await fetch(`${server.url}/api/notes?limit=1`, { headers: headers(others.key) })
    await server.stop('SIGKILL')
    const acknowledged = (await erased) === 204

    const world = await makeWorld({ folder, settings: SETTINGS, start: Date.now() })
    const isClosed = (await world.call(mine, 'GET', '/api/notes')).status === 503
    await world.jobs.find(({ name }) => name.includes('finish erasing'))?.run(new AbortController().signal)
    const count = async (as: typeof mine) => (await world.call(as, 'GET', '/api/usage')).body.workspace.resources
    const left = await count(mine)
    expect([0, NOTES]).toContain(left)
    if (acknowledged || isClosed) expect(left).toBe(0)
    expect((await world.call(mine, 'GET', '/api/notes/search?q=Qzvxerlin')).body.items.length > 0).toBe(left > 0)
    expect(await count(others)).toBe(NOTES)
    await world.close()
    expect(await contradictions(folder)).toEqual([])
    ways.add(acknowledged ? 'acknowledged' : isClosed ? 'midway' : 'not begun')
  }
  expect(ways).toContain('midway')
})
