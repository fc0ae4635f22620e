import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { expectSurvival } from '../gate/kills'
import { makeFolder, removeFolder } from '../gate/world'

test.each([
  [50, 'SIGKILL'],
  [1, 'SIGTERM'],
] as const)('%d times %s under load keep the bound', async (rounds, signal) => {
  const folder = makeFolder()
  await expectSurvival(folder, rounds, signal)
  removeFolder(folder)
})

test('1,000,000 addresses in one hour stay within 300 MiB, and none is reset', async () => {
  const folder = makeFolder()
  const command = [process.execPath, join(import.meta.dir, 'addresses-child.ts'), folder, '1000000']
  const child = Bun.spawn(command, { stdout: 'pipe' })
  const result = (await new Response(child.stdout).json()) as { peakMiB: number; reset: number }
  expect(await child.exited).toBe(0)
  expect(result.reset).toBe(0)
  expect(result.peakMiB).toBeLessThan(300)
  removeFolder(folder)
})
