import { expect, test } from 'bun:test'
import { join } from 'node:path'

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
