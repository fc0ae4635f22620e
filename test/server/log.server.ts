import { expect, test } from 'bun:test'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/server'
import { makeFolder } from '../support/folder'
import { command, WHERE } from '../support/process'

/** Lines that a pipe of Linux has no room for: it holds 64 KiB, and a line is longer than 100 bytes. */
const LINES = 1500

test('a log that nobody reads holds up no request, and the whole of it comes when it is read', async () => {
  const folder = makeFolder()
  const pipe = join(folder, 'log')
  expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
  // Opened for both, it does not wait for a reader.
  const end = openSync(pipe, constants.O_RDWR)
  const port = freePort()
  const child = Bun.spawn([...command], {
    cwd: WHERE,
    env: { PATH: process.env.PATH, PORT: `${port}`, DATA_DIR: folder, FREE_LIMIT_PER_HOUR: '100000' },
    stdout: end,
  })
  const ask = () => fetch(`http://127.0.0.1:${port}/api`).catch(() => null)
  while ((await ask())?.status !== 200) expect(child.exitCode).toBeNull()
  for (let n = 1; n < LINES; n++) expect((await ask())?.status).toBe(200)
  child.kill('SIGTERM')
  const reader = Bun.spawn(['cat', pipe], { stdout: 'pipe' })
  const log = await readUntil(reader.stdout, 'has stopped')
  reader.kill()
  expect(await child.exited).toBe(0)
  expect(log.match(/"answered"/g)).toHaveLength(LINES)
  closeSync(end)
})

async function readUntil(stream: ReadableStream<Uint8Array>, words: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes(words)) break
  }
  return text
}
