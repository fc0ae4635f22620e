import { afterAll, expect, test } from 'bun:test'
import { calls, makeModel, says, waitsAfter } from '../chat/model'
import { makeFolder } from '../support/folder'
import { startServer } from '../support/server'
import { MANY_CALLERS, makeKey } from '../support/world'

const model = makeModel()
afterAll(() => model.stop())

const SETTINGS = { ...MANY_CALLERS, ...model.settings }
const BODY = { messages: [{ role: 'user', content: 'Note: milk' }] }
const MILK = calls('create_note', { title: 'Milk' })

test('a server that is killed in the middle has done each write once, whenever it was', async () => {
  const folder = makeFolder()
  const never = new Promise(() => {})
  const outcomes = new Set<string>()
  let server = await startServer({ folder, settings: SETTINGS })
  for (const [round, steps] of [2, 1].entries()) {
    const headers = { 'X-API-Key': makeKey(900 + round), 'Content-Type': 'application/json', 'Idempotency-Key': 'k' }
    const post = (url: string) => fetch(`${url}/api/chat`, { method: 'POST', headers, body: JSON.stringify(BODY) })
    model.plays(MILK, waitsAfter(['Done'], never))
    const cut = post(server.url).catch(() => null)
    // Killed when the model is asked again, or while what it called for is being written.
    while (model.asked.length < steps) await Bun.sleep(0)
    await server.stop('SIGKILL')
    await cut
    server = await startServer({ folder, settings: SETTINGS })
    model.plays(MILK, says('Done.'))
    const repeated = (await (await post(server.url)).json()) as { actions: unknown[]; warnings: string[] }
    const notes = await (await fetch(`${server.url}/api/notes`, { headers })).json()
    expect(notes.items).toHaveLength(1)
    expect(repeated.actions).toMatchObject([{ n: 1, tool: 'create_note', status: 'done' }])
    const died = repeated.warnings.includes('interrupted')
    expect(model.asked.length).toBe(died ? 0 : 2)
    outcomes.add(died ? 'died' : 'anew')
  }
  expect(outcomes.has('died')).toBe(true)
})
