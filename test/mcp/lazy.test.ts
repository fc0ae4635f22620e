import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { countTurns } from '../support/turns'
import { makeKey, makeWorld } from '../support/world'
import { messageOf } from './messages'

/** The modules of the protocol's library that a process has loaded after importing these files of src. */
async function countLoaded(...files: readonly string[]): Promise<number> {
  const imports = files.map((file) => `await import(${JSON.stringify(join(import.meta.dir, '../../src', file))});`)
  const count =
    'process.stdout.write(String(Object.keys(require.cache).filter((path) => /@modelcontextprotocol/.test(path)).length))'
  const child = Bun.spawn([process.execPath, '-e', imports.join('') + count], { stdout: 'pipe', stderr: 'inherit' })
  return Number(await new Response(child.stdout).text())
}

test('the library is not loaded with the app, but with the endpoint', async () => {
  expect(await countLoaded('app')).toBe(0)
  expect(await countLoaded('mcp/routes')).toBe(0)
  expect(await countLoaded('mcp/endpoint')).toBeGreaterThan(0)
})

test('its parts are loaded with a turn of the event loop after each, at the first request alone', async () => {
  // Loading it from the disk takes turns as well, so it is loaded before.
  await import('@modelcontextprotocol/server')
  await using world = await makeWorld()
  const { headers, body } = messageOf('modern', 'tools/list')
  const sent = { 'Content-Type': 'application/json', 'X-API-Key': makeKey(1), ...headers }
  const list = () =>
    countTurns(async () => {
      const request = new Request('http://localhost/api/mcp', {
        method: 'POST',
        headers: sent,
        body: JSON.stringify(body),
      })
      expect((await world.app.handle(request)).status).toBe(200)
    })
  const [first, second] = [await list(), await list()]
  expect(first - second).toBeGreaterThanOrEqual(3)
})
