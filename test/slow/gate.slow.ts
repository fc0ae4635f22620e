import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { expectSurvival } from '../gate/kills'
import { makeFolder, removeFolder } from '../gate/world'

test('50 times SIGKILL under load keep the bound', async () => {
  const folder = makeFolder()
  await expectSurvival(folder, 50, 'SIGKILL')
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
